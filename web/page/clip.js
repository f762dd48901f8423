// Cuts lines down to a rectangle of the screen. A browser also draws the invisible dashes of a dashed line, so a long dashed line
// is slow.

/**
 * The part of the line `(x, y) + t * (dx, dy)` within `[left, top, right, bottom]`, as the range `[from, to]` of t, or null if the line
 * misses the rectangle. After Liang and Barsky (1984).
 */
export function spanOf([x, y], [dx, dy], [left, top, right, bottom]) {
  let [from, to] = [-Infinity, Infinity];
  for (const [start, step, low, high] of [[x, dx, left, right], [y, dy, top, bottom]]) {
    if (step === 0) {
      if (start < low || start > high) return null;
      continue;
    }
    const [enter, leave] = step > 0 ? [low, high] : [high, low];
    from = Math.max(from, (enter - start) / step);
    to = Math.min(to, (leave - start) / step);
  }
  return from <= to ? [from, to] : null;
}

/** The part of the segment from `p` to `q` within a rectangle, as its two ends, or null. An end that lies within is the same array. */
export function clipped(p, q, rectangle) {
  const way = [q[0] - p[0], q[1] - p[1]];
  const span = spanOf(p, way, rectangle);
  if (!span) return null;
  const [from, to] = [Math.max(0, span[0]), Math.min(1, span[1])];
  if (from > to) return null;
  const at = (t) => [p[0] + way[0] * t, p[1] + way[1] * t];
  return [from === 0 ? p : at(from), to === 1 ? q : at(to)];
}
