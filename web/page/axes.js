// The picture that the theorem is taught with: a line for each axis beside the figures, and the shadows on it.

import { drawText } from './canvas.js';
import { number } from './controls.js';

/** From the figures to the nearest axis, in CSS pixels, and how far apart axes are. */
const CLEARANCE = 24;
const STEP = 9;
const MOST_STEPS = 24;
const ROOM = 20;
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
  const taken = obstacles(view);
  const order = [deciding, ...[...axes.keys()].filter((index) => index !== deciding)];
  return order.map((index) => {
    const axis = axes[index];
    const along = [axis.normal[0], -axis.normal[1]];
    const side = [-along[1], along[0]];
    const start = dot(zero, along);
    const bars = [axis.intervalA, axis.intervalB].map((interval) => interval.map((end) => start + end * view.scale));
    const line = { index, axis, along, side, bars, words: index === deciding ? wordsOf(axis) : '' };
    line.from = Math.min(bars[0][0], bars[1][0]) - TAIL;
    line.to = Math.max(bars[0][1], bars[1][1]) + TAIL;
    const key = `${axis.edgesA}/${axis.edgesB}`;
    const placed = placeAxis(view, line, corners, taken, memory.get(key) ?? (side[1] > 0 ? 1 : -1));
    memory.set(key, placed.way);
    taken.push(...placed.samples);
    return placed;
  });
}

const dot = (p, q) => p[0] * q[0] + p[1] * q[1];

/** Handles that are not on the figures, and the buttons in the corner. */
function obstacles(view) {
  const handles = [...view.handles].map((handle) => handle.options.at()).filter(Boolean).map((at) => view.toScreen(at));
  const tools = [0, 1, 2, 3, 4, 5, 6].flatMap((i) => [[view.width - 48, 14 + 22 * i], [view.width - 20, 14 + 22 * i]]);
  return [...handles, ...tools];
}

/** The nearest place that is free and seen; where there is none, the free one that is seen the most. */
function placeAxis(view, line, corners, taken, first) {
  const { side } = line;
  const reach = (way) => Math.max(...corners.map((p) => way * dot(p, side)));
  const reaches = new Map([[1, reach(1)], [-1, reach(-1)]]);
  let best = null;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    for (const [way, tip] of [[first, 1], [first, -1], [-first, 1], [-first, -1]]) {
      const here = lineAt(view, line, way, way * (reaches.get(way) + CLEARANCE + STEP * step), tip);
      if (here.samples.some((p) => taken.some((q) => Math.hypot(p[0] - q[0], p[1] - q[1]) < ROOM))) continue;
      const hidden = here.samples.filter(([x, y]) => x < 10 || y < 10 || x > view.width - 10 || y > view.height - 10).length;
      if (hidden === 0) return here;
      if (!best || hidden < best.hidden) best = { ...here, hidden };
    }
  }
  return best ?? { ...lineAt(view, line, first, first * (reaches.get(first) + CLEARANCE), 1), samples: [] };
}

/** A line at an offset, with where its badge and its words are, at the one tip (1) or the other (-1), and points all over it. */
function lineAt(view, line, way, offset, tip) {
  const { along, side, from, to, words } = line;
  const at = (t) => [along[0] * t + side[0] * offset, along[1] * t + side[1] * offset];
  const radius = words ? 10 : 8.5;
  const badge = at(tip > 0 ? to + radius : from - radius);
  const samples = [badge];
  for (let t = from; t <= to; t += SAMPLE) samples.push(at(t));
  const half = words.length * 4 + 5;
  const clamp = (x) => Math.min(1, Math.max(-1, tip * x * 1.6));
  const label = [badge[0] + clamp(along[0]) * (half + radius + 3), badge[1] + clamp(along[1]) * (radius + 12)];
  const inside = Math.min(view.width - half - 4, Math.max(half + 4, label[0]));
  // Where there is no room beside the badge, the words are beyond it.
  if (inside !== label[0] && Math.abs(along[0]) > 0.4) label[1] = badge[1] + Math.sign(side[1] * way || 1) * (radius + 13);
  label[0] = inside;
  if (words) samples.push(label, [label[0] - half * 0.75, label[1]], [label[0] + half * 0.75, label[1]]);
  return { ...line, way, at, radius, badge, label, samples };
}

/** The axes, those that matter least at the bottom. `strong` are the indices that stand out. */
export function drawAxes(context, placed, colours, strong) {
  for (const entry of [...placed].reverse()) drawAxis(context, entry, colours, strong.includes(entry.index));
}

function drawAxis(context, entry, colours, isStrong) {
  const { axis, at, bars, from, to, side, way } = entry;
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
    context.strokeStyle = context.fillStyle = paint;
    if (bar[1] > bar[0]) {
      line(shifted(at(bar[0]), by), shifted(at(bar[1]), by));
    } else {
      // The shadow of a point.
      context.beginPath();
      context.arc(...at(bar[0]), isStrong ? 6 : 4.5, 0, 2 * Math.PI);
      context.fill();
    }
  }
  context.restore();
  drawBadge(context, entry, tone, colour, isStrong, colours);
}

/** The number of the axis, hollow where it separates and full where it does not; beside the deciding one its words. */
function drawBadge(context, { index, badge, radius, label, words }, tone, colour, isStrong, colours) {
  context.beginPath();
  context.arc(...badge, isStrong ? 10 : radius, 0, 2 * Math.PI);
  context.fillStyle = tone === 'apart' ? colours.card : colour;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = colour;
  context.stroke();
  drawText(context, String(index + 1), badge, { colour: tone === 'apart' ? colour : colours.card, bold: true, size: 11 });
  if (words) drawText(context, words, label, { colour, paper: colours.card, bold: true });
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
export function drawOutline(context, view, { ring, pieces }, colour, { name = '', at = null, colours, piece = -1 } = {}) {
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
  if (name) drawText(context, name, [view.toScreen(at)[0], view.toScreen(at)[1] + 24], { colour, bold: true, size: 15 });
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
