// Numbers of edges beside the edges that they name, as the table has them.

import { clipped } from './clip.js';
import { drawText } from './canvas.js';

/** Edges count from 1 on the page, as corners do: edge 3 begins at corner 3. */
export const edgeNumber = (index) => String(index + 1);

/** From an edge to the middle of its number, in CSS pixels. */
const AWAY = 12;
/** A number needs so much room. */
const ROOM = 8;
/** From the handle of a polygon down to its name. */
const NAME_BELOW = 24;
/** Shorter edges have no number, unless their axis is marked. */
const LEAST_EDGE = 14;

/**
 * Where the number of each edge is, for corners of a convex polygon on the screen, counter-clockwise in a world with y up. The
 * number lies inside the polygon where it has room there, else outside. `box` is what is seen, `avoid` are places of other words;
 * null for an edge out of view.
 */
export function placeNumbers(corners, box, avoid = []) {
  const edges = corners.map((p, i) => {
    const q = corners[(i + 1) % corners.length];
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
    return { p, q, length, inward: length > 0 ? [(q[1] - p[1]) / length, (p[0] - q[0]) / length] : [0, 0] };
  });
  return edges.map(({ p, q, length, inward }, i) => {
    const seen = length > 0 ? clipped(p, q, box) : null;
    if (!seen) return null;
    const middle = [0, 1].map((k) => (seen[0][k] + seen[1][k]) / 2);
    const inside = middle.map((x, k) => x + inward[k] * AWAY);
    const isFree = avoid.every(([x, y]) => Math.hypot(inside[0] - x, inside[1] - y) >= 2 * ROOM);
    const hasRoom = isFree && edges.every(({ p: [x, y], inward: [nx, ny] }, j) => j === i || (inside[0] - x) * nx + (inside[1] - y) * ny >= ROOM);
    return { at: hasRoom ? inside : middle.map((x, k) => x - inward[k] * AWAY), length };
  });
}

/** Numbers of the edges of a convex polygon. The edges of `marked` stand out. `name` is the place of the polygon's name, in the world. */
export function drawEdgeNumbers(context, view, ring, marked, colour, colours, name = null) {
  const corners = ring.map((point) => view.toScreen(point));
  const [x, y] = name ? view.toScreen(name) : [];
  const avoid = name ? [[x, y], [x, y + NAME_BELOW]] : [];
  placeNumbers(corners, view.frameBox, avoid).forEach((placed, i) => {
    const isMarked = marked.includes(i);
    if (!placed || (placed.length < LEAST_EDGE && !isMarked)) return;
    if (isMarked) {
      const seen = clipped(corners[i], corners[(i + 1) % corners.length], view.frameBox);
      context.strokeStyle = colour;
      context.lineWidth = 5;
      context.lineCap = 'round';
      context.beginPath();
      context.moveTo(...seen[0]);
      context.lineTo(...seen[1]);
      context.stroke();
      context.lineCap = 'butt';
    }
    drawText(context, edgeNumber(i), placed.at, { colour, paper: isMarked ? colours.card : null, bold: isMarked, size: 11 });
  });
}
