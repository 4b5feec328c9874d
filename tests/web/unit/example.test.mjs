import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleValue } from '../../../crates/openenv/src/server/web/page/schema/example.js';
import { validateValue } from '../../../crates/openenv/src/server/web/page/schema/validate.js';

test('an example fits the schema that it is for', () => {
  const schema = {
    type: 'object',
    required: ['say', 'cell', 'share', 'kind', 'where', 'pair', 'many'],
    properties: {
      say: { type: 'string', minLength: 8, maxLength: 12 },
      cell: { type: 'integer', minimum: 3, maximum: 8, multipleOf: 2 },
      share: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      kind: { enum: ['a', 'b'] },
      where: { $ref: '#/$defs/Place' },
      pair: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'boolean' }], minItems: 2, maxItems: 2 },
      many: { type: 'array', items: { type: 'integer' }, minItems: 2 },
      metadata: { type: 'object', additionalProperties: true },
    },
    $defs: { Place: { oneOf: [{ type: 'object', required: ['x'], properties: { x: { type: 'integer' } } }, { type: 'string' }] } },
  };
  const example = exampleValue(schema);
  assert.deepEqual(validateValue(schema, schema, example), []);
  assert.equal(example.metadata, undefined);
  assert.equal(example.cell, 4);
});

test('examples of the author come first', () => {
  assert.equal(exampleValue({ type: 'string', examples: ['Pea soup'] }), 'Pea soup');
});
