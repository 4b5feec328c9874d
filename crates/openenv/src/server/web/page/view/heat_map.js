// Lists of numbers as pictures.

import { html, useEffect, useMemo, useRef, useState } from '../vendor/preact.js';
import { numberText } from '../episode/format.js';

const LARGEST_SIDE = 320;
const MAX_CELLS = 4_000_000;

/** How a shape is laid out: rows and columns, and colours per cell where it is a picture. */
function heatLayout(value, shape) {
  if (shape.length === 1) return { rows: 1, columns: shape[0], channels: 1, at: (row, column) => value[column] };
  if (shape.length === 2) return { rows: shape[0], columns: shape[1], channels: 1, at: (row, column) => value[row][column] };
  if (shape.length === 3 && (shape[2] === 3 || shape[2] === 4)) {
    return { rows: shape[0], columns: shape[1], channels: shape[2], at: (row, column) => value[row][column] };
  }
  if (shape.length === 3 && shape[2] === 1) {
    return { rows: shape[0], columns: shape[1], channels: 1, at: (row, column) => value[row][column][0] };
  }
  return null;
}

export function hasHeatMap(shape) {
  if (!shape) return false;
  const cells = shape.reduce((product, size) => product * size, 1);
  return cells >= 16 && cells <= MAX_CELLS && (shape.length < 3 || (shape.length === 3 && [1, 3, 4].includes(shape[2])));
}

/** Three or four numbers per cell are a colour. */
export function heatMapName(shape) {
  return shape.length === 3 && shape[2] > 1 ? 'Picture' : 'Heat map';
}

/** From dark blue over green to yellow: steps of equal size look equal, also without colour vision. */
const HEAT_COLOURS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

function heatColour(part) {
  const place = Math.max(0, Math.min(1, part)) * (HEAT_COLOURS.length - 1);
  const at = Math.min(HEAT_COLOURS.length - 2, Math.floor(place));
  return HEAT_COLOURS[at].map((from, channel) => Math.round(from + (HEAT_COLOURS[at + 1][channel] - from) * (place - at)));
}

export function HeatMap({ value, shape }) {
  const canvas = useRef(null);
  const [cell, setCell] = useState(null);
  const layout = useMemo(() => heatLayout(value, shape), [value]);
  const range = useMemo(() => {
    let [low, high] = [Infinity, -Infinity];
    for (const number of value.flat(Infinity)) {
      if (number < low) low = Number(number);
      if (number > high) high = Number(number);
    }
    return { low, high };
  }, [value]);
  useEffect(() => {
    const { rows, columns, channels, at } = layout;
    const context = canvas.current.getContext('2d');
    const pixels = context.createImageData(columns, rows);
    const unit = range.high <= 1 ? 255 : 1;
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        const item = at(row, column);
        const [red, green, blue, alpha] = channels === 1
          ? [...heatColour(range.high === range.low ? 0.5 : (item - range.low) / (range.high - range.low)), 255]
          : [item[0] * unit, item[1] * unit, item[2] * unit, channels === 4 ? item[3] * unit : 255];
        pixels.data.set([red, green, blue, alpha], (row * columns + column) * 4);
      }
    }
    context.putImageData(pixels, 0, 0);
  }, [value]);
  const zoom = Math.max(1, Math.min(24, LARGEST_SIDE / Math.max(layout.rows, layout.columns)));
  const height = layout.rows === 1 ? 24 : layout.rows * zoom;
  const onPointerMove = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const row = Math.min(layout.rows - 1, Math.floor(((event.clientY - box.top) / box.height) * layout.rows));
    const column = Math.min(layout.columns - 1, Math.floor(((event.clientX - box.left) / box.width) * layout.columns));
    setCell(row >= 0 && column >= 0 ? { row, column } : null);
  };
  const words = layout.channels > 1 ? `picture of ${layout.columns} by ${layout.rows}` : `heat map of ${shape.join(' by ')} numbers, from ${numberText(range.low)} to ${numberText(range.high)}`;
  const place = cell && (layout.rows === 1 ? `[${cell.column}]` : `[${cell.row}][${cell.column}]`);
  return html`<div class="heat">
    <canvas ref=${canvas} class="heat-canvas" width=${layout.columns} height=${layout.rows} role="img" aria-label=${words}
      style=${{ width: `${layout.columns * zoom}px`, height: `${height}px` }} onPointerMove=${onPointerMove} onPointerLeave=${() => setCell(null)}></canvas>
    <div class="heat-legend">
      ${layout.channels === 1 ? html`<span>${numberText(range.low)}</span><span class="heat-scale" aria-hidden="true"></span><span>${numberText(range.high)}</span>` : null}
      <span class="heat-cell">${cell ? `${place} = ${JSON.stringify(layout.at(cell.row, cell.column))}` : ''}</span>
    </div>
  </div>`;
}
