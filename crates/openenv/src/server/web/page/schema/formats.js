// Formats of text and of whole numbers that schemas name.

const FORMAT_PATTERNS = {
  date: [/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'a date such as 2026-01-31'],
  time: [/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i, 'a time such as 13:45:00'],
  'date-time': [
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i,
    'a date and time such as 2026-01-31T13:45:00Z',
  ],
  duration: [/^[+-]?P(?!$)(\d+([.,]\d+)?[YMWD])*(T(\d+([.,]\d+)?[HMS])+)?$/i, 'a duration such as PT1H30M'],
  uuid: [/^(urn:uuid:)?\{?[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}\}?$/i, 'a UUID such as 123e4567-e89b-42d3-a456-426614174000'],
  email: [/^[^\s@]+@[^\s@]+$/, 'an email address such as name@example.com'],
  uri: [/^[a-z][a-z\d+.-]*:\S+$/i, 'a URL such as https://example.com'],
  ipv4: [/^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/, 'an IPv4 address such as 192.0.2.1'],
  ipv6: [/^[\da-f:.]*:[\da-f:.]*$/i, 'an IPv6 address such as 2001:db8::1'],
};
const BASE64 = /^[A-Za-z\d+/_-]*={0,2}$/;

/** Whether the text holds bytes as base64, so that it can come from a file. */
export function isBase64(schema) {
  return schema.contentEncoding === 'base64' || ['base64', 'byte', 'base64url'].includes(schema.format);
}

/** What the text would have to be, `null` if it is that or if its format is not known here. */
export function formatMisfit(schema, text) {
  if (isBase64(schema)) return BASE64.test(text.replace(/\s+/g, '')) ? null : 'must be base64';
  if (!Object.hasOwn(FORMAT_PATTERNS, schema.format ?? '')) return null;
  const [pattern, words] = FORMAT_PATTERNS[schema.format];
  return pattern.test(text) ? null : `must be ${words}`;
}

/** A text of the format to begin with, if one can be made up. */
export function formatExample(format) {
  return FORMAT_PATTERNS[format]?.[1].split('such as ')[1] ?? null;
}

/** The range of formats such as `uint8`, which schemars writes instead of limits. */
export function wholeNumberLimits(schema) {
  const [, unsigned, bits] = /^(u?)int(8|16|32|64|128)?$/.exec(schema.format ?? '') ?? [];
  if (bits === undefined) return [unsigned === 'u' ? 0 : -Infinity, Infinity];
  // Beyond 2^53 a limit is not exact any more and would refuse its own neighbours; the server knows better.
  const exactBits = Number(bits) <= 32;
  if (unsigned === 'u') return [0, exactBits ? 2 ** bits - 1 : Infinity];
  return exactBits ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [-Infinity, Infinity];
}

/** A random UUID also where the page is not in a secure context. */
export function newUuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-');
}
