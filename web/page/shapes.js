// The shapes that the reader can choose, with corners on the grid of handles, and the text of polygons in the address.

export const shapes = {
  triangle: { title: 'Triangle', ring: [[-1.5, -1], [1.5, -1], [0, 1.5]] },
  square: { title: 'Square', ring: [[-1.25, -1.25], [1.25, -1.25], [1.25, 1.25], [-1.25, 1.25]] },
  hexagon: { title: 'Hexagon', ring: [[1.5, 0], [0.75, 1.25], [-0.75, 1.25], [-1.5, 0], [-0.75, -1.25], [0.75, -1.25]] },
  irregular: { title: 'Irregular', ring: [[-1.5, -0.75], [0.25, -1.5], [1.75, -0.25], [1, 1.25], [-0.75, 1]] },
  needle: { title: 'Needle', ring: [[-2, -0.125], [2, 0], [-2, 0.125]] },
  corner: { title: 'Concave: a corner', ring: [[-1.5, -1.5], [1.5, -1.5], [1.5, -0.5], [-0.5, -0.5], [-0.5, 1.5], [-1.5, 1.5]] },
  arrow: { title: 'Concave: an arrowhead', ring: [[-1.5, -1.25], [0, -0.5], [1.5, -1.25], [0, 1.5]] },
  star: {
    title: 'Concave: a star',
    ring: [[0, 1.75], [-0.5, 0.5], [-1.75, 0.5], [-0.75, -0.375], [-1.125, -1.5], [0, -0.75], [1.125, -1.5], [0.75, -0.375], [1.75, 0.5], [0.5, 0.5]],
  },
};

export const shapeOptions = Object.entries(shapes).map(([name, { title }]) => [name, title]);

/** Writes numbers for the address. `_` between numbers and `*` between corners need no escape there. */
export const encodeNumbers = (numbers) => numbers.join('_');

/** Reads exactly `count` finite numbers, or returns null. */
export function decodeNumbers(text, count) {
  const numbers = (text ?? '').split('_').map((part) => (part.trim() === '' ? NaN : Number(part)));
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : null;
}

/** Writes a shape by its name if it has one, else by its corners. */
export function encodeShape({ name, ring }) {
  return name in shapes ? name : ring.map(encodeNumbers).join('*');
}

/** Reads a shape, `{ name, ring }`, or returns null if the text is not one. */
export function decodeShape(text) {
  if (text && Object.hasOwn(shapes, text)) return { name: text, ring: copy(shapes[text].ring) };
  const ring = (text ?? '').split('*').map((corner) => decodeNumbers(corner, 2));
  return ring.length >= 3 && ring.length <= 64 && ring.every(Boolean) ? { name: 'own', ring } : null;
}

export const copy = (ring) => ring.map(([x, y]) => [x, y]);
