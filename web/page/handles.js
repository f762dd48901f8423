// What is dragged: buttons over a picture, for mouse, touch and keyboard alike.

import { element } from './controls.js';

/** Positions are multiples of this, unless Alt is held: exactly what a number holds, so that exact touching is reached. */
export const GRID = 1 / 8;
/** What free positions are multiples of: fine enough to look free, coarse enough that sums of them are exact. */
export const FINE_GRID = 2 ** -20;
const TURN = 15;

/** A position on the grid, or with Alt a free one. */
export function snapped(position, { free = false } = {}) {
  const grid = free ? FINE_GRID : GRID;
  return position.map((x) => Math.round(x / grid) * grid);
}

/** How far an arrow key moves: `[x, y]`, or null for another key. Shift goes farther, Alt less far. */
export function arrow(event) {
  const step = event.shiftKey ? 8 * GRID : event.altKey ? GRID / 8 : GRID;
  const ways = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
  return ways[event.key] ?? null;
}

/** How many degrees a key turns, counter-clockwise, or null. */
function turnOf(event) {
  const step = event.shiftKey ? 3 * TURN : event.altKey ? 1 : TURN;
  return { q: step, e: -step }[event.key.toLowerCase()] ?? null;
}

/**
 * A handle of a view. `at()` says where it is in the world, null where it is not; `move(position, { free })` takes it elsewhere;
 * `turn(degrees)` and `remove()` are optional; `kind` is a class of the style sheet.
 */
export class Handle {
  constructor(view, { label, kind = 'dot', at, move, turn = null, remove = null, released = null }) {
    this.view = view;
    this.kind = kind;
    /** Where the button lies on the screen, and how far from what it moves. */
    this.screen = null;
    this.aside = [0, 0];
    this.options = { at, move, turn, remove, released };
    this.element = element('button', { type: 'button', class: `handle ${kind}`, 'aria-label': label });
    view.layer.append(this.element);
    view.handles.add(this);
    this.element.addEventListener('keydown', (event) => this.#key(event));
    this.element.addEventListener('dblclick', () => remove?.());
    drag(this.element, view, {
      grab: () => ({ at: at(), move: (position, event) => move(position, { free: event.altKey }), released }),
    });
  }

  set label(text) {
    if (this.element.getAttribute('aria-label') !== text) this.element.setAttribute('aria-label', text);
  }

  /** Moves the button to its place on the screen. */
  place() {
    this.element.hidden = !this.screen;
    if (!this.screen) return;
    const [x, y] = this.screen;
    this.element.style.transform = `translate(${x}px, ${y}px)`;
  }

  delete() {
    this.element.remove();
    this.view.handles.delete(this);
  }

  #key(event) {
    const { at, move, turn, remove, released } = this.options;
    if (event.ctrlKey || event.metaKey) return;
    const way = arrow(event);
    const degrees = turnOf(event);
    if (way && at()) move(at().map((x, i) => x + way[i]), { free: event.altKey });
    else if (turn && degrees !== null) turn(degrees);
    else if (remove && (event.key === 'Delete' || event.key === 'Backspace')) remove();
    else return;
    event.preventDefault();
    released?.();
  }
}

/**
 * Dragging by any pointer. `grab(position)` gives what lies at a position of the world, or null to leave the pointer alone:
 * `{ at, move, released }`, where `at` is its own position, `move(position, event)` takes that elsewhere, and `released()`, which
 * may be null, follows the end.
 */
export function drag(target, view, { grab }) {
  let held = null;
  target.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || held) return;
    const pointer = view.toWorld(view.pointer(event));
    const grabbed = grab(pointer);
    if (!grabbed) return;
    held = { ...grabbed, id: event.pointerId, offset: grabbed.at.map((x, i) => x - pointer[i]) };
    target.setPointerCapture(event.pointerId);
    target.classList.add('held');
    // Neither selects text nor pans; focus is set by hand for what can have it.
    event.preventDefault();
    target.focus?.({ preventScroll: true });
  });
  target.addEventListener('pointermove', (event) => {
    if (held?.id !== event.pointerId) return;
    const pointer = view.toWorld(view.pointer(event));
    held.move(pointer.map((x, i) => x + held.offset[i]), event);
  });
  for (const end of ['pointerup', 'pointercancel']) {
    target.addEventListener(end, (event) => {
      if (held?.id !== event.pointerId) return;
      const { released } = held;
      held = null;
      target.classList.remove('held');
      released?.();
    });
  }
  // A finger on what can be dragged does not scroll the page.
  target.addEventListener('touchstart', (event) => {
    const touch = event.changedTouches[0];
    if (touch && grab(view.toWorld(view.pointer(touch)))) event.preventDefault();
  }, { passive: false });
}
