// What every kernel of a figure has: its bindings, its polygons, its entry point.
// The file of the figure provides FigureRecord and figure(i, j), the host POSED; still.wgsl or moving.wgsl the figures and
// moved(i, block).

@group(0) @binding(0) var<uniform> params: FigureParams;
@group(0) @binding(1) var<storage, read> polygons: array<Polygon>;
@group(0) @binding(2) var<storage, read> placements: array<Placement>;
@group(0) @binding(3) var<storage, read> blocks: array<Block>;
@group(0) @binding(4) var<storage, read> pairs: array<vec2u>;

// Covers the relative error of roots, quotients and products of a few factors.
const FEW_ROUNDINGS: f32 = 0x1p-18;
// Squares of lengths below this may have lost bits to underflow.
const LEAST_SQUARE: f32 = 0x1p-100;
// Covers any length.
const ANY: f32 = 0x1p+100;

fn placed_block(i: u32, index: u32) -> Block {
  if (POSED) {
    return moved(i, place(placements[i], blocks[index]));
  }
  return moved(i, blocks[index]);
}

fn block_count(polygon: Polygon) -> u32 {
  return (vertex_count(polygon) + BLOCK_VERTICES - 1u) / BLOCK_VERTICES;
}

// A vertex of a placed polygon, relative to its anchor; the number after the last is the first's.
fn vertex_at(i: u32, polygon: Polygon, number: u32) -> vec2f {
  let k = select(number, 0u, number >= vertex_count(polygon));
  let block = placed_block(i, polygon.first_block + k / BLOCK_VERTICES);
  return vec2f(block.x[k % BLOCK_VERTICES], block.y[k % BLOCK_VERTICES]);
}

// The size of a pair, of which FIGURE_BOUND is a part; never more than the host's, whose radii are not rounded up.
fn size_of_pair(a: Polygon, b: Polygon, origin: vec2f) -> f32 {
  return 0.75 * (radius_of(a) + radius_of(b)) + max(abs(origin.x), abs(origin.y));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = (group.y * params.groups_x + group.x) * WORKGROUP_SIZE + lane;
  if (k < params.pair_count) {
    let pair = pairs[k];
    figures[k] = figure(pair.x, pair.y + params.b_offset);
  }
}
