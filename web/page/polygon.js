// A polygon that the reader drags, turns and edits: its state, its handles, and its text in the address.

import { button, choice, element, toggle } from './controls.js';
import { FINE_GRID, Handle, drag, snapped } from './handles.js';
import { copy, decodeNumbers, decodeShape, encodeNumbers, encodeShape, shapeOptions, shapes } from './shapes.js';

const MOST_CORNERS = 64;

/** `[cos, sin]` of an angle in degrees, exact for quarter turns. */
function turnOf(degrees) {
  const quarters = degrees / 90;
  if (Number.isInteger(quarters)) {
    return [[1, 0], [0, 1], [-1, 0], [0, -1]][((quarters % 4) + 4) % 4];
  }
  const angle = (degrees * Math.PI) / 180;
  return [Math.cos(angle), Math.sin(angle)];
}

const wrapped = (degrees) => ((degrees % 360) + 360) % 360;

export class Polygon {
  #corners = [];
  #last = 0;

  /**
   * `moves` says whether the polygon gets handles to move and turn it. `changed()` is called after each change, `released()` after each
   * drag or key of a handle.
   */
  constructor(view, { name, kind, shape, x = 0, y = 0, degrees = 0, moves = true, changed, released }) {
    Object.assign(this, { view, label: name, kind, x, y, degrees, changed, released });
    this.name = shape;
    this.ring = copy(shapes[shape].ring);
    this.editing = false;
    if (moves) this.#movingHandles();
  }

  /** The polygon as the library takes it. */
  get question() {
    return { ring: this.ring, x: this.x, y: this.y, degrees: this.degrees };
  }

  /** The corners in the world, rounded. Used for handles only: the outline that is drawn comes from the library. */
  get corners() {
    const [cos, sin] = turnOf(this.degrees);
    return this.ring.map(([x, y]) => [cos * x - sin * y + this.x, sin * x + cos * y + this.y]);
  }

  /** Where its name is drawn: at its handle, which may lie beside the polygon's position. */
  get nameAt() {
    const screen = this.handle?.screen;
    return screen ? this.view.toWorld(screen) : [this.x, this.y];
  }

  get noun() {
    return this.label.length > 1 ? `the ${this.label}` : this.label;
  }

  get reach() {
    return Math.max(...this.ring.map(([x, y]) => Math.hypot(x, y)));
  }

  choose(name) {
    this.name = name;
    this.ring = copy(shapes[name].ring);
    this.#rebuild();
    this.changed();
  }

  moveTo([x, y]) {
    Object.assign(this, { x, y });
    this.changed();
  }

  edit(on) {
    this.editing = on;
    this.#rebuild();
    this.view.redraw();
  }

  /** The shape and the place, as texts for the address. */
  get state() {
    return { shape: encodeShape(this), place: encodeNumbers([this.x, this.y, this.degrees]) };
  }

  restore(shape, place) {
    const [found, numbers] = [decodeShape(shape), decodeNumbers(place, 3)];
    if (found) Object.assign(this, found);
    if (numbers) [this.x, this.y, this.degrees] = numbers;
    if (this.select) this.select.value = this.name in shapes ? this.name : 'own';
    this.#rebuild();
  }

  /** Splits the given edge, or the longest one, by a corner in its middle. Does nothing if the polygon has `MOST_CORNERS`. */
  addCorner(edge = null) {
    const { ring } = this;
    if (ring.length >= MOST_CORNERS) return;
    const length = (i) => {
      const [p, q] = [ring[i], ring[(i + 1) % ring.length]];
      return Math.hypot(q[0] - p[0], q[1] - p[1]);
    };
    const at = edge ?? [...ring.keys()].reduce((best, i) => (length(i) > length(best) ? i : best), 0);
    const [p, q] = [ring[at], ring[(at + 1) % ring.length]];
    ring.splice(at + 1, 0, [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2]);
    this.#last = at + 1;
    this.#edited();
    this.#corners[at + 1]?.element.focus();
  }

  removeCorner(index = this.#last) {
    if (this.ring.length <= 3) return;
    this.ring.splice(Math.min(index, this.ring.length - 1), 1);
    this.#last = 0;
    this.#edited();
  }

  /** Makes the controls to choose a shape and to edit corners. */
  controls() {
    const shape = choice(`Shape of ${this.noun}`, [...shapeOptions, ['own', 'Your own']], this.name, (name) => {
      if (name !== 'own') this.choose(name);
    });
    this.select = shape.input;
    this.select.querySelector('[value="own"]').hidden = true;
    const buttons = element('div', { class: 'row', hidden: true },
      button('Add a corner', () => this.addCorner(), { title: 'Split the longest edge; or double-click an edge' }),
      button('Remove a corner', () => this.removeCorner(), { title: 'The last one moved; or double-click a corner' }));
    const edit = toggle(`Edit the corners of ${this.noun}`, false, (on) => {
      buttons.hidden = !on;
      this.edit(on);
    });
    return element('div', { class: `of-${this.kind}` }, shape.row, edit.row, buttons);
  }

  /** Lets a double click on an edge split that edge while corners are edited. */
  splitByDoubleClick() {
    const { canvas, context } = this.view;
    canvas.addEventListener('dblclick', (event) => {
      if (!this.editing) return;
      const density = window.devicePixelRatio || 1;
      const { view, corners } = this;
      const [x, y] = view.pointer(event);
      context.save();
      context.lineWidth = 16;
      const edge = corners.findIndex((p, i) =>
        context.isPointInStroke(view.path([p, corners[(i + 1) % corners.length]], false), x * density, y * density));
      context.restore();
      if (edge >= 0) this.addCorner(edge);
    });
  }

  #movingHandles() {
    const { view, label, released } = this;
    const turn = (degrees) => {
      this.degrees = wrapped(this.degrees + degrees);
      this.changed();
    };
    this.handle = new Handle(view, {
      label: `Polygon ${label}: arrow keys move it, Q and E turn it`,
      kind: `body of-${this.kind}`,
      at: () => [this.x, this.y],
      move: (position, options) => this.moveTo(snapped(position, options)),
      turn,
      released,
    });
    const arm = () => this.reach + 26 / view.scale;
    new Handle(view, {
      label: `Turn polygon ${label}: drag, or Q and E`,
      kind: `turn of-${this.kind}`,
      at: () => {
        const [cos, sin] = turnOf(this.degrees + 90);
        return [this.x + cos * arm(), this.y + sin * arm()];
      },
      move: ([x, y], { free }) => {
        const degrees = (Math.atan2(y - this.y, x - this.x) * 180) / Math.PI - 90;
        const step = free ? 0.1 : 5;
        this.degrees = wrapped(Math.round(degrees / step) * step);
        this.changed();
      },
      turn,
      released,
    });
  }

  #edited() {
    this.name = 'own';
    if (this.select) this.select.value = 'own';
    this.#rebuild();
    this.changed();
  }

  /** Makes the number of handles equal to the number of corners while they are edited, else 0. Other handles are kept. */
  #rebuild() {
    const count = this.editing ? this.ring.length : 0;
    while (this.#corners.length > count) this.#corners.pop().delete();
    while (this.#corners.length < count) this.#corners.push(this.#corner(this.#corners.length));
  }

  #corner(index) {
    const handle = new Handle(this.view, {
      label: `Corner ${index + 1} of ${this.noun}: arrow keys move it, Delete removes it`,
      kind: `vertex of-${this.kind}`,
      at: () => this.corners[index] ?? null,
      move: (position, options) => {
        const [cos, sin] = turnOf(this.degrees);
        const [x, y] = snapped(position, options).map((value, i) => value - [this.x, this.y][i]);
        const local = [cos * x + sin * y, cos * y - sin * x];
        this.ring[index] = local.map((value) => Math.round(value / FINE_GRID) * FINE_GRID);
        this.name = 'own';
        if (this.select) this.select.value = 'own';
        this.changed();
      },
      remove: () => this.removeCorner(index),
      released: this.released,
    });
    handle.element.addEventListener('focus', () => (this.#last = index));
    return handle;
  }
}

/**
 * Lets the reader drag polygons by their areas. Each of `bodies` is `{ polygon, outline }`, where `outline()` is the ring in the world.
 * If several lie under the pointer, the one whose centre is nearest moves, so that each of them can be grabbed.
 */
export function dragByArea(view, bodies) {
  const { canvas, context } = view;
  const covers = ({ outline }, position) => {
    const density = window.devicePixelRatio || 1;
    const [x, y] = view.toScreen(position);
    return context.isPointInPath(view.path(outline()), x * density, y * density);
  };
  const distance = ({ polygon }, [x, y]) => Math.hypot(polygon.x - x, polygon.y - y);
  const nearest = (position) => bodies
    .filter((body) => covers(body, position))
    .reduce((best, body) => (best && distance(best, position) <= distance(body, position) ? best : body), null)?.polygon;
  drag(canvas, view, {
    grab: (position) => {
      const found = nearest(position);
      return found && {
        at: [found.x, found.y],
        move: (to, event) => found.moveTo(snapped(to, { free: event.altKey })),
        released: found.released,
      };
    },
  });
}
