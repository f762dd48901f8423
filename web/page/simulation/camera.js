// Decides which part of a simulated world the picture shows.

const LEAST_ZOOM = 1;
const MOST_ZOOM = 40;
/** Keeps a number between two limits. */
const within = (x, low, high) => Math.min(high, Math.max(low, x));

export class Camera {
  /** `changed()` is called when another part of the world is to be shown, `pinching()` when two fingers begin to zoom. */
  constructor(frame, { changed, pinching }) {
    Object.assign(this, { frame, changed, pinching, zoom: LEAST_ZOOM, bounds: [0, 0, 1, 1] });
    this.centre = [0.5, 0.5];
  }

  /** Shows all of a world with the bounds `[least x, least y, greatest x, greatest y]`. */
  show(bounds) {
    this.bounds = bounds;
    this.#home();
  }

  #home() {
    const [left, bottom, right, top] = this.bounds;
    this.zoom = LEAST_ZOOM;
    this.centre = [(left + right) / 2, (bottom + top) / 2];
  }

  /** The size of the picture in CSS pixels, and how it maps to the world. `scale` is pixels per unit. */
  get view() {
    const [width, height] = [this.frame.clientWidth || 1, this.frame.clientHeight || 1];
    const [left, bottom, right, top] = this.bounds;
    const scale = this.zoom * Math.min(width / (right - left), height / (top - bottom));
    const { centre } = this;
    return {
      width, height, scale, centre, density: Math.min(2, devicePixelRatio || 1),
      toScreen: ([x, y]) => [width / 2 + (x - centre[0]) * scale, height / 2 - (y - centre[1]) * scale],
      toWorld: ([x, y]) => [centre[0] + (x - width / 2) / scale, centre[1] - (y - height / 2) / scale],
    };
  }

  // The members that `listenForGestures` uses.

  pointer(event) {
    const { left, top } = this.frame.getBoundingClientRect();
    return [event.clientX - left - this.frame.clientLeft, event.clientY - top - this.frame.clientTop];
  }

  get isMoved() {
    return this.isEnlarged;
  }

  get isEnlarged() {
    return this.zoom > LEAST_ZOOM;
  }

  panBy([dx, dy]) {
    if (!this.isEnlarged) return;
    const { scale } = this.view;
    this.#look([this.centre[0] - dx / scale, this.centre[1] + dy / scale]);
  }

  zoomBy(factor, around = [this.frame.clientWidth / 2, this.frame.clientHeight / 2]) {
    const before = this.view.toWorld(around);
    this.zoom = within(this.zoom * factor, LEAST_ZOOM, MOST_ZOOM);
    const after = this.view.toWorld(around);
    this.#look(this.centre.map((x, i) => x + before[i] - after[i]));
  }

  fit() {
    this.#home();
    this.changed();
  }

  #look([x, y]) {
    if (!this.isEnlarged) return this.fit();
    const [left, bottom, right, top] = this.bounds;
    this.centre = [within(x, left, right), within(y, bottom, top)];
    return this.changed();
  }
}
