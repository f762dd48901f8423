// The picture of the lesson: one or two polygons, the library's answer about them, and the axis that the reader turns.

import { View } from '../canvas.js';
import { Handle, snapped } from '../handles.js';
import { Polygon, dragByArea } from '../polygon.js';
import { Dial } from './dial.js';
import { draw } from './draw.js';

export class Stage {
  /** The kinds of the polygons that the reader can move: some of the letters a and b. */
  movable = '';

  /** `changed()` is called after each change of the picture, `released()` at the end of each gesture. */
  constructor(container, app, { changed, released }) {
    Object.assign(this, { app, answer: null, outlines: [], draws: {}, sides: new Map() });
    this.view = new View(container, {
      label: '',
      tools: false,
      box: [[-5.3, -5.3], [5.3, 5.3]],
      draw: (context) => this.outlines.length > 0 && draw(context, this),
      content: () => this.bodies.flatMap((body) => body.corners),
    });
    const shared = {
      moves: false,
      released,
      changed: () => {
        this.ask();
        changed();
      },
    };
    this.a = new Polygon(this.view, { name: 'A', kind: 'a', shape: 'square', ...shared });
    this.b = new Polygon(this.view, { name: 'B', kind: 'b', shape: 'square', ...shared });
    for (const body of [this.a, this.b]) this.#mover(body);
    dragByArea(this.view, [this.a, this.b].map((polygon) => ({ polygon, outline: () => (this.#moves(polygon) ? polygon.corners : []) })));
    this.dial = new Dial(this.view, { wasm: app.wasm, changed: shared.changed, released });
    app.onTheme(() => this.view.redraw());
  }

  /** The polygons that are shown. */
  get bodies() {
    return this.isSingle ? [this.a] : [this.a, this.b];
  }

  /**
   * Shows a scene. `moves` names the polygons that the reader can move; `dial` is how the axis starts, see `Dial.start`, or null for no
   * axis; `draws` says what is drawn, see `draw`.
   */
  load({ scene, label, moves = '', dial = null, draws = {} }) {
    this.isSingle = !scene.b;
    this.movable = moves;
    this.draws = draws;
    this.sides.clear();
    this.a.restore(scene.a, scene.pa);
    if (scene.b) this.b.restore(scene.b, scene.pb);
    this.dial.start(dial ?? { mode: null });
    this.view.canvas.setAttribute('aria-label', label);
    this.view.fit();
    this.ask();
    this.start = this.answer;
    this.from = [this.a.x, this.a.y];
  }

  /** Asks the library about what is shown. */
  ask() {
    const { wasm } = this.app;
    const { a, b } = this;
    this.answer = this.isSingle ? null : wasm.explainPair(a.question, b.question, true);
    this.outlines = this.answer ? [this.answer.a, this.answer.b] : [wasm.explainPoint(a.question, a.x, a.y).outline];
    this.dial.follow(this.outlines, this.answer);
    this.view.redraw();
  }

  /** The relation of two rings of the world. */
  relationOf(p, q) {
    const place = { x: 0, y: 0, degrees: 0 };
    return this.app.wasm.explainPair({ ring: p, ...place }, { ring: q, ...place }, true).relation;
  }

  /** The distance of A from its first position. */
  get moved() {
    return Math.hypot(this.a.x - this.from[0], this.a.y - this.from[1]);
  }

  #moves(polygon) {
    return this.movable.includes(polygon.kind);
  }

  /** Makes a handle that moves a polygon but does not turn it. */
  #mover(polygon) {
    new Handle(this.view, {
      label: `Polygon ${polygon.label}: arrow keys move it`,
      kind: `body of-${polygon.kind}`,
      at: () => (this.#moves(polygon) ? [polygon.x, polygon.y] : null),
      move: (position, options) => polygon.moveTo(snapped(position, options)),
      released: () => polygon.released(),
    });
  }
}
