// Images, as they are and as large as one likes.

import { html, useState } from '../vendor/preact.js';
import { bytesText } from '../episode/format.js';

/** `image` is what `imageOf` gave. */
export function Picture({ image, label = 'image' }) {
  const [size, setSize] = useState(null);
  const [isLarge, setLarge] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const facts = [size && `${size.width}×${size.height}`, image.mediaType.replace('image/', ''), bytesText(image.bytes)].filter(Boolean).join(' · ');
  if (isBroken) return html`<span class="picture-broken">This is marked as ${image.mediaType}, but it cannot be shown (${bytesText(image.bytes)}).</span>`;
  return html`<span class="picture${isLarge ? ' picture-large' : ''}">
    <button type="button" class="picture-frame" aria-pressed=${isLarge} aria-label="${label}, ${isLarge ? 'smaller' : 'larger'}" onClick=${(event) => { event.stopPropagation(); setLarge(!isLarge); }}>
      <img src=${image.src} alt=${label} class=${size && size.width <= 64 ? 'picture-tiny' : ''} decoding="async"
        onLoad=${(event) => setSize({ width: event.currentTarget.naturalWidth, height: event.currentTarget.naturalHeight })}
        onError=${() => setBroken(true)} />
    </button>
    <span class="picture-facts">${facts}</span>
  </span>`;
}
