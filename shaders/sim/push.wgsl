// What pushes the bodies of a touch apart, by the phase that the host sets: PHASE. The entry points choose which touches.
// The twin of Block in src/sim/cpu/push.rs, where the formulas are.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> which: ColourParams;
@group(0) @binding(2) var<storage, read> control: array<u32>;
@group(0) @binding(3) var<storage, read> order: array<u32>;
@group(0) @binding(4) var<storage, read_write> touches: array<TouchRecord>;
@group(0) @binding(5) var<storage, read_write> constraints: array<PushRecord>;
@group(0) @binding(6) var<storage, read_write> moving: array<MovingBody>;

struct ColourParams {
  colour: u32,
}

fn solve(k: u32) {
  let normal = touches[k].normal;
  let tangent = vec2f(normal.y, -normal.x);
  let bodies = touches[k].bodies;
  let constraint = constraints[k];
  let a = moving[bodies.x];
  let b = moving[bodies.y];
  let v = b.velocity - a.velocity;
  let along = dot(v, normal);
  // Of the velocities, along the normal and aside, and of the places.
  var by = 0.0;
  var aside = 0.0;
  var out = 0.0;
  if (PHASE == WARM_START) {
    by = constraint.pushed;
    aside = constraint.rubbed;
  } else if (PHASE == BOUNCE) {
    if (constraint.pushed > 0.0 && constraint.bounce > 0.0) {
      by = max(constraint.bounce - along, 0.0);
    }
    // Of two points, half at each.
    let count = touches[k].point_count;
    let part = constraint.mass / f32(count);
    for (var at = 0u; at < count; at++) {
      touches[k].points[at].normal_impulse = (constraint.pushed + by) * part;
      touches[k].points[at].tangent_impulse = constraint.rubbed * part;
    }
  } else {
    let gap = touches[k].separation + dot(b.displacement - a.displacement, normal);
    let pushed = max(constraint.pushed - (max(gap, 0.0) * params.inverse_h + along), 0.0);
    by = pushed - constraint.pushed;
    // Friction moves aside at most its coefficient times what is pushed.
    let most = touches[k].friction * pushed;
    let rubbed = max(min(constraint.rubbed - dot(v, tangent), most), -most);
    aside = rubbed - constraint.rubbed;
    constraints[k].pushed = pushed;
    constraints[k].rubbed = rubbed;
    out = max(constraint.wanted - gap, 0.0);
  }
  let change = by * normal + aside * tangent;
  if (constraint.share.x > 0.0) {
    moving[bodies.x].velocity = a.velocity - constraint.share.x * change;
    moving[bodies.x].displacement = a.displacement - constraint.share.x * out * normal;
  }
  if (constraint.share.y > 0.0) {
    moving[bodies.y].velocity = b.velocity + constraint.share.y * change;
    moving[bodies.y].displacement = b.displacement + constraint.share.y * out * normal;
  }
}
