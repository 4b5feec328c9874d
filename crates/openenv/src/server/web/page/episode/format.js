// Numbers and times as people read them.

const MINUS = '\u2212';

/** A reward or return: a few digits, a real minus, a dash for none. */
export function numberText(value, digits = 6) {
  if (value === null || value === undefined) return '–';
  if (!Number.isFinite(value)) return String(value);
  const short = Number(value.toPrecision(digits));
  const size = Math.abs(short);
  const text = size !== 0 && (size < 1e-4 || size >= 1e9) ? size.toExponential(2) : String(size);
  return short < 0 ? MINUS + text : text;
}

/** The same with its sign, for what is gained or lost. */
export function signedText(value, digits = 6) {
  return value > 0 ? `+${numberText(value, digits)}` : numberText(value, digits);
}

export function durationText(milliseconds) {
  if (milliseconds === null || milliseconds === undefined || !Number.isFinite(milliseconds)) return '–';
  if (milliseconds < 1) return milliseconds === 0 ? '0 ms' : `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

/** Seconds since the beginning of an episode, as a clock. */
export function clockText(seconds) {
  if (!Number.isFinite(seconds)) return '–';
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const whole = Math.floor(milliseconds / 1000);
  const pad = (number) => String(number).padStart(2, '0');
  const tail = `${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}.${String(milliseconds % 1000).padStart(3, '0')}`;
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${tail}` : tail;
}

/** A time of day, for what is given in seconds since 1970. */
export function timeOfDayText(unixSeconds) {
  const date = new Date(unixSeconds * 1000);
  return Number.isNaN(date.getTime()) ? '–' : clockText(date.getHours() * 3600 + date.getMinutes() * 60 + date.getSeconds() + date.getMilliseconds() / 1000);
}

export function bytesText(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `1 step`, `1,234 steps`. */
export function countText(count, one, many) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many ?? `${one}s`}`;
}

export function byteLength(text) {
  return new TextEncoder().encode(text).length;
}
