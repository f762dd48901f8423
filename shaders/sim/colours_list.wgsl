// Entry point, of one invocation: where the touches of each colour begin, and the dispatches over them.

@group(0) @binding(0) var<storage, read_write> control: array<u32>;
@group(0) @binding(1) var<storage, read_write> lists: array<vec4u>;

@compute @workgroup_size(1)
fn main() {
  var start = 0u;
  for (var colour = 0u; colour <= COLOURS; colour++) {
    let count = control[COLOUR_COUNTS + colour];
    control[COLOUR_STARTS + colour] = start;
    control[COLOUR_NEXT + colour] = start;
    start += count;
    control[COLOUR_LAST + colour] = start;
    if (colour < WIDE_COLOURS) {
      lists[COLOURS_LIST + colour] = groups_of(count, WORKGROUP_SIZE);
    }
  }
  control[COLOUR_STARTS + COLOURS + 1u] = start;
}
