// Text that holds JSON, read with exact places for messages and without rounding whole numbers.

// Whole numbers beyond 2^53 stay exact where the browser can hold raw JSON: `JSON.stringify` then writes the digits
// as they were typed. Elsewhere they become the nearest number that JavaScript has.
const rawNumber = typeof JSON.rawJSON === 'function' ? (digits) => JSON.rawJSON(digits) : Number;

const JSON_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const TYPED_NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const ESCAPES = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

export function isExactNumber(value) {
  return typeof JSON.isRawJSON === 'function' && JSON.isRawJSON(value);
}

/** The number a value stands for, or NaN if it is none. */
export function numberOf(value) {
  if (typeof value === 'number') return value;
  return isExactNumber(value) ? Number(value.rawJSON) : NaN;
}

/** Digits of a number as they would be sent. */
export function exactNumberText(value) {
  return isExactNumber(value) ? value.rawJSON : String(value);
}

/** What somebody typed as a number; `undefined` if it is not one (yet). */
export function numberFromText(typed) {
  const text = typed.trim();
  return TYPED_NUMBER.test(text) ? numberFromDigits(text) : undefined;
}

function numberFromDigits(digits) {
  const number = Number(digits);
  if (!/^-?\d+$/.test(digits) || Number.isSafeInteger(number)) return Number.isFinite(number) ? number : undefined;
  return rawNumber(digits.replace(/^(-?)0+(?=\d)/, '$1'));
}

export function isPlainObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** Sets a field of any name: assigning `__proto__` would change what the object is instead. */
export function setField(object, name, value) {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/** Equal as JSON: the order of fields says nothing, a field that is `undefined` is not there. */
export function sameJson(one, other) {
  if (one === other) return true;
  const number = numberOf(one);
  if (!Number.isNaN(number)) {
    return isExactNumber(one) && isExactNumber(other) ? exactNumberText(one) === exactNumberText(other) : number === numberOf(other);
  }
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => sameJson(item, other[index]));
  }
  if (!isPlainObject(one) || !isPlainObject(other)) return false;
  const names = (object) => Object.keys(object).filter((name) => object[name] !== undefined);
  const left = names(one);
  return left.length === names(other).length && left.every((name) => Object.hasOwn(other, name) && sameJson(one[name], other[name]));
}

export function copyJson(value) {
  if (Array.isArray(value)) return value.map(copyJson);
  if (!isPlainObject(value)) return value;
  const copy = {};
  for (const name of Object.keys(value)) setField(copy, name, copyJson(value[name]));
  return copy;
}

/** Names of a place, as one text to look it up by. */
export function pathKey(path) {
  return JSON.stringify(path);
}

/** A place as a person would write it: `path[0].x`. */
export function placeText(path) {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

/** A place as people call it in a sentence. */
export function pathName(path) {
  return path.length === 0 ? 'The value' : `\`${placeText(path)}\``;
}

export function lineAndColumn(text, offset) {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/**
 * Reads JSON: `{ value, places }`, where `places` maps the `pathKey` of each value to its offset in the text,
 * or `{ error: { message, line, column, offset } }`.
 */
export function parseJson(text) {
  const reader = new JsonReader(text);
  try {
    const value = reader.document();
    return { value, places: reader.places, error: null };
  } catch (failure) {
    const misfit = failure instanceof RangeError ? { message: 'This is nested too deeply.', offset: 0 } : failure;
    if (misfit.offset === undefined) throw failure;
    return { error: { message: misfit.message, offset: misfit.offset, ...lineAndColumn(text, misfit.offset) } };
  }
}

class JsonReader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.path = [];
    this.places = new Map();
  }

  fail(message, offset = this.at) {
    throw { message, offset };
  }

  skipSpace() {
    while (' \t\n\r'.includes(this.text[this.at] ?? 'x')) this.at += 1;
  }

  document() {
    this.skipSpace();
    if (this.at === this.text.length) this.fail('There is nothing here yet. Write a JSON value, such as {}.');
    const value = this.value();
    this.skipSpace();
    if (this.at < this.text.length) this.fail(`Nothing may follow the value, but there is ${this.found()}.`);
    return value;
  }

  found() {
    if (this.at >= this.text.length) return 'the end of the text';
    const rest = this.text.slice(this.at).match(/^(?:[\p{L}\p{N}_$]+|[^])/u);
    return `\`${rest[0].slice(0, 20)}\``;
  }

  value() {
    this.places.set(pathKey(this.path), this.at);
    const first = this.text[this.at];
    if (first === '{') return this.object();
    if (first === '[') return this.array();
    if (first === '"') return this.string();
    JSON_NUMBER.lastIndex = this.at;
    const number = JSON_NUMBER.exec(this.text);
    if (number) {
      const start = this.at;
      this.at += number[0].length;
      if (/[\w.]/.test(this.text[this.at] ?? '')) this.fail('This is not a number as JSON writes it.', start);
      return numberFromDigits(number[0]) ?? this.fail('This number is too large.', start);
    }
    for (const [word, value] of [['true', true], ['false', false], ['null', null]]) {
      if (this.text.startsWith(word, this.at) && !/\w/.test(this.text[this.at + word.length] ?? '')) {
        this.at += word.length;
        return value;
      }
    }
    return this.fail(this.hint());
  }

  hint() {
    const rest = this.text.slice(this.at);
    if (rest.startsWith("'")) return 'Text goes in double quotes: "…".';
    if (/^(True|False|None)\b/.test(rest)) return `JSON writes \`${rest.match(/^\w+/)[0]}\` as \`${{ T: 'true', F: 'false', N: 'null' }[rest[0]]}\`.`;
    if (/^(NaN|-?Infinity)\b/.test(rest)) return 'JSON has no such number.';
    if (/^[\]}]/.test(rest)) return `A value is missing before ${this.found()}; is there a comma too many?`;
    if (/^\p{L}/u.test(rest)) return `Text goes in double quotes: ${this.found()} has none.`;
    return `Expected a value, but found ${this.found()}.`;
  }

  object() {
    const object = {};
    const names = new Set();
    this.at += 1;
    this.skipSpace();
    if (this.text[this.at] === '}') {
      this.at += 1;
      return object;
    }
    for (;;) {
      this.skipSpace();
      if (this.text[this.at] === '}') this.fail('There is a comma too many before `}`.');
      if (this.text[this.at] !== '"') this.fail(`Expected a name in double quotes, but found ${this.found()}.`);
      const start = this.at;
      const name = this.string();
      if (names.has(name)) this.fail(`The name \`${name}\` is here twice.`, start);
      names.add(name);
      this.skipSpace();
      if (this.text[this.at] !== ':') this.fail(`Expected \`:\` after the name \`${name}\`, but found ${this.found()}.`);
      this.at += 1;
      this.skipSpace();
      this.path.push(name);
      setField(object, name, this.value());
      this.path.pop();
      if (this.ended('}')) return object;
    }
  }

  array() {
    const items = [];
    this.at += 1;
    this.skipSpace();
    if (this.text[this.at] === ']') {
      this.at += 1;
      return items;
    }
    for (;;) {
      this.skipSpace();
      if (this.text[this.at] === ']') this.fail('There is a comma too many before `]`.');
      this.path.push(items.length);
      items.push(this.value());
      this.path.pop();
      if (this.ended(']')) return items;
    }
  }

  ended(bracket) {
    this.skipSpace();
    const mark = this.text[this.at];
    if (mark !== ',' && mark !== bracket) this.fail(`Expected \`,\` or \`${bracket}\`, but found ${this.found()}.`);
    this.at += 1;
    return mark === bracket;
  }

  string() {
    const start = this.at;
    let text = '';
    this.at += 1;
    for (;;) {
      const mark = this.text[this.at];
      if (mark === undefined || mark === '\n') this.fail('The closing double quote of this text is missing.', start);
      if (mark < ' ') this.fail('A control character inside text is written as \\t or \\u0000.');
      this.at += 1;
      if (mark === '"') return text;
      text += mark === '\\' ? this.escape() : mark;
    }
  }

  escape() {
    const mark = this.text[this.at];
    this.at += 1;
    if (Object.hasOwn(ESCAPES, mark)) return ESCAPES[mark];
    const digits = this.text.slice(this.at, this.at + 4);
    if (mark !== 'u' || !/^[\da-fA-F]{4}$/.test(digits)) {
      this.fail(`\`\\${mark ?? ''}\` means nothing in JSON; a backslash itself is written \`\\\\\`.`, this.at - 2);
    }
    this.at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }
}
