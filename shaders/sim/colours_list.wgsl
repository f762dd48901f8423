// Entry point, one invocation: computes the position of the first touch of each colour in the order of colours, and
// the dispatch sizes for the touches of colours.

@group(0) @binding(0) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> lists: array<vec4u>;

@compute @workgroup_size(1)
fn main() {
  start_colours();
  for (var colour = 0u; colour < WIDE_COLOURS; colour++) {
    let number = select(colour, FIRST_FIXED + colour - WIDE_FREE, colour >= WIDE_FREE);
    lists[COLOURS_LIST + colour] = groups_of(atomicLoad(&control[COLOUR_COUNTS + number]), WORKGROUP_SIZE);
  }
}
