// Draws bodies where the world's own records say they are. An instance is a body, and a fan of triangles about its centre of mass:
// BodyState is the world's, put before this file.

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

struct Body {
  slot: u32,
  first_corner: u32,
  corner_count: u32,
  kind: u32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> states: array<BodyState>;
@group(0) @binding(2) var<storage, read> corners: array<Corner>;
@group(0) @binding(3) var<storage, read> bodies: array<Body>;

const STATIC: u32 = 0u;
const LINE: u32 = 6u;
const SELECTED: u32 = 7u;

struct Painted {
  @builtin(position) position: vec4f,
  // Pixels from the edge, inside positive.
  @location(0) depth: f32,
  @location(1) @interpolate(flat) fill: vec4f,
  // How wide the line around the body is in pixels, and how strong.
  @location(2) @interpolate(flat) line: vec2f,
}

@vertex
fn corner(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Painted {
  let body = bodies[instance];
  let state = states[body.slot];
  let edge = vertex / 3u;
  let first = corners[body.first_corner + edge];
  let thickness = first.nearest * view.pixels;
  var arm = vec2f();
  var depth = first.edge * view.pixels;
  if (vertex % 3u != 0u) {
    arm = first.at;
    if (vertex % 3u == 2u) {
      arm = corners[body.first_corner + (edge + 1u) % body.corner_count].at;
    }
    // Half a pixel beyond the edge at least, so that it can fade out.
    let grow = 0.5 / max(thickness, 0.5);
    arm *= 1.0 + grow;
    depth *= -grow;
  }
  let turn = state.rotation;
  let turned = vec2f(turn.x * arm.x - turn.y * arm.y, turn.y * arm.x + turn.x * arm.y);
  let at = vec2f(state.anchor) * view.quantum + state.offset + turned;
  let stands_out = body.slot == view.selected;
  var painted: Painted;
  painted.position = vec4f(view.scale * at + view.shift, 0.0, 1.0);
  // Walls lie beside each other: what fades out between them would be a seam.
  painted.depth = depth + select(0.0, 1.0, body.kind == STATIC);
  painted.fill = view.palette[select(body.kind, SELECTED, stands_out)];
  // Small bodies would be nothing but line; walls overlap, and are one to those who look.
  let strength = select(clamp((thickness - 1.2) / 2.5, 0.0, 1.0), 0.0, body.kind == STATIC);
  painted.line = vec2f(select(0.9, 2.2, stands_out), strength);
  return painted;
}

@fragment
fn colour(painted: Painted) -> @location(0) vec4f {
  let is_line = clamp(painted.line.x - painted.depth + 0.5, 0.0, 1.0) * painted.line.y;
  let line = view.palette[LINE];
  let inside = clamp(painted.depth + 0.5, 0.0, 1.0);
  let shade = mix(painted.fill.rgb, line.rgb, is_line * line.a);
  return vec4f(shade, 1.0) * (inside * painted.fill.a);
}
