// An axis that the reader turns around the polygons, with the projections on it.

import { drawRays, toneOf } from '../axes.js';
import { drawArrow, drawText } from '../canvas.js';
import { number } from '../controls.js';
import { Handle } from '../handles.js';
import { wordsOfAxis } from './words.js';

/** Distance from the origin to the axis, and half the length of the axis, in units of the world. */
const RADIUS = 3.5;
const HALF = 3.6;
/** Distance between the axis and a projection drawn along it, in CSS pixels. */
const BAR = 5;

const wrapped = (degrees, full = 360) => ((degrees % full) + full) % full;
const radians = (degrees) => (degrees * Math.PI) / 180;
const dot = (p, q) => p[0] * q[0] + p[1] * q[1];
/** The angle between two directions, all in degrees. */
const between = (p, q) => Math.abs(wrapped(p - q + 180) - 180);

function project(ring, along) {
  const places = ring.map((corner) => dot(corner, along));
  return [Math.min(...places), Math.max(...places)];
}

/** An interval as a rectangle. The library then compares two intervals, and the page decides nothing itself. */
const slab = ([from, to]) => ({ ring: [[from, -1], [to, -1], [to, 1], [from, 1]], x: 0, y: 0, degrees: 0 });

export class Dial {
  #stops = [];

  /** `changed()` is called after each turn, `released()` at the end of each gesture. */
  constructor(view, { wasm, changed, released }) {
    Object.assign(this, { view, wasm, changed, degrees: 0, mode: null, bars: [], row: null, rowIndex: -1 });
    this.handle = new Handle(view, {
      label: 'The axis: arrow keys turn it',
      kind: 'turn axis-handle',
      at: () => (this.mode ? this.#place(HALF, RADIUS) : null),
      move: (position) => this.#turnTo(Math.atan2(position[1], position[0])),
      released,
    });
    const { element } = this.handle;
    element.setAttribute('role', 'slider');
    element.setAttribute('aria-valuemin', '0');
    element.setAttribute('aria-valuemax', '360');
    // This listener runs in the capture phase, before the handle's own listener, which would move the handle along x or y for an
    // arrow key.
    element.addEventListener('keydown', (event) => this.#key(event, released), { capture: true });
  }

  /** Shows the axis at `degrees`. `mode` is "any" (any direction) or "normals" (normals of edges only); null hides the axis. */
  start({ mode, degrees = 0 }) {
    Object.assign(this, { mode, degrees });
  }

  /** Projects the outlines on the axis. `answer` is the library's answer about both polygons, or null if there is only one. */
  follow(outlines, answer) {
    if (!this.mode) return;
    if (this.mode === 'normals') this.#toNormal(answer.axes);
    const along = [Math.cos(radians(this.degrees)), Math.sin(radians(this.degrees))];
    this.along = along;
    this.bars = outlines.map(({ ring }) => project(ring, along));
    if (this.mode === 'normals') this.row = answer.axes[this.rowIndex];
    else this.row = this.bars.length > 1 ? this.#ask() : null;
    const words = this.row ? wordsOfAxis(this.row) : { word: `length ${number(this.length, 2)}`, why: '' };
    this.handle.element.setAttribute('aria-valuenow', String(Math.round(this.degrees)));
    this.handle.element.setAttribute('aria-valuetext', `${Math.round(this.degrees)} degrees. ${words.word}. ${words.why}`.trim());
  }

  /** The length of the first projection. */
  get length() {
    return this.bars[0][1] - this.bars[0][0];
  }

  #ask() {
    const { axes } = this.wasm.explainPair(...this.bars.map(slab), true);
    return axes.find(({ normal }) => Math.abs(normal[0]) > 0.5);
  }

  /** The point of the world `t` along the axis from its middle, at the distance `out` from the origin on the side of the axis. */
  #place(t, out) {
    const [cos, sin] = [Math.cos(radians(this.degrees)), Math.sin(radians(this.degrees))];
    return [cos * t + sin * out, sin * t - cos * out];
  }

  /** Collects both directions of each normal as stops, and turns the axis to the nearest. */
  #toNormal(axes) {
    this.#stops = axes
      .flatMap(({ normal }, index) => [0, 180].map((half) => ({ index, degrees: wrapped((Math.atan2(normal[1], normal[0]) * 180) / Math.PI + half) })))
      .sort((p, q) => p.degrees - q.degrees);
    const nearest = this.#stops.reduce((best, stop) => (between(stop.degrees, this.degrees) < between(best.degrees, this.degrees) ? stop : best));
    this.degrees = nearest.degrees;
    this.rowIndex = nearest.index;
  }

  #turnTo(angle) {
    const degrees = wrapped(Math.round(((angle + Math.atan2(RADIUS, HALF)) * 180) / Math.PI));
    if (degrees === this.degrees) return;
    this.degrees = degrees;
    this.changed();
  }

  #key(event, released) {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!way || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (this.mode === 'normals') {
      const stops = this.#stops;
      const at = stops.findIndex(({ degrees }) => degrees === this.degrees);
      this.degrees = stops[(at + way + stops.length) % stops.length].degrees;
    } else {
      this.degrees = wrapped(this.degrees + way * (event.shiftKey ? 15 : event.altKey ? 1 : 5));
    }
    this.changed();
    released();
  }

  /** Draws the axis. `light` adds arrows for the light that casts the shadows; `isPlain` leaves out whether the axis separates. */
  draw(context, outlines, colours, { light = false, isPlain = false } = {}) {
    const { view } = this;
    const along = [this.along[0], -this.along[1]];
    const side = [-along[1], along[0]];
    const zero = view.toScreen([0, 0]);
    const offset = dot(zero, side) + RADIUS * view.scale;
    const at = (t) => [along[0] * t + side[0] * offset, along[1] * t + side[1] * offset];
    const shifted = ([x, y], by) => [x + side[0] * by, y + side[1] * by];
    const start = dot(zero, along);
    const bars = this.bars.map((bar) => bar.map((end) => start + end * view.scale));
    const tone = this.row && !isPlain ? toneOf(this.row) : 'none';
    const colour = { apart: colours.apart, meets: colours.meets, touch: colours.meets, none: colours.quiet }[tone];
    if (tone === 'apart') this.#drawSeparatingLine(context, colours);
    if (light) {
      for (const t of [-1.5, 0, 1.5]) drawArrow(context, view.toScreen(this.#place(t, -4)), view.toScreen(this.#place(t, -2.9)), { colour: colours.quiet, width: 2, head: 8 });
    }
    drawRays(context, view, { at, along, ends: bars }, outlines.map(({ ring }) => ring), colours);
    context.save();
    const line = (p, q) => {
      context.beginPath();
      context.moveTo(...p);
      context.lineTo(...q);
      context.stroke();
    };
    context.strokeStyle = colour;
    context.lineWidth = 2.5;
    context.setLineDash(tone === 'apart' || tone === 'none' ? [] : [6, 4]);
    line(at(start - HALF * view.scale), at(start + HALF * view.scale));
    context.setLineDash([]);
    if (tone !== 'none') this.#drawBand(context, bars, at, shifted, colour);
    context.lineCap = 'round';
    context.lineWidth = 6;
    bars.forEach((bar, i) => {
      context.strokeStyle = i === 0 ? colours.a : colours.b;
      const by = bars.length > 1 ? (i === 0 ? -BAR : BAR) : 0;
      line(shifted(at(bar[0]), by), shifted(at(bar[1]), by));
    });
    context.restore();
    if (isPlain) return;
    const middle = (Math.min(...bars.flat()) + Math.max(...bars.flat())) / 2;
    const text = this.row ? this.#short(tone) : number(this.length, 2);
    // The distance at which the text is clear of the bars, for any direction of the axis.
    const clear = 16 + Math.abs(side[0]) * (text.length * 4 + 4) + Math.abs(side[1]) * 10;
    drawText(context, text, shifted(at(middle), clear), { colour, paper: colours.card, bold: true });
  }

  #short(tone) {
    if (tone === 'touch') return 'one point';
    return tone === 'apart' ? `gap ${number(-this.row.overlap, 2)}` : `overlap ${number(this.row.overlap, 2)}`;
  }

  /** Fills the gap between the projections, or their overlap. */
  #drawBand(context, bars, at, shifted, colour) {
    const [low, high] = [Math.max(bars[0][0], bars[1][0]), Math.min(bars[0][1], bars[1][1])];
    context.save();
    context.globalAlpha = 0.28;
    context.fillStyle = colour;
    context.beginPath();
    for (const [t, by] of [[low, 13], [high, 13], [high, -13], [low, -13]]) context.lineTo(...shifted(at(t), by));
    context.fill();
    context.restore();
  }

  /** Draws the line that fits between the polygons, perpendicular to the axis. */
  #drawSeparatingLine(context, colours) {
    const [[a, b], [c, d]] = this.bars;
    const middle = (Math.max(a, c) + Math.min(b, d)) / 2;
    const [p, q] = [-RADIUS, RADIUS].map((out) => this.view.toScreen(this.#place(middle, out)));
    context.save();
    context.strokeStyle = colours.apart;
    context.lineWidth = 2;
    context.setLineDash([10, 5]);
    context.beginPath();
    context.moveTo(...p);
    context.lineTo(...q);
    context.stroke();
    context.restore();
  }
}
