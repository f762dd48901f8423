// Draws the numbers of edges beside the edges. The table of axes uses the same numbers.

import { clipped } from './clip.js';
import { drawText } from './canvas.js';

/** The page numbers edges and corners from 1: edge 3 begins at corner 3. */
export const edgeNumber = (index) => String(index + 1);

/** Distance from an edge to the middle of its number, in CSS pixels, as below. */
const AWAY = 12;
/** Half the room that a number needs: its middle is at least this far from other edges, and twice as far from other words. */
const ROOM = 8;
/** Distance from the handle of a polygon down to its name. */
const NAME_BELOW = 24;
/** Edges shorter than this get no number, unless they are marked. */
const LEAST_EDGE = 14;

/**
 * Finds a place for the number of each edge: `{ at, length }`, with the length of the whole edge, or null if the edge is out of view.
 *
 * `corners` are those of a convex polygon on the screen, counter-clockwise in the world, where y points up. The number lies inside the
 * polygon if there is room, else outside. `box` is the visible area; `avoid` are the middles of other words.
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

/** Draws the numbers of a convex polygon's edges, those of `marked` stronger. `name` is where the polygon's handle lies in the world. */
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
