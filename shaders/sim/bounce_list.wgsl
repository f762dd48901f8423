// Entry point, one invocation: writes the dispatch sizes of a round of bouncing. The sizes are 0 if nothing bounced in
// the previous round. The host sets FIRST, which is true in the first round.

@group(0) @binding(0) var<storage, read_write> control: array<u32>;
@group(0) @binding(1) var<storage, read_write> lists: array<vec4u>;

@compute @workgroup_size(1)
fn main() {
  for (var colour = 0u; colour <= WIDE_COLOURS; colour++) {
    let at = BOUNCES_LIST + colour;
    if (!FIRST) {
      lists[at] = select(vec4u(), lists[at], control[BOUNCED] != 0u);
    } else if (colour < WIDE_COLOURS) {
      lists[at] = lists[COLOURS_LIST + colour];
    } else {
      lists[at] = groups_of(min(control[TOUCH_COUNT], 1u), 1u);
    }
  }
  control[BOUNCED] = 0u;
  control[BOUNCE_ROUND] = select(control[BOUNCE_ROUND] + 1u, 0u, FIRST);
}
