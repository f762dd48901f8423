// Finds the time at which two moving polygons first touch. The time advances in steps in which the polygons provably
// do not touch. The CPU twin is src/kernels/cpu/figures/moving.rs, which derives the errors and limits.
// src/kernels/cpu/figures/impact.rs derives the bound.

struct FigureRecord {
  // The time of impact, as a fraction of the step. It is 0 if the polygons overlap at the start or the record is
  // uncertain, and 1 if they stay apart.
  time: f32,
  // The feature of A that touches: the index of a vertex, or the index of an edge and the flag FEATURE_IS_EDGE. It is 0
  // if no impact was found.
  feature_a: u32,
  // The feature of B that touches, in the form of `feature_a`.
  feature_b: u32,
  // The outcome, the number of steps, and the flag UNCERTAIN_FIGURE.
  word: u32,
}

// The maximum number of steps of time.
const MOST_STEPS: u32 = 16u;
// The maximum number of roots that the search for the root of the lower bound computes, each from one pair of lines.
const MOST_LINES: u32 = 4u;
// A length in quanta. If an error is at least this length, f32 cannot decide the pair.
const UNKNOWN: f32 = 0x1p+90;
// A length in quanta. The square of a shorter length may underflow.
const LEAST_LENGTH: f32 = 0x1p-40;
// A generous bound on the relative rounding error of a length.
const ROUNDINGS: f32 = 16.0 * ROUNDING;

// The gap that a step keeps between the polygons, and a bound on the error of a computed gap.
struct Limits {
  goal: f32,
  error: f32,
}

// A unit vector from A to B, and the angle by which the vector rotates per step, in radians.
struct Axis {
  normal: vec2f,
  turn: f32,
}

// The arguments of `stays`, except the motions, the angle by which the vector rotates, and the limits. `way` is the displacement
// of B relative to A, `o` is the vector from A's anchor to B's anchor, and `rest` is the remaining fraction of the step.
struct Scene {
  i: u32,
  j: u32,
  normal: vec2f,
  way: vec2f,
  o: vec2f,
  rest: f32,
}

// The projection of a vertex as a linear function of time: p + q t.
struct Line {
  p: f32,
  q: f32,
}

fn uncertain(steps: u32) -> FigureRecord {
  return FigureRecord(0.0, 0u, 0u, UNCERTAIN_FIGURE | (steps << IMPACT_STEPS_SHIFT));
}

fn word_of(feature: Feature) -> u32 {
  return feature.index | select(0u, FEATURE_IS_EDGE, feature.is_edge);
}

// Returns the record of polygons that overlap at the start: the edge of least penetration, and the deepest vertex of
// the other polygon.
fn overlapping(i: u32, a: Polygon, j: u32, b: Polygon, best: BestEdge) -> FigureRecord {
  var normal = unit_normal(i, a, best.edge);
  var number = j;
  var other = b;
  if (best.of_b) {
    normal = unit_normal(j, b, best.edge);
    number = i;
    other = a;
  }
  var deepest = 0u;
  var depth = dot(normal, vertex_at(number, other, 0u));
  for (var k = 1u; k < vertex_count(other); k++) {
    let next = dot(normal, vertex_at(number, other, k));
    if (next < depth) {
      depth = next;
      deepest = k;
    }
  }
  let edge = best.edge | FEATURE_IS_EDGE;
  return FigureRecord(0.0, select(edge, deepest, best.of_b), select(deepest, edge, best.of_b), IMPACT_OVERLAPS);
}

// Returns the fraction of the step during which the circles about the centres certainly stay disjoint. A result of 1 or
// more means the whole step.
fn until_circles_meet(a: MotionRecord, b: MotionRecord, o: vec2f, way: vec2f, limits: Limits) -> f32 {
  let between = o + (b.centre - a.centre);
  let magnitude = length(o) + length(a.centre) + length(b.centre) + a.radius + b.radius;
  let radius = a.radius + b.radius + limits.goal + limits.error + ROUNDINGS * magnitude;
  let speed = length(way);
  if (length(between) <= radius) {
    return 0.0;
  }
  let along = -dot(between, way);
  let aside = abs(between.x * way.y - between.y * way.x);
  if (along <= 0.0 || aside >= radius * speed || speed <= LEAST_LENGTH) {
    return 1.0;
  }
  let beside = aside / speed;
  let inside = sqrt(max((radius - beside) * (radius + beside), 0.0));
  return (along / speed - inside) / speed;
}

// Returns the line of the vertex whose projection on a direction is the least at a time. The direction rotates by
// `turn` radians per step relative to the polygon.
fn least_line(i: u32, polygon: Polygon, direction: vec2f, centre: vec2f, turn: f32, time: f32) -> Line {
  let across = vec2f(direction.y, -direction.x) * turn;
  let end = polygon.first_block + block_count(polygon);
  var least = ANY;
  var line = Line(0.0, 0.0);
  for (var k = polygon.first_block; k < end; k++) {
    let v = placed_block(i, k);
    let p = direction.x * v.x + direction.y * v.y;
    let q = across.x * (v.x - centre.x) + across.y * (v.y - centre.y);
    let value = p + q * time;
    for (var lane = 0u; lane < BLOCK_VERTICES; lane++) {
      if (value[lane] < least) {
        least = value[lane];
        line = Line(p[lane], q[lane]);
      }
    }
  }
  return line;
}

// Returns the positive root t of gap + q t - bend t² / 2, where `gap` is positive. If q is 0 or positive, returns at
// most 1.
fn root(gap: f32, q: f32, bend: f32) -> f32 {
  let found = sqrt(q * q + 2.0 * bend * gap);
  if (q < 0.0) {
    return 2.0 * gap / (found - q);
  }
  // A time beyond one step is of no use.
  return min(q + found, bend) / max(bend, LEAST_LENGTH);
}

// Returns a time, at most the rest of the step, during which the gap along the vector certainly stays positive. The search
// approximates the time until which the gap stays at or above the goal.
fn stays(scene: Scene, a: MotionRecord, b: MotionRecord, turn: f32, limits: Limits) -> f32 {
  let n = scene.normal;
  let centre_b = b.centre + place_b.by;
  let between = scene.o + (centre_b - a.centre);
  let farthest = max(length(between), length(between + scene.way * scene.rest));
  let turn_a = a.angular - turn;
  let turn_b = b.angular - turn;
  let sum = turn * turn * farthest + 2.0 * abs(turn) * length(scene.way) + turn_a * turn_a * a.radius + turn_b * turn_b * b.radius;
  // The factor covers the rounding of `sum`.
  let bend = sum * (1.0 + ROUNDINGS);
  let slope = dot(n, scene.way) + turn * (n.x * between.y - n.y * between.x);
  let apart = dot(n, scene.o);
  let polygon_a = polygons[scene.i];
  let polygon_b = polygons[scene.j];
  var start = 0.0;
  var time = 0.0;
  var value = 0.0;
  // The first pair of lines is least at the start. Each later pair of lines is least at the previous root.
  for (var k = 0u; k <= MOST_LINES; k++) {
    let of_a = least_line(scene.i, polygon_a, -n, a.centre, turn_a, time);
    let of_b = least_line(scene.j, polygon_b, n, centre_b, turn_b, time);
    let p = (of_a.p + of_b.p) + apart;
    let q = (of_a.q + of_b.q) + slope;
    value = p + (q - 0.5 * bend * time) * time;
    if (k == 0u) {
      start = p;
      if (start <= limits.goal) {
        return 0.0;
      }
    } else if (value >= limits.goal - limits.error) {
      return time;
    }
    if (k < MOST_LINES) {
      let next = root(p - limits.goal, q, bend);
      time = min(select(next, scene.rest, q >= 0.0 && bend <= LEAST_LENGTH), scene.rest);
    }
  }
  // The lower bound is concave in time, so that its chord lies below it.
  return time * ((start - limits.goal) / (start - value));
}

fn figure(i: u32, j: u32) -> FigureRecord {
  let a = polygons[i];
  let b = polygons[j];
  let motion_a = motions[i];
  let motion_b = motions[j - params.b_offset + params.motion_offset];
  let o = vec2f(b.anchor - a.anchor);
  let way = motion_b.linear - motion_a.linear;
  let size = radius_of(a) + radius_of(b) + max(abs(o.x), abs(o.y)) + length(way);
  let error = 1.5 * (error_of(a) + error_of(b)) + motion_a.error + motion_b.error + ROUNDINGS * size + LEAST_LENGTH;
  if (error >= UNKNOWN) {
    return uncertain(0u);
  }
  let known = 8.0 * error <= params.parameter;
  let near = select(8.0 * error, params.parameter - 2.0 * error, known);
  let limits = Limits(0.5 * near, error);
  moving_a = i;
  place_a = Place(motion_a.centre, 0.0, 0.0, vec2f());
  place_b = Place(motion_b.centre, 0.0, 0.0, vec2f());
  var time = until_circles_meet(motion_a, motion_b, o, way, limits);
  if (time >= 1.0) {
    return FigureRecord(1.0, 0u, 0u, IMPACT_APART);
  }
  var axis = Axis(vec2f(), 0.0);
  var has_axis = false;
  if (time <= 0.0) {
    time = 0.0;
    let best = best_edge(i, a, j, b, o);
    if (best.upper < 0.0) {
      return overlapping(i, a, j, b, best);
    }
    if (best.lower <= 0.0) {
      return uncertain(0u);
    }
    if (best.separation > near) {
      has_axis = true;
      axis = Axis(normal_over(i, a, j, b, best), select(motion_a.angular, motion_b.angular, best.of_b));
    }
  }
  for (var step = 1u; step <= MOST_STEPS; step++) {
    let turn_a = turn_by(motion_a.angular * time);
    let turn_b = turn_by(motion_b.angular * time);
    place_a = Place(motion_a.centre, turn_a.x, turn_a.y, vec2f());
    place_b = Place(motion_b.centre, turn_b.x, turn_b.y, way * time);
    if (!has_axis) {
      let found = closest(i, a, j, b, o);
      if (found.distance <= near) {
        if (!known) {
          return uncertain(step);
        }
        let word = IMPACT_HIT | (step << IMPACT_STEPS_SHIFT);
        return FigureRecord(time, word_of(found.feature_a), word_of(found.feature_b), word);
      }
      if (found.feature_a.is_edge) {
        axis = Axis(unit_normal(i, a, found.feature_a.index), motion_a.angular);
      } else if (found.feature_b.is_edge) {
        axis = Axis(-unit_normal(j, b, found.feature_b.index), motion_b.angular);
      } else {
        axis = Axis((found.point_b - found.point_a) / found.distance, 0.0);
      }
    }
    has_axis = false;
    let rest = 1.0 - time;
    let scene = Scene(i, j, axis.normal, way, o, rest);
    var next = stays(scene, motion_a, motion_b, axis.turn, limits);
    if (axis.turn != 0.0 && next < rest) {
      next = max(next, stays(scene, motion_a, motion_b, 0.0, limits));
    }
    if (next >= rest) {
      return FigureRecord(1.0, 0u, 0u, IMPACT_APART | (step << IMPACT_STEPS_SHIFT));
    }
    if (time + next <= time && step > 1u) {
      return uncertain(step);
    }
    time += next;
  }
  return uncertain(MOST_STEPS);
}
