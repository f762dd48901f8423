// Plots times over numbers of pairs as SVG, with logarithmic axes.

const svg = (name, attributes, ...children) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

const WIDTH = 640;
const HEIGHT = 360;
const INSIDE = { left: 62, right: 620, top: 16, bottom: 308 };

const short = (value) =>
  value >= 1e6 ? `${value / 1e6} M` : value >= 1e3 ? `${value / 1e3} k` : String(Number(value.toPrecision(1)));

/** Powers of ten, at least two: from the last one that is not above the least value to the first one that is not below the greatest. */
function decades(values) {
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: to - from + 1 }, (_, k) => 10 ** (from + k));
}

/** Plots rows that `contest` yields. `even` is the break-even in pairs, or null; `device` is the label of the GPU's line. */
export function plot(rows, even, device) {
  const series = ['cpu', 'gpu'].map((backend) => ({
    backend,
    points: rows.filter((row) => row[backend]).map((row) => [row.pairs, row[backend].median]),
  })).filter(({ points }) => points.length > 0);
  const ticks = [0, 1].map((axis) => decades(series.flatMap(({ points }) => points.map((point) => point[axis]))));
  const place = (axis, value) => {
    const [from, to] = [ticks[axis][0], ticks[axis].at(-1)].map(Math.log10);
    const part = (Math.log10(value) - from) / (to - from);
    return axis === 0
      ? INSIDE.left + part * (INSIDE.right - INSIDE.left)
      : INSIDE.bottom - part * (INSIDE.bottom - INSIDE.top);
  };
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', class: 'plot' });
  picture.append(svg('title', {}, 'Time of a run over the number of candidate pairs, both axes in logarithms'));
  for (const value of ticks[0]) {
    const x = place(0, value);
    picture.append(svg('line', { x1: x, x2: x, y1: INSIDE.top, y2: INSIDE.bottom, class: 'grid' }));
    picture.append(svg('text', { x, y: INSIDE.bottom + 20, 'text-anchor': 'middle' }, short(value)));
  }
  for (const value of ticks[1]) {
    const y = place(1, value);
    picture.append(svg('line', { x1: INSIDE.left, x2: INSIDE.right, y1: y, y2: y, class: 'grid' }));
    picture.append(svg('text', { x: INSIDE.left - 8, y: y + 5, 'text-anchor': 'end' }, short(value)));
  }
  const middle = (INSIDE.left + INSIDE.right) / 2;
  picture.append(svg('text', { x: middle, y: HEIGHT - 8, 'text-anchor': 'middle' }, 'candidate pairs'));
  picture.append(svg('text', {
    x: 0, y: 0, 'text-anchor': 'middle', transform: `translate(14 ${(INSIDE.top + INSIDE.bottom) / 2}) rotate(-90)`,
  }, 'milliseconds, median'));
  if (even !== null && even >= ticks[0][0] && even <= ticks[0].at(-1)) {
    const x = place(0, even);
    picture.append(svg('line', { x1: x, x2: x, y1: INSIDE.top, y2: INSIDE.bottom, class: 'even' }));
  }
  for (const { backend, points } of series) {
    const at = points.map(([n, time]) => `${place(0, n)},${place(1, time)}`).join(' ');
    picture.append(svg('polyline', { points: at, class: `series ${backend}` }));
    for (const [n, time] of points) {
      // Circles and squares, so that colour is not the only difference.
      const [x, y] = [place(0, n), place(1, time)];
      picture.append(backend === 'cpu'
        ? svg('circle', { cx: x, cy: y, r: 5, class: `mark ${backend}` })
        : svg('rect', { x: x - 5, y: y - 5, width: 10, height: 10, class: `mark ${backend}` }));
    }
    const [n, time] = points.at(-1);
    const [x, y] = [place(0, n), place(1, time)];
    picture.append(svg('text', { x: x - 10, y: y - 10, 'text-anchor': 'end', class: `label ${backend}` }, backend === 'cpu' ? 'CPU' : device));
  }
  return picture;
}
