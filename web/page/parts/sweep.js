// The part "Fast bodies": a test once per time step can miss a collision that the time of impact finds.

import { View, drawArrow, drawGrid, drawText } from '../canvas.js';
import { button, choice, element, number, slider } from '../controls.js';
import { Placed, after } from '../flight.js';
import { adviceOf } from '../messages.js';
import { dragByArea } from '../polygon.js';
import { copyLink } from '../share.js';
import { decodeNumbers, encodeNumbers } from '../shapes.js';
import { Facts, Verdict, legend } from '../table.js';
import { normalOfImpact } from '../terms.js';

const bodies = {
  dart: { title: 'Dart', ring: [[-0.625, -0.375], [0.625, 0], [-0.625, 0.375]] },
  square: { title: 'Square', ring: [[-0.375, -0.375], [0.375, -0.375], [0.375, 0.375], [-0.375, 0.375]] },
  hexagon: { title: 'Hexagon', ring: [[0.5, 0], [0.25, 0.5], [-0.25, 0.5], [-0.5, 0], [-0.25, -0.5], [0.25, -0.5]] },
};
const START = [-7.5, 0.75];
const WAY = 15;
/** The flight falls by this fraction of its way, so that it is not parallel to the x axis. */
const SLOPE = -0.1;
const WALL = [2, 0];
const HALF_WALL = 2.5;
/** Seconds that the animation of one flight takes. */
const SHOWN = 4;

/** Sentences that say why there is no impact, by the library's outcome. */
const noImpact = {
  apart: 'Over the whole flight they stay apart.',
  'overlapping at the start': 'The body starts within the wall: drag it away.',
  unknown: 'The search for the time of impact ended before it was found: move the body or the wall a little.',
};

/** The greatest spin of the sliders, in turns per second. */
const MOST_SPIN = 5;
const turns = (value) => (value === 0 ? 'none' : `${number(value, 2)} turns a second`);
const seconds = (t) => `${number(t, 3)}\u00a0s`;

class SweepPart {
  constructor(section, app) {
    Object.assign(this, { section, app, step: 0.1, speed: 40, thickness: 0.25, spin: 0, wallSpin: 0, body: 'dart', answer: null });
    this.playing = !app.reducedMotion;
    /** The part of the flight that the animation has shown, from 0 to 1. */
    this.shown = 1;
    this.#build();
    app.onTheme(() => this.view.redraw());
    this.#ask();
  }

  #build() {
    const { section } = this;
    const lead = element('p', { class: 'lead' },
      'A test of where bodies are, once a time step, does not see what happens in between: a body that moves farther than its length goes through walls. '
      + 'The time of impact follows the body all the way. The library also gives the point of impact and ', ...normalOfImpact(), '. Drag the body or the wall, or give either a spin.');
    const left = element('div', { class: 'stack' });
    const right = element('div', { class: 'stack' });
    section.append(element('div', { class: 'workbench' }, left, right));
    left.append(lead);
    this.view = new View(left, {
      label: 'A fast body, where it is at each time step, a thin wall, and where they first touch',
      box: [[-8.6, -3.3], [8.6, 3.3]],
      draw: (context) => this.#draw(context),
      content: () => (this.answer ? [...this.answer.swept.flat(), ...this.answer.wall] : []),
    });
    const changed = () => this.#ask();
    const reach = () => Math.max(...bodies[this.body].ring.map(([x, y]) => Math.hypot(x, y)));
    this.start = new Placed(this.view, { name: 'body', kind: 'of-a', x: START[0], y: START[1], reach, changed });
    this.wall = new Placed(this.view, { name: 'wall', kind: 'of-b', x: WALL[0], y: WALL[1], reach: () => HALF_WALL, changed });
    dragByArea(this.view, [
      { polygon: this.start, outline: () => this.answer?.body ?? [] },
      { polygon: this.wall, outline: () => this.answer?.wall ?? [] },
    ]);
    this.view.frame.classList.add('low');
    left.append(legend([
      ['<path d="M4 2l12 4-12 4z" fill="none" stroke="var(--apart)" stroke-width="2"/>', 'looked at: disjoint from the wall'],
      ['<path d="M4 2l12 4-12 4z" fill="var(--meets)" stroke="var(--meets)" stroke-width="2"/>', 'looked at: meets the wall'],
      ['<path d="M4 2l12 4-12 4z" fill="var(--a)" fill-opacity=".5" stroke="var(--a)" stroke-width="2"/>', 'where it first touches'],
      ['<path d="M2 2h30v8H2z" fill="var(--a)" fill-opacity=".14" stroke="var(--a)" stroke-dasharray="3 2"/>', 'all that it passes over'],
    ]));
    this.verdict = new Verdict(right);
    this.impact = new Verdict(right);
    this.sliders = {
      step: slider('Time step', { min: 0.01, max: 0.25, step: 0.005, value: this.step, show: seconds }, (value) => this.#set({ step: value })),
      speed: slider('Speed', { min: 5, max: 100, step: 1, value: this.speed, show: (v) => `${v} units a second` }, (value) => this.#set({ speed: value })),
      thickness: slider('Thickness of the wall', { min: 0.05, max: 2, step: 0.05, value: this.thickness, show: (v) => `${number(v, 2)} units` }, (value) => this.#set({ thickness: value })),
    };
    const spin = (label, name) => slider(label, { min: -MOST_SPIN, max: MOST_SPIN, step: 0.25, value: 0, show: turns }, (value) => this.#set({ [name]: value }));
    this.spins = { spin: spin('Spin of the body', 'spin'), wallSpin: spin('Spin of the wall', 'wallSpin') };
    this.choice = choice('Body', Object.entries(bodies).map(([name, { title }]) => [name, title]), this.body, (value) => this.#set({ body: value }));
    this.play = button('', () => this.#toggle(), { kind: 'primary' });
    left.append(element('div', { class: 'row' }, this.play, button('Reset', () => this.#reset()), ...copyLink(this.app)));
    left.append(element('p', { class: 'note' }, 'In slow motion: the outlined body is the one that is looked at, the filled one stops at the time of impact. '
      + 'Positions snap to eighths of a unit; with Alt they are free. Keys on a handle: arrows move, Q and E turn.'));
    left.append(element('div', { class: 'card columns' }, ...[this.sliders, this.spins].flatMap(Object.values).map(({ row }) => row), this.choice.row));
    this.facts = new Facts(right, 'Numbers');
    this.#label();
    this.initial = new URLSearchParams(this.state());
  }

  #set(change) {
    Object.assign(this, change);
    this.#ask();
  }

  get duration() {
    return WAY / this.speed;
  }

  get #motion() {
    return { centre: [this.start.x, this.start.y], velocity: [this.speed, this.speed * SLOPE], spin: this.spin };
  }

  get #wallMotion() {
    return { centre: [this.wall.x, this.wall.y], velocity: [0, 0], spin: this.wallSpin };
  }

  #ask() {
    const { wasm } = this.app;
    const half = this.thickness / 2;
    this.app.saveState();
    try {
      this.answer = wasm.followFlight({
        body: { ring: bodies[this.body].ring, x: this.start.x, y: this.start.y, degrees: this.start.degrees },
        velocity: this.#motion.velocity,
        spin: 360 * this.spin,
        wallSpin: 360 * this.wallSpin,
        wall: { ring: [[-half, -HALF_WALL], [half, -HALF_WALL], [half, HALF_WALL], [-half, HALF_WALL]], x: this.wall.x, y: this.wall.y, degrees: this.wall.degrees },
        step: this.step,
        duration: this.duration,
      });
      this.#tell();
    } catch (error) {
      this.answer = null;
      delete this.section.dataset.missed;
      delete this.section.dataset.impact;
      this.verdict.say({ tone: 'none', sign: '!', word: 'No flight', why: adviceOf(error, 'the flight') });
    }
    this.view.redraw();
  }

  #tell() {
    const { answer, section } = this;
    const { samples, missed, outcome, time } = answer;
    section.dataset.missed = String(missed);
    section.dataset.impact = outcome === 'hit' ? String(time) : 'none';
    const looks = `${samples.length} looks, one every ${seconds(this.step)}`;
    const way = `${number(this.speed * this.step, 2)} units apart`;
    if (missed) {
      const before = samples.findLastIndex((sample) => sample.time <= time);
      const after = samples[before + 1];
      const when = after ? `between ${seconds(samples[before].time)} and ${seconds(after.time)}` : `after ${seconds(samples[before].time)}`;
      this.verdict.say({ tone: 'meets', sign: '✗', word: 'Missed', why: `${looks}, ${way}: at none of them do body and wall meet. The body went through ${when}.` });
    } else if (answer.firstSeen !== undefined && answer.firstSeen !== null) {
      const seen = samples[answer.firstSeen];
      this.verdict.say({ tone: 'apart', sign: '✓', word: 'Seen, by luck or by small steps', why: `${looks}, ${way}: look ${answer.firstSeen + 1}, at ${seconds(seen.time)}, finds them ${seen.relation}.` });
    } else {
      this.verdict.say({ tone: 'none', sign: '–', word: 'Nothing to see', why: `${looks}, ${way}.` });
    }
    this.impact.say(outcome === 'hit'
      ? { tone: 'apart', sign: '✓', word: `Time of impact: ${seconds(time)}`, why: 'Whatever the time step: the first moment at which the two touch, from one question.' }
      : { tone: 'none', sign: '–', word: 'No impact', why: noImpact[outcome] });
    this.facts.fill([
      ['Flight', `${seconds(this.duration)}, ${number(WAY, 0)}\u00a0units`],
      ['Looks', String(samples.length)],
      ['Way between looks', `${number(this.speed * this.step, 2)} units`],
      ...(answer.point ? [['Point of impact', `(${number(answer.point[0])}, ${number(answer.point[1])})`]] : []),
      ...(answer.normal ? [['Normal', `(${number(answer.normal[0])}, ${number(answer.normal[1])})`]] : []),
    ]);
    this.app.announce(`${this.verdict.word.textContent}. ${this.impact.word.textContent}.`);
  }

  #draw(context) {
    const { view, app, answer } = this;
    const colours = app.colours();
    drawGrid(context, view, colours);
    if (!answer) return;
    const now = this.shown * this.duration;
    this.#drawSwept(context, colours);
    const wall = this.#drawWall(context, colours, now);
    const foot = view.toScreen(wall.reduce((least, p) => (p[1] < least[1] ? p : least)));
    drawText(context, 'wall', [foot[0], foot[1] + 12], { colour: colours.b, paper: colours.card, bold: true });
    this.#drawSamples(context, colours, now);
    this.#drawImpact(context, colours, now);
  }

  /** Draws the wall as it is now, stopped at the time of impact; and, if it turns, faintly as it is at each look. Returns its ring. */
  #drawWall(context, colours, now) {
    const { view, answer } = this;
    const isHit = answer.outcome === 'hit' && now >= answer.time;
    const ring = isHit ? answer.wallThen : after(answer.wall, this.#wallMotion, now);
    context.save();
    context.fillStyle = context.strokeStyle = colours.b;
    if (this.wallSpin !== 0) {
      context.globalAlpha = 0.3;
      for (const { time } of answer.samples) context.stroke(view.outline(after(answer.wall, this.#wallMotion, time)));
    }
    const wall = view.path(ring);
    context.globalAlpha = 0.35;
    context.fill(wall);
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.stroke(wall);
    context.restore();
    return ring;
  }

  #drawSwept(context, colours) {
    const { view, answer } = this;
    // All pieces form one path, so that the colour is not stronger where pieces overlap.
    const all = (pieces) => pieces.reduce((path, piece) => (path.addPath(view.path(piece)), path), new Path2D());
    context.save();
    context.fillStyle = context.strokeStyle = colours.a;
    context.globalAlpha = 0.07;
    context.fill(all(answer.swept));
    context.globalAlpha = 0.1;
    context.fill(all(answer.sweptUntil));
    context.globalAlpha = 0.6;
    context.setLineDash([5, 5]);
    context.lineWidth = 1.25;
    if (answer.swept.length === 1) context.stroke(view.outline(answer.swept[0]));
    context.restore();
  }

  #drawSamples(context, colours, now) {
    const { view, answer } = this;
    const gap = this.speed * this.step * view.scale;
    answer.samples.forEach(({ time, way, relation }, i) => {
      const meets = relation !== 'disjoint';
      const path = view.path(after(answer.body, this.#motion, time));
      context.save();
      // Later samples are faint.
      context.globalAlpha = time <= now + 1e-9 ? 1 : 0.25;
      context.strokeStyle = context.fillStyle = meets ? colours.meets : colours.apart;
      context.lineWidth = 2;
      if (meets) context.fill(path);
      context.stroke(path);
      context.restore();
      if (gap > 52 || i % Math.ceil(52 / gap) === 0) {
        const [x, y] = view.toScreen([this.start.x + way[0], this.start.y + way[1]]);
        drawText(context, seconds(time), [x, y - 0.72 * view.scale - 8], { colour: colours.quiet, paper: colours.card, size: 12 });
      }
    });
    // The body at the current time, between two samples.
    if (this.shown < 1) {
      context.strokeStyle = colours.quiet;
      context.lineWidth = 1.5;
      context.setLineDash([3, 3]);
      context.stroke(view.outline(after(answer.body, this.#motion, now)));
      context.setLineDash([]);
    }
  }

  #drawImpact(context, colours, now) {
    const { view, answer } = this;
    const has = answer.outcome === 'hit' && now >= answer.time;
    if (!has && this.shown >= 1) return;
    const ring = has ? answer.bodyThen : after(answer.body, this.#motion, Math.min(now, answer.time));
    const path = view.path(ring);
    context.save();
    context.fillStyle = context.strokeStyle = colours.a;
    context.globalAlpha = 0.5;
    context.fill(path);
    context.globalAlpha = 1;
    context.lineWidth = 2.5;
    context.stroke(path);
    context.restore();
    if (!has || !answer.point) return;
    const [x, y] = view.toScreen(answer.point);
    drawArrow(context, [x, y], [x + answer.normal[0] * 34, y - answer.normal[1] * 34], { colour: colours.ink, width: 2, head: 8 });
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.fillStyle = colours.mark;
    context.fill();
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.75;
    context.stroke();
    const below = view.toScreen([answer.point[0], answer.point[1] - 1.6]);
    drawText(context, `touches at ${seconds(answer.time)}`, [x - 12, below[1]], { colour: colours.a, paper: colours.card, bold: true, align: 'right' });
  }

  #label() {
    this.play.textContent = this.playing ? 'Pause' : 'Play';
    this.section.dataset.playing = String(this.playing);
  }

  #toggle() {
    this.playing = !this.playing;
    if (this.playing) this.#run();
    else cancelAnimationFrame(this.frame);
    this.#label();
    this.view.redraw();
  }

  /** Sets everything back to what a first visit shows. */
  #reset() {
    this.restore(this.initial);
    this.view.fit();
  }

  #run() {
    cancelAnimationFrame(this.frame);
    let last = null;
    if (this.shown >= 1) this.shown = 0;
    const tick = (time) => {
      if (!this.playing) return;
      // Beyond 1, the animation pauses, so that the reader sees the whole picture.
      this.progress = last === null ? this.shown : this.progress + (time - last) / 1000 / SHOWN;
      last = time;
      if (this.progress > 1.6) this.progress = 0;
      this.shown = Math.min(1, this.progress);
      this.view.redraw();
      this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  show() {
    if (this.playing) this.#run();
    this.view.redraw();
  }

  hide() {
    cancelAnimationFrame(this.frame);
  }

  state() {
    const state = { body: this.body, flight: encodeNumbers([this.step, this.speed, this.thickness]) };
    const hasMoved = ({ place }, first) => place.some((x, i) => x !== first[i]);
    if (this.spin !== 0 || this.wallSpin !== 0) state.spin = encodeNumbers([this.spin, this.wallSpin]);
    if (hasMoved(this.start, [...START, 0])) state.from = encodeNumbers(this.start.place);
    if (hasMoved(this.wall, [...WALL, 0])) state.wall = encodeNumbers(this.wall.place);
    return state;
  }

  restore(params) {
    const numbers = decodeNumbers(params.get('flight'), 3);
    const body = params.get('body');
    if (body && Object.hasOwn(bodies, body)) this.body = body;
    this.start.place = decodeNumbers(params.get('from'), 3) ?? [...START, 0];
    this.wall.place = decodeNumbers(params.get('wall'), 3) ?? [...WALL, 0];
    const take = (sliders, values) => Object.entries(sliders).forEach(([name, { set, input }], i) => {
      set(values[i]);
      // The slider keeps the value within its limits.
      this[name] = Number(input.value);
    });
    if (numbers) take(this.sliders, numbers);
    take(this.spins, decodeNumbers(params.get('spin'), 2) ?? [0, 0]);
    this.choice.input.value = this.body;
    this.#ask();
  }
}

export default {
  id: 'sweep',
  title: 'Fast bodies',
  mount: (section, app) => new SweepPart(section, app),
};
