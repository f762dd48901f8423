// Zoom and pan by pointer: two fingers anywhere on a picture, one finger or the mouse on its empty ground, and the wheel.

import { element } from './controls.js';

/** Pixels of the wheel that double the zoom. */
const WHEEL = 200;

const distance = ([p, q]) => Math.hypot(p[0] - q[0], p[1] - q[1]);
const middle = ([p, q]) => [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];

/**
 * Listens on `frame`, around `surface`, its ground. `view` has `pointer(event)`, the place in the picture; `panBy([dx, dy])` and
 * `zoomBy(factor, around)`, in pixels; `isMoved`, whether the picture shows another part than at first, and `isEnlarged`, whether
 * it shows less; `fit()`, which shows all; and perhaps `pinching()`, called where two fingers begin.
 *
 * Until the picture is moved, one finger scrolls the page and so does the wheel. Ctrl and the wheel always zoom.
 */
export function listenForGestures(frame, surface, view) {
  const fingers = new Map();
  /** Fingers of a pinch move nothing else, until all have left. */
  let isPinching = false;
  let panning = null;

  const two = () => [...fingers.values()].slice(0, 2);
  const pinch = (event) => {
    const before = two();
    fingers.set(event.pointerId, view.pointer(event));
    if (fingers.size < 2) return;
    const after = two();
    const [from, to] = [middle(before), middle(after)];
    view.panBy([to[0] - from[0], to[1] - from[1]]);
    if (distance(before) > 0) view.zoomBy(distance(after) / distance(before), to);
  };

  // Before what can be dragged hears of them.
  frame.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') return;
    fingers.set(event.pointerId, view.pointer(event));
    if (fingers.size < 2) return;
    isPinching = true;
    panning = null;
    view.pinching?.();
    event.stopPropagation();
  }, { capture: true });
  frame.addEventListener('pointermove', (event) => {
    if (!isPinching || !fingers.has(event.pointerId)) return;
    pinch(event);
    event.stopPropagation();
  }, { capture: true });
  for (const end of ['pointerup', 'pointercancel']) {
    frame.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      if (fingers.size === 0) isPinching = false;
    }, { capture: true });
  }
  // Two fingers neither scroll nor zoom the page.
  frame.addEventListener('touchmove', (event) => event.touches.length > 1 && event.cancelable && event.preventDefault(), { passive: false });

  // After what can be dragged has had its turn.
  frame.addEventListener('pointerdown', (event) => {
    if (event.defaultPrevented || event.target !== surface || event.button !== 0) return;
    if (event.pointerType === 'touch' && !view.isMoved) return;
    panning = { id: event.pointerId, at: view.pointer(event) };
    surface.setPointerCapture(event.pointerId);
  });
  frame.addEventListener('pointermove', (event) => {
    if (panning?.id !== event.pointerId) return;
    const at = view.pointer(event);
    view.panBy([at[0] - panning.at[0], at[1] - panning.at[1]]);
    panning.at = at;
  });
  for (const end of ['pointerup', 'pointercancel']) {
    frame.addEventListener(end, (event) => {
      if (panning?.id === event.pointerId) panning = null;
    });
  }

  frame.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !view.isEnlarged) return;
    event.preventDefault();
    view.zoomBy(2 ** (-event.deltaY / WHEEL), view.pointer(event));
    // All is seen again: the next turn of the wheel scrolls the page.
    if (!event.ctrlKey && !view.isEnlarged) view.fit();
  }, { passive: false });
}

/** Buttons that zoom a view, and one that shows all. */
export function zoomTools(view) {
  const tool = (text, label, press) =>
    element('button', { type: 'button', class: 'tool', 'aria-label': label, title: label, onclick: press }, text);
  return element('div', { class: 'view-tools' },
    tool('+', 'Zoom in', () => view.zoomBy(1.25)),
    tool('−', 'Zoom out', () => view.zoomBy(0.8)),
    tool('⤢', 'Show all', () => view.fit()));
}
