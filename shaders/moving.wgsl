// Provides moved(i, v) for polygons that move. The kernel sets their displacements and rotations at each time.

@group(0) @binding(5) var<storage, read> motions: array<MotionRecord>;
@group(0) @binding(6) var<storage, read_write> figures: array<FigureRecord>;

// The motion of a polygon from its placement: a rotation about the centre, then a translation.
struct Place {
  centre: vec2f,
  // The sine of the angle of rotation.
  sine: f32,
  // 1 minus the cosine of the angle of rotation.
  versine: f32,
  // The translation.
  by: vec2f,
}

// The index of A. Every other index is B. If A and B are the same polygon, they overlap at the start.
var<private> moving_a: u32;
// The motion of A.
var<private> place_a: Place;
// The motion of B.
var<private> place_b: Place;

fn moved_to(place: Place, v: Block) -> Block {
  let arm = Block(v.x - place.centre.x, v.y - place.centre.y);
  return Block(
    (v.x - (arm.y * place.sine + arm.x * place.versine)) + place.by.x,
    (v.y + (arm.x * place.sine - arm.y * place.versine)) + place.by.y,
  );
}

fn moved(i: u32, v: Block) -> Block {
  if (i == moving_a) {
    return moved_to(place_a, v);
  }
  return moved_to(place_b, v);
}

// Returns the sine of an angle, and 1 minus its cosine. The magnitude of the angle is at most 2^9 radians. The function
// uses only sums and products, because the error of a device's own sine may be 2^-11.
fn turn_by(angle: f32) -> vec2f {
  // 2 pi is the sum of two constants. The first constant has so few bits that its multiples are exact.
  let turns = round(angle * 0.15915494);
  let half = 0.5 * ((angle - turns * 6.28125) - turns * 0.0019353072);
  let z = half * half;
  let sine = half
    * (1.0 - z * (1.0 / 6.0) * (1.0 - z * (1.0 / 20.0) * (1.0 - z * (1.0 / 42.0) * (1.0 - z * (1.0 / 72.0)
    * (1.0 - z * (1.0 / 110.0) * (1.0 - z * (1.0 / 156.0)))))));
  let cosine = 1.0
    - z * 0.5 * (1.0 - z * (1.0 / 12.0) * (1.0 - z * (1.0 / 30.0) * (1.0 - z * (1.0 / 56.0)
    * (1.0 - z * (1.0 / 90.0) * (1.0 - z * (1.0 / 132.0) * (1.0 - z * (1.0 / 182.0)))))));
  return vec2f(2.0 * sine * cosine, 2.0 * sine * sine);
}
