// The picture that the theorem is taught with: a line for each axis beside the figures, and the shadows on it.

import { drawText } from './canvas.js';
import { number } from './controls.js';

/** From the figures to the nearest axis, in CSS pixels, and how far apart axes are. */
const CLEARANCE = 24;
const STEP = 9;
const MOST_STEPS = 28;
const ROOM = 21;
const SAMPLE = 11;
const TAIL = 12;
const BAR = 5;

/** `apart`, `touch` or `meets`: what one axis says, for colours and signs. */
export const toneOf = (axis) => (axis.separates ? 'apart' : axis.overlap === 0 ? 'touch' : 'meets');

/** The sign beside the colour. */
export const signs = { apart: '○', touch: '◐', meets: '●' };

/** `gap 0.50` or `overlap 0.50`. */
export function wordsOf(axis) {
  if (axis.overlap === 0) return 'shadows touch';
  return axis.separates ? `gap ${number(-axis.overlap, 2)}` : `overlap ${number(axis.overlap, 2)}`;
}

/**
 * Places axes beside `figures`, rings in the world: each on the side and as near as there is room, the deciding one first.
 * `memory`, a map, keeps the sides that were chosen, so that axes do not jump while something is dragged.
 */
export function placeAxes(view, { axes, origin, deciding }, figures, memory) {
  const corners = figures.flat().map((point) => view.toScreen(point));
  const zero = view.toScreen(origin);
  const taken = [];
  const order = [deciding, ...[...axes.keys()].filter((index) => index !== deciding)];
  const placed = order.map((index) => {
    const axis = axes[index];
    const along = [axis.normal[0], -axis.normal[1]];
    const side = [-along[1], along[0]];
    const dot = (p, q) => p[0] * q[0] + p[1] * q[1];
    const start = dot(zero, along);
    const bars = [axis.intervalA, axis.intervalB].map((interval) => interval.map((end) => start + end * view.scale));
    const from = Math.min(bars[0][0], bars[1][0]) - TAIL;
    const to = Math.max(bars[0][1], bars[1][1]) + TAIL;
    const key = `${axis.edgesA}/${axis.edgesB}`;
    const first = memory.get(key) ?? (side[1] > 0 ? 1 : -1);
    const reach = { 1: Math.max(...corners.map((p) => dot(p, side))), [-1]: Math.max(...corners.map((p) => -dot(p, side))) };
    let best = null;
    for (let step = 0; step < MOST_STEPS && !best?.fits; step += 1) {
      for (const way of [first, -first]) {
        const offset = way * (reach[way] + CLEARANCE + STEP * step);
        const at = (t) => [along[0] * t + side[0] * offset, along[1] * t + side[1] * offset];
        const samples = [];
        const last = to + (index === deciding ? 60 : 22);
        for (let t = from; t <= last; t += SAMPLE) samples.push(at(t));
        const isFree = samples.every((p) => taken.every((q) => Math.hypot(p[0] - q[0], p[1] - q[1]) > ROOM));
        if (!isFree) continue;
        const isVisible = [at(from), at(to + 16)].every(([x, y]) => x > 8 && y > 8 && x < view.width - 8 && y < view.height - 8);
        if (!best || isVisible) best = { index, axis, along, side, way, at, bars, from, to, key, samples, fits: isVisible };
        if (isVisible) break;
      }
    }
    if (!best) {
      const offset = first * (reach[first] + CLEARANCE);
      const at = (t) => [along[0] * t + side[0] * offset, along[1] * t + side[1] * offset];
      best = { index, axis, along, side, way: first, at, bars, from, to, key, samples: [] };
    }
    memory.set(key, best.way);
    taken.push(...best.samples);
    return best;
  });
  return placed;
}

/** The axes, those that matter least at the bottom. `strong` are the indices that stand out. */
export function drawAxes(context, placed, colours, strong) {
  for (const entry of [...placed].reverse()) drawAxis(context, entry, colours, strong.includes(entry.index));
}

function drawAxis(context, { index, axis, along, at, bars, from, to, side, way }, colours, isStrong) {
  const tone = toneOf(axis);
  const colour = tone === 'apart' ? colours.apart : colours.meets;
  const line = (p, q) => {
    context.beginPath();
    context.moveTo(...p);
    context.lineTo(...q);
    context.stroke();
  };
  const shifted = ([x, y], by) => [x + side[0] * by, y + side[1] * by];
  context.save();
  context.globalAlpha = isStrong ? 1 : 0.62;
  // Green and whole where the shadows are apart, vermillion and broken where they are not.
  context.strokeStyle = colour;
  context.lineWidth = isStrong ? 2.5 : 1.25;
  context.setLineDash(tone === 'apart' ? [] : [6, 4]);
  line(at(from), at(to));
  context.setLineDash([]);
  const [a, b] = bars;
  const [low, high] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
  if (low !== high) {
    context.fillStyle = colour;
    context.globalAlpha *= isStrong ? 0.28 : 0.16;
    const half = isStrong ? 13 : 10;
    const [p, q] = [at(Math.min(low, high)), at(Math.max(low, high))];
    context.beginPath();
    for (const corner of [shifted(p, half), shifted(q, half), shifted(q, -half), shifted(p, -half)]) context.lineTo(...corner);
    context.fill();
    context.globalAlpha = isStrong ? 1 : 0.62;
  }
  context.lineCap = 'round';
  context.lineWidth = isStrong ? 6 : 4;
  for (const [bar, paint, by] of [[a, colours.a, way * -BAR], [b, colours.b, way * BAR]]) {
    context.strokeStyle = paint;
    line(shifted(at(bar[0]), by), shifted(at(bar[1]), by));
  }
  context.restore();
  drawBadge(context, { index, tone, colour, isStrong, tip: at(to), along, axis }, colours);
}

/** The number of the axis, hollow where it separates and full where it does not; of a strong one its words too. */
function drawBadge(context, { index, tone, colour, isStrong, tip, along, axis }, colours) {
  const radius = isStrong ? 10 : 8.5;
  const centre = [tip[0] + along[0] * radius, tip[1] + along[1] * radius];
  context.beginPath();
  context.arc(...centre, radius, 0, 2 * Math.PI);
  context.fillStyle = tone === 'apart' ? colours.card : colour;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = colour;
  context.stroke();
  drawText(context, String(index + 1), centre, { colour: tone === 'apart' ? colour : colours.card, bold: true, size: 11 });
  if (!isStrong) return;
  const text = wordsOf(axis);
  context.font = '600 13px system-ui, sans-serif';
  const half = context.measureText(text).width / 2 + 4;
  const clamp = (x) => Math.min(1, Math.max(-1, x * 1.6));
  const place = [centre[0] + clamp(along[0]) * (half + radius + 3), centre[1] + clamp(along[1]) * (radius + 12)];
  drawText(context, text, place, { colour, paper: colours.card, bold: true });
}

/** Where the shadows of the strong axes come from: rays from the outermost corners of a ring down to the axis. */
export function drawRays(context, view, { at, along, bars }, rings, colours) {
  context.save();
  context.lineWidth = 1;
  context.setLineDash([2, 4]);
  context.globalAlpha = 0.8;
  rings.forEach((ring, i) => {
    context.strokeStyle = i === 0 ? colours.a : colours.b;
    const screen = ring.map((point) => view.toScreen(point));
    const place = (p) => p[0] * along[0] + p[1] * along[1];
    for (const end of bars[i]) {
      const foot = at(end);
      const distance = (p) => Math.hypot(p[0] - foot[0], p[1] - foot[1]);
      const casting = screen.filter((p) => Math.abs(place(p) - end) < 0.75);
      const nearest = casting.reduce((best, p) => (!best || distance(p) < distance(best) ? p : best), null);
      if (!nearest) continue;
      context.beginPath();
      context.moveTo(...nearest);
      context.lineTo(...foot);
      context.stroke();
    }
  });
  context.restore();
}

/** A polygon: its area, its pieces faintly where there are several, its outline. */
export function drawOutline(context, view, { ring, pieces }, colour, { name = '', colours, piece = -1 } = {}) {
  context.save();
  const path = view.path(ring);
  context.fillStyle = colour;
  context.globalAlpha = 0.16;
  context.fill(path);
  if (pieces.length > 1) {
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.setLineDash([3, 4]);
    pieces.forEach((corners, i) => {
      context.globalAlpha = 0.14;
      if (i === piece) context.fill(view.path(corners));
      context.globalAlpha = 0.7;
      context.stroke(view.path(corners));
    });
    context.setLineDash([]);
  }
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 2.25;
  context.lineJoin = 'round';
  context.stroke(path);
  context.restore();
  if (name) {
    const screen = ring.map((point) => view.toScreen(point));
    const top = screen.reduce((best, p) => (p[1] > best[1] ? p : best));
    drawText(context, name, [top[0], top[1] + 13], { colour, paper: colours.card, bold: true, size: 15 });
  }
}

/** What is not a polygon: its corners as they are, broken. */
export function drawBroken(context, view, corners, colour) {
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.setLineDash([5, 5]);
  context.stroke(view.path(corners));
  context.restore();
}
