// The body and the wall of a flight, at their start. The reader places each by dragging or with the keys.

import { Handle, snapped } from './handles.js';

const wrapped = (degrees) => ((degrees % 360) + 360) % 360;
const TURN = 5;

/** A ring after `time` seconds: turned about `centre` by `spin`, in turns per second, and moved by `velocity`. */
export function after(ring, { centre: [x, y], velocity, spin }, time) {
  const angle = 2 * Math.PI * spin * time;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const to = [x + velocity[0] * time, y + velocity[1] * time];
  return ring.map((corner) => {
    const [dx, dy] = [corner[0] - x, corner[1] - y];
    return [to[0] + cos * dx - sin * dy, to[1] + sin * dx + cos * dy];
  });
}

export class Placed {
  /**
   * `kind` is a class of the style sheet. `reach()` is the distance of the farthest corner from the middle. `changed()` is called after
   * each change by the reader.
   */
  constructor(view, { name, kind, x, y, degrees = 0, reach, changed }) {
    Object.assign(this, { view, x, y, degrees, changed });
    const turn = (by) => {
      this.degrees = wrapped(this.degrees + by);
      changed();
    };
    this.handle = new Handle(view, {
      label: `The ${name}: arrow keys move it, Q and E turn it`,
      kind: `body ${kind}`,
      at: () => [this.x, this.y],
      move: (position, options) => this.moveTo(snapped(position, options)),
      turn,
    });
    new Handle(view, {
      label: `Turn the ${name}: drag, or Q and E`,
      kind: `turn ${kind}`,
      at: () => {
        const angle = ((this.degrees + 90) * Math.PI) / 180;
        const arm = reach() + 22 / view.scale;
        return [this.x + Math.cos(angle) * arm, this.y + Math.sin(angle) * arm];
      },
      move: ([x, y], { free }) => {
        const step = free ? 0.1 : TURN;
        const degrees = (Math.atan2(y - this.y, x - this.x) * 180) / Math.PI - 90;
        this.degrees = wrapped(Math.round(degrees / step) * step);
        changed();
      },
      turn,
    });
  }

  moveTo([x, y]) {
    Object.assign(this, { x, y });
    this.changed();
  }

  get place() {
    return [this.x, this.y, this.degrees];
  }

  set place([x, y, degrees]) {
    Object.assign(this, { x, y, degrees });
  }
}
