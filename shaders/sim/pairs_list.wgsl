// Entry point, one invocation: writes the number of pairs, and the sizes of the dispatches over the pairs. If the
// pairs do not fit in their buffer, the step fails and the dispatches are empty.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> pair_starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> control: array<u32>;
@group(0) @binding(3) var<storage, read_write> lists: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> figure_params: FigureParams;

@compute @workgroup_size(1)
fn main() {
  let found = pair_starts[params.body_count];
  if (control[FAILED] == 0u && found > params.pair_capacity) {
    control[FAILED] = TOO_MANY_PAIRS;
    control[NEEDED] = found;
  }
  let whole = control[FAILED] == 0u;
  let count = select(0u, found, whole);
  let list = groups_of(count, WORKGROUP_SIZE);
  control[PAIR_COUNT] = count;
  lists[PAIRS_LIST] = list;
  lists[PAIRS_AND_END_LIST] = groups_of(select(0u, count + 1u, whole), WORKGROUP_SIZE);
  lists[PAIRS_SCAN_LIST] = groups_of(select(0u, count + 1u, whole), SCAN_LENGTH);
  // Twice the greatest reach is at least the sum of the reaches of any two bodies.
  figure_params = FigureParams(count, max(list.x, 1u), 0u, 2.0 * bitcast<f32>(control[REACH]), 0u);
}
