// Colours of terminals in text.

const ESCAPE = '\u001b';
// Sequences that set colours are read; those that move the cursor or set a title are left out.
const SEQUENCE = new RegExp(`${ESCAPE}(?:\\[([0-9;:]*)([A-Za-ln-z@~])|\\[([0-9;:]*)m|\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)|\\[\\?[0-9;]*[a-z]|[()][A-Z0-9]|[=>78cDEHM])`, 'g');

export function hasAnsi(text) {
  return text.includes(`${ESCAPE}[`) || text.includes(`${ESCAPE}]`);
}

/** The text in pieces of one look: `{text, look}`, look `{color, background, bold, faint, italic, underline, strike, inverse}`. */
export function ansiPieces(text) {
  const pieces = [];
  let look = {};
  let at = 0;
  const add = (part) => {
    if (part) pieces.push({ text: part, look });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[3] !== undefined) look = ansiLook(look, match[3].split(/[;:]/).map(Number));
  }
  add(text.slice(at));
  return pieces;
}

export function stripAnsi(text) {
  return hasAnsi(text) ? ansiPieces(text).map((piece) => piece.text).join('') : text;
}

function ansiLook(before, codes) {
  let look = { ...before };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at];
    if (code === 0) look = {};
    else if (code === 1) look.bold = true;
    else if (code === 2) look.faint = true;
    else if (code === 3) look.italic = true;
    else if (code === 4) look.underline = true;
    else if (code === 7) look.inverse = true;
    else if (code === 9) look.strike = true;
    else if (code === 22) look = { ...look, bold: false, faint: false };
    else if (code === 23) look.italic = false;
    else if (code === 24) look.underline = false;
    else if (code === 27) look.inverse = false;
    else if (code === 29) look.strike = false;
    else if (code >= 30 && code <= 37) look.color = code - 30;
    else if (code >= 90 && code <= 97) look.color = code - 90 + 8;
    else if (code >= 40 && code <= 47) look.background = code - 40;
    else if (code >= 100 && code <= 107) look.background = code - 100 + 8;
    else if (code === 39) look.color = undefined;
    else if (code === 49) look.background = undefined;
    else if (code === 38 || code === 48) {
      const [color, used] = ansiExtended(codes, at + 1);
      look[code === 38 ? 'color' : 'background'] = color;
      at += used;
    }
  }
  return look;
}

/** A colour of 256 or of 24 bits: a number below 16 for the palette, else CSS. */
function ansiExtended(codes, at) {
  if (codes[at] === 2) return [`rgb(${codes.slice(at + 1, at + 4).map((part) => Math.min(255, part || 0)).join(',')})`, 4];
  if (codes[at] !== 5) return [undefined, 0];
  const index = codes[at + 1];
  if (!(index >= 0 && index < 256)) return [undefined, 2];
  if (index < 16) return [index, 2];
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [`rgb(${grey},${grey},${grey})`, 2];
  }
  const level = (part) => (part === 0 ? 0 : 55 + part * 40);
  const cube = index - 16;
  return [`rgb(${level(Math.floor(cube / 36))},${level(Math.floor(cube / 6) % 6)},${level(cube % 6)})`, 2];
}
