// Handles: buttons over a picture that the reader drags, by mouse, touch or keyboard.

import { element } from './controls.js';

/** Positions are multiples of this unless Alt is held. Numbers hold such multiples exactly, so that polygons can touch exactly. */
export const GRID = 1 / 8;
/** With Alt, positions are multiples of this: fine enough to look free, coarse enough that sums of positions are exact. */
export const FINE_GRID = 2 ** -20;
const TURN = 15;

/** The nearest position on the grid, or on the fine grid if `free`. */
export function snapped(position, { free = false } = {}) {
  const grid = free ? FINE_GRID : GRID;
  return position.map((x) => Math.round(x / grid) * grid);
}

/** How far an arrow key moves a handle: `[x, y]`, or null for another key. Shift makes the step larger, Alt smaller. */
export function arrow(event) {
  const step = event.shiftKey ? 8 * GRID : event.altKey ? GRID / 8 : GRID;
  const ways = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
  return ways[event.key] ?? null;
}

/** By how many degrees a key turns, counter-clockwise, or null for another key. */
function turnOf(event) {
  const step = event.shiftKey ? 3 * TURN : event.altKey ? 1 : TURN;
  return { q: step, e: -step }[event.key.toLowerCase()] ?? null;
}

/**
 * A handle of a view. `at()` returns its position in the world, or null while it is not shown; `move(position, { free })` moves it.
 * `kind` is a class of the style sheet. Optional are `turn(degrees)`, `remove()`, and `released()`, called after each drag and key.
 */
export class Handle {
  constructor(view, { label, kind = 'dot', at, move, turn = null, remove = null, released = null }) {
    this.view = view;
    this.kind = kind;
    /** The position of the button on the screen, and its offset from the point that it moves. `placeHandles` sets both. */
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

  /** Moves the button to `screen`, or hides it if that is null. */
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
 * Lets any pointer drag on `target`. `grab(position)` returns what lies at a position of the world, `{ at, move, released }`, or null to
 * ignore the pointer. `at` is the position of the grabbed thing, `move(position, event)` moves it, and `released()`, which may be null,
 * is called at the end.
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
    // Prevents selecting text and panning. This also keeps the browser from setting the focus, so it is set here.
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
  // A finger on something that can be dragged must not scroll the page.
  target.addEventListener('touchstart', (event) => {
    const touch = event.changedTouches[0];
    if (touch && grab(view.toWorld(view.pointer(touch)))) event.preventDefault();
  }, { passive: false });
}
