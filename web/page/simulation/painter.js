// Draws on the canvas over the picture: contacts, boxes, pairs, the arrow of a throw, and bodies if no GPU draws them.

/** At most this many bodies are drawn as one path, because longer paths are slow to fill. */
const PATH_BODIES = 200;
/** In pixels: a body smaller than this is drawn as a square. */
const LEAST_SIZE = 2.5;
/** In pixels: bodies have an outline if their mean size is at least this. */
const LEAST_LINED = 5;
/** The size of a mark in pixels: `part` of a unit of the world, about the length of a body, but at least `least` and at most `most`. */
const sized = (least, part, most, scale) => Math.min(most, Math.max(least, part * scale));

export const KINDS = ['static', 'polygon', 'circle', 'capsule', 'rightward', 'leftward'];

export class Painter {
  /** With a software adapter, `isSoftware`, the canvas is kept in memory: drawing through that adapter would be ten times slower. */
  constructor(canvas, isSoftware) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { willReadFrequently: isSoftware });
    this.colours = {};
    this.figures = [];
    this.isBlank = true;
  }

  /** Reads the shapes and bodies of a simulation. */
  load(simulation) {
    const outlines = simulation.outlines();
    const rows = simulation.figures();
    this.poses = new Float32Array((4 * rows.length) / 3);
    this.figures = [];
    for (let k = 0; k < rows.length; k += 3) {
      const outline = outlines[rows[k + 1]];
      outline.size ??= outline.ring.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      this.figures.push({ slot: rows[k], outline, kind: rows[k + 2] });
    }
    const moving = this.figures.filter(({ kind }) => kind !== 0);
    this.size = moving.reduce((sum, { outline }) => sum + 2 * outline.size, 0) / Math.max(1, moving.length);
  }

  /** Begins a picture. `view` is that of `Camera`. */
  begin(view) {
    this.view = view;
    this.isBlank = false;
    const [width, height] = [view.width, view.height].map((x) => Math.round(x * view.density));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.context.setTransform(view.density, 0, 0, view.density, 0, 0);
    this.context.clearRect(0, 0, view.width, view.height);
  }

  /** Clears the canvas. The browser must compose a changed canvas with the page again, so a blank canvas is not cleared. */
  wipe() {
    if (this.isBlank) return;
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.isBlank = true;
  }

  bodies(simulation, selected) {
    const { context, colours } = this;
    simulation.poses(this.poses);
    context.fillStyle = colours.background;
    context.fillRect(0, 0, this.view.width, this.view.height);
    context.lineJoin = 'round';
    let from = 0;
    while (from < this.figures.length) {
      const { kind } = this.figures[from];
      let to = from;
      while (to < this.figures.length && to - from < PATH_BODIES && this.figures[to].kind === kind) to += 1;
      this.#path(this.figures.slice(from, to), colours[KINDS[kind]], 1);
      from = to;
    }
    const chosen = this.figures.find((figure) => figure.slot === selected);
    if (chosen) this.#path([chosen], colours.selected, 2.5);
  }

  #path(figures, fill, lineWidth) {
    const { context, poses } = this;
    const { scale } = this.view;
    const [originX, originY] = this.view.toScreen([0, 0]);
    context.beginPath();
    for (const { slot, outline } of figures) {
      const [x, y] = [originX + poses[4 * slot] * scale, originY - poses[4 * slot + 1] * scale];
      const size = 2 * outline.size * scale;
      if (size < LEAST_SIZE) {
        context.rect(x - size / 2, y - size / 2, size, size);
      } else if (outline.radius > 0) {
        const radius = outline.radius * scale;
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      } else {
        const [c, s] = [poses[4 * slot + 2] * scale, poses[4 * slot + 3] * scale];
        const { ring } = outline;
        for (let k = 0; k < ring.length; k += 2) {
          const [px, py] = [x + c * ring[k] - s * ring[k + 1], y - s * ring[k] - c * ring[k + 1]];
          if (k === 0) context.moveTo(px, py);
          else context.lineTo(px, py);
        }
        context.closePath();
      }
    }
    context.fillStyle = fill;
    context.fill();
    // Walls get no outline, so that overlapping walls look like one wall.
    if (figures[0].kind !== 0 && this.size * scale >= LEAST_LINED) {
      context.strokeStyle = this.colours.outline;
      context.lineWidth = lineWidth;
      context.stroke();
    }
  }

  /** Draws boxes. `values` has four numbers per box: least x and y, greatest x and y. */
  boxes({ values }) {
    const { context, view } = this;
    context.beginPath();
    for (let k = 0; k < values.length; k += 4) {
      const [x, y] = view.toScreen([values[k], values[k + 3]]);
      context.rect(x, y, (values[k + 2] - values[k]) * view.scale, (values[k + 3] - values[k + 1]) * view.scale);
    }
    this.#stroke(this.colours.box, 1);
  }

  /** Draws pairs as lines. `values` has four numbers per pair: x and y of each end. */
  pairs({ values }) {
    const { context, view } = this;
    context.beginPath();
    for (let k = 0; k < values.length; k += 4) {
      context.moveTo(...view.toScreen([values[k], values[k + 1]]));
      context.lineTo(...view.toScreen([values[k + 2], values[k + 3]]));
    }
    this.#stroke(this.colours.pair, 1.2);
  }

  /** Draws contacts. `values` has five numbers per contact: x and y, x and y of the normal, impulse. */
  contacts({ values }, { points, normals }) {
    const { context, view } = this;
    if (normals) {
      const length = sized(3, 0.6, 11, view.scale);
      context.beginPath();
      for (let k = 0; k < values.length; k += 5) {
        const [x, y] = view.toScreen([values[k], values[k + 1]]);
        const [dx, dy] = [length * values[k + 2], -length * values[k + 3]];
        context.moveTo(x - dx / 2, y - dy / 2);
        context.lineTo(x + dx / 2, y + dy / 2);
      }
      this.#stroke(this.colours.normal, sized(0.7, 0.1, 1.6, view.scale));
    }
    if (points) {
      const radius = sized(0.8, 0.11, 2.6, view.scale);
      context.beginPath();
      for (let k = 0; k < values.length; k += 5) {
        const [x, y] = view.toScreen([values[k], values[k + 1]]);
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      }
      context.fillStyle = this.colours.contact;
      context.fill();
    }
  }

  #stroke(colour, width) {
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.context.stroke();
  }
}
