// Draws bodies where the world's own records say they are. The vertices of a body are its corners and its centre of mass, with a
// triangle for each edge, whose first corner is where the edge begins. BodyState is the world's, put before this file.

struct View {
  // Clip space is `scale * place + shift`.
  scale: vec2f,
  shift: vec2f,
  // Pixels a unit of length.
  pixels: f32,
  quantum: f32,
  // The body that stands out.
  selected: u32,
  padding: u32,
  // Straight alpha. By kind; then that of lines, of what stands out, and behind everything.
  palette: array<vec4f, 9>,
}

struct Corner {
  // About the centre of mass.
  at: vec2f,
  // How far from there the edge is that begins here.
  edge: f32,
  // The least of that for any edge of the shape.
  nearest: f32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> states: array<BodyState>;
@group(0) @binding(2) var<storage, read> corners: array<Corner>;

// In the place of a corner.
const CENTRE: u32 = 0xffffffffu;
const STATIC: u32 = 0u;
const LINE: u32 = 6u;
const SELECTED: u32 = 7u;

// What is flat is that of the first corner of a triangle.
struct Painted {
  @builtin(position) position: vec4f,
  // From 0 on the edge to 1 at the centre of mass.
  @location(0) inward: f32,
  @location(1) @interpolate(flat) fill: vec4f,
  // In pixels: how far the edge is from the centre of mass, what more counts as inside, and how wide the line around the body is;
  // how strong that is.
  @location(2) @interpolate(flat) line: vec4f,
}

@vertex
fn corner(@location(0) slot: u32, @location(1) kind: u32, @location(2) number: u32) -> Painted {
  let is_centre = number == CENTRE;
  let corner = corners[select(number, 0u, is_centre)];
  let thickness = corner.nearest * view.pixels;
  // Half a pixel beyond the edge at least, so that it can fade out.
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
    // Walls lie beside each other: what fades out between them would be a seam.
    select(0.0, 1.0, is_static),
    select(0.9, 2.2, stands_out),
    // Small bodies would be nothing but line; walls overlap, and are one to those who look.
    select(clamp((thickness - 1.2) / 2.5, 0.0, 1.0), 0.0, is_static),
  );
  return painted;
}

@fragment
fn colour(painted: Painted) -> @location(0) vec4f {
  // Pixels from the edge, inside positive.
  let depth = painted.inward * painted.line.x + painted.line.y;
  let is_line = clamp(painted.line.z - depth + 0.5, 0.0, 1.0) * painted.line.w;
  let line = view.palette[LINE];
  let inside = clamp(depth + 0.5, 0.0, 1.0);
  let shade = mix(painted.fill.rgb, line.rgb, is_line * line.a);
  return vec4f(shade, 1.0) * (inside * painted.fill.a);
}
