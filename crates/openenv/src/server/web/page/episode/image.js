// Pictures in observations: how they are told from other text.

const IMAGE_TYPES = ['png', 'jpeg', 'gif', 'webp', 'bmp', 'avif', 'svg+xml'];
const TYPE_NAMES = ['media_type', 'mediaType', 'mime_type', 'mimeType', 'mime', 'content_type', 'contentType', 'format', 'encoding'];
const SHORTEST = 40;
const IMAGE_BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The media type of an image by the name that a field gives it: `image/png`, `PNG`, `.jpg`. */
export function imageType(name) {
  if (typeof name !== 'string') return null;
  const type = name.trim().toLowerCase().split(';')[0].replace(/^image\//, '').replace(/^\./, '');
  const full = { jpg: 'jpeg', svg: 'svg+xml' }[type] ?? type;
  return IMAGE_TYPES.includes(full) ? `image/${full}` : null;
}

function looksLikeBase64(text) {
  const sample = text.slice(0, 256).replace(/\s/g, '');
  return sample.length >= SHORTEST && IMAGE_BASE64.test(text.length > 256 ? sample.replace(/=+$/, '') : sample);
}

/** The media type that the first bytes of a base64 text tell. */
export function imageTypeOfBase64(text) {
  if (typeof text !== 'string' || !looksLikeBase64(text)) return null;
  if (text.startsWith('iVBORw0KGgo')) return 'image/png';
  if (text.startsWith('/9j/') || text.startsWith('_9j_')) return 'image/jpeg';
  if (text.startsWith('R0lGODdh') || text.startsWith('R0lGODlh')) return 'image/gif';
  // "RIFF", four bytes of length, "WEBP".
  if (text.startsWith('UklGR') && imageStart(text).slice(8, 12) === 'WEBP') return 'image/webp';
  return null;
}

function imageStart(text) {
  try {
    return atob(text.slice(0, 24).replace(/-/g, '+').replace(/_/g, '/'));
  } catch {
    return '';
  }
}

function imageFromBase64(text, mediaType) {
  const plain = text.replace(/\s/g, '').replace(/-/g, '+').replace(/_/g, '/');
  const padding = plain.endsWith('==') ? 2 : plain.endsWith('=') ? 1 : 0;
  return { src: `data:${mediaType};base64,${plain}`, mediaType, bytes: Math.floor((plain.length * 3) / 4) - padding };
}

/**
 * The picture that a value is, as `{src, mediaType, bytes}`, or `null`. `parent` is the
 * object it is a field of: what stands beside it may say that it is a picture.
 * Addresses on the network are never taken for pictures: nothing is loaded by itself.
 */
export function imageOf(value, parent) {
  if (typeof value === 'string') return imageOfText(value, parent);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  if (value.type !== 'image') return null;
  if (typeof value.data === 'string') return imageOfText(value.data, value);
  if (typeof value.source?.data === 'string') return imageOfText(value.source.data, value.source);
  return null;
}

function imageOfText(text, parent) {
  if (text.length < 30) return null;
  if (text.startsWith('data:')) {
    const comma = text.indexOf(',');
    const mediaType = comma > 0 && comma < 100 ? imageType(text.slice(5, comma)) : null;
    if (!mediaType) return null;
    const bytes = /;base64$/.test(text.slice(0, comma)) ? Math.floor(((text.length - comma - 1) * 3) / 4) : text.length - comma - 1;
    return { src: text, mediaType, bytes };
  }
  const told = imageTypeOfBase64(text);
  if (told) return imageFromBase64(text, told);
  if (parent === null || typeof parent !== 'object' || !looksLikeBase64(text)) return null;
  for (const name of TYPE_NAMES) {
    const mediaType = imageType(parent[name]);
    if (mediaType) return imageFromBase64(text, mediaType);
  }
  return null;
}
