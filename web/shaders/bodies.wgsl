// Draws bodies from the world's own records. The vertices of a shape are its corners and its centre of mass. Each
// edge has a triangle whose first corner is the start of the edge. BodyState is the library's record, which is put
// before this file.

struct View {
  // A point at the world position `p` has the clip coordinates `scale * p + shift`.
  scale: vec2f,
  shift: vec2f,
  // Pixels per unit of length.
  pixels: f32,
  quantum: f32,
  // The slot of the highlighted body.
  selected: u32,
  padding: u32,
  // Colours with straight alpha: one per kind of body, then the colours of lines, of the highlighted body and of the
  // background.
  palette: array<vec4f, 9>,
}

struct Corner {
  // The position relative to the centre of mass.
  at: vec2f,
  // The distance from the centre of mass to the edge that begins at this corner.
  edge: f32,
  // The least such distance of all edges of the shape.
  nearest: f32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> states: array<BodyState>;
@group(0) @binding(2) var<storage, read> corners: array<Corner>;

// Replaces the index of a corner for the centre of mass.
const CENTRE: u32 = 0xffffffffu;
const STATIC: u32 = 0u;
const LINE: u32 = 6u;
const SELECTED: u32 = 7u;

// The output of the vertex stage. Flat values come from the first corner of a triangle.
struct Painted {
  @builtin(position) position: vec4f,
  // The position from the edge (0) to the centre of mass (1).
  @location(0) inward: f32,
  @location(1) @interpolate(flat) fill: vec4f,
  // In pixels: the distance from the centre of mass to the edge, the width outside of the edge that counts as inside,
  // and the width of the outline. The last component is the strength of the outline.
  @location(2) @interpolate(flat) line: vec4f,
}

@vertex
fn corner(@location(0) slot: u32, @location(1) kind: u32, @location(2) number: u32) -> Painted {
  let is_centre = number == CENTRE;
  let corner = corners[select(number, 0u, is_centre)];
  let thickness = corner.nearest * view.pixels;
  // The triangle extends at least half a pixel beyond the edge, so that the body can fade out.
  let grow = 0.5 / max(thickness, 0.5);
  let arm = select(corner.at * (1.0 + grow), vec2f(), is_centre);
  let turn = states[slot].rotation;
  let turned = vec2f(turn.x * arm.x - turn.y * arm.y, turn.y * arm.x + turn.x * arm.y);
  let at = vec2f(states[slot].anchor) * view.quantum + states[slot].offset + turned;
  let stands_out = slot == view.selected;
  let is_static = kind == STATIC;
  var painted: Painted;
  painted.position = vec4f(view.scale * at + view.shift, 0.0, 1.0);
  painted.inward = select(-grow, 1.0, is_centre);
  painted.fill = view.palette[select(kind, SELECTED, stands_out)];
  painted.line = vec4f(
    corner.edge * view.pixels,
    // Walls do not fade out, since seams between adjacent walls would be visible.
    select(0.0, 1.0, is_static),
    select(0.9, 2.2, stands_out),
    // Small bodies have no outline, since it would fill them. Walls have none, since they overlap and should look
    // like one.
    select(clamp((thickness - 1.2) / 2.5, 0.0, 1.0), 0.0, is_static),
  );
  return painted;
}

@fragment
fn colour(painted: Painted) -> @location(0) vec4f {
  // The distance from the edge in pixels, positive inside.
  let depth = painted.inward * painted.line.x + painted.line.y;
  let is_line = clamp(painted.line.z - depth + 0.5, 0.0, 1.0) * painted.line.w;
  let line = view.palette[LINE];
  let inside = clamp(depth + 0.5, 0.0, 1.0);
  let shade = mix(painted.fill.rgb, line.rgb, is_line * line.a);
  return vec4f(shade, 1.0) * (inside * painted.fill.a);
}
