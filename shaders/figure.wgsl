// The bindings and the entry point that the kernels of all measurements share. The file of the measurement provides
// FigureRecord and figure(i, j). The host adds POSED, which is true if any polygon is rotated or moved. still.wgsl or
// moving.wgsl provides the binding of the results and moved(i, block).

@group(0) @binding(0) var<uniform> params: FigureParams;
@group(0) @binding(1) var<storage, read> polygons: array<Polygon>;
@group(0) @binding(2) var<storage, read> placements: array<Placement>;
@group(0) @binding(3) var<storage, read> blocks: array<Block>;
@group(0) @binding(4) var<storage, read> pairs: array<vec2u>;

fn placed(i: u32, v: Block) -> Block {
  if (POSED) {
    return moved(i, place(placements[i], v));
  }
  return moved(i, v);
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
