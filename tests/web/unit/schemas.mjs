// Schemas that servers publish, and the forms in which schemars writes enums.

import { readFileSync } from 'node:fs';

/** Actions by the reference server, by pydantic models and by this server. */
export const published = JSON.parse(
  readFileSync(new URL('../../../crates/openenv-schema/tests/fixtures/action_schemas.json', import.meta.url), 'utf8'),
);

const radius = { type: 'object', properties: { radius: { type: 'number', format: 'double' } }, required: ['radius'] };

/** The four ways in which serde writes an enum. */
export const serdeEnums = {
  external: {
    oneOf: [
      { type: 'string', enum: ['Empty', 'Full'] },
      { type: 'object', properties: { Circle: radius }, required: ['Circle'], additionalProperties: false },
      { type: 'object', properties: { Text: { type: 'string' } }, required: ['Text'], additionalProperties: false },
    ],
  },
  internal: {
    oneOf: [
      { type: 'object', properties: { kind: { type: 'string', const: 'empty' } }, required: ['kind'] },
      { type: 'object', properties: { kind: { type: 'string', const: 'circle' }, radius: { type: 'number' } }, required: ['kind', 'radius'] },
    ],
  },
  adjacent: {
    oneOf: [
      { type: 'object', properties: { t: { type: 'string', const: 'Empty' } }, required: ['t'] },
      { type: 'object', properties: { t: { type: 'string', const: 'Text' }, c: { type: 'string' } }, required: ['t', 'c'] },
    ],
  },
  untagged: { anyOf: [{ type: 'integer', format: 'int64' }, { type: 'string' }, radius] },
};

export function objectWith(properties, more = {}) {
  return { type: 'object', properties, required: Object.keys(properties), ...more };
}
