// Zooms and pans a picture: with two fingers anywhere on it, with one finger or the mouse on its background, or with the wheel.

import { element } from './controls.js';

/** Scrolling the wheel by this many pixels doubles or halves the zoom. */
const WHEEL = 200;

const distance = ([p, q]) => Math.hypot(p[0] - q[0], p[1] - q[1]);
const middle = ([p, q]) => [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];

/**
 * Listens for gestures on `frame`. `surface` is the element within it that is the ground of the picture.
 *
 * `view` has `pointer(event)`, the position in the picture; `panBy([dx, dy])` and `zoomBy(factor, around)`, in pixels; `isMoved`, whether
 * the picture shows another part than after `fit()`; `isEnlarged`, whether it is zoomed in; and `fit()`, which shows all. It may have
 * `pinching()`, called when a second finger touches the picture.
 *
 * One finger scrolls the page until the picture is moved, and the wheel scrolls the page until the picture is zoomed in. The wheel with
 * Ctrl always zooms.
 */
export function listenForGestures(frame, surface, view) {
  const fingers = new Map();
  /** True from the second finger's touch until all fingers are lifted. Meanwhile fingers drag nothing. */
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

  // These listeners run in the capture phase, before the listeners of handles and polygons.
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
  // Keeps two fingers from scrolling or zooming the page.
  frame.addEventListener('touchmove', (event) => event.touches.length > 1 && event.cancelable && event.preventDefault(), { passive: false });

  // These listeners run after the listeners of handles and polygons, which call `preventDefault` if they drag something.
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
    // The picture is no longer zoomed in: show all, so that the next turn of the wheel scrolls the page.
    if (!event.ctrlKey && !view.isEnlarged) view.fit();
  }, { passive: false });
}

/** Makes two buttons that zoom a view and one that shows all. */
export function zoomTools(view) {
  const tool = (text, label, press) =>
    element('button', { type: 'button', class: 'tool', 'aria-label': label, title: label, onclick: press }, text);
  return element('div', { class: 'view-tools' },
    tool('+', 'Zoom in', () => view.zoomBy(1.25)),
    tool('−', 'Zoom out', () => view.zoomBy(0.8)),
    tool('⤢', 'Show all', () => view.fit()));
}
