// Entry point, one invocation: writes the number of touches, and the size of the dispatch over the touches. If the
// touches do not fit in their buffer, the step fails and the dispatch is empty.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> touch_starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> control: array<u32>;
@group(0) @binding(3) var<storage, read_write> lists: array<vec4u>;

@compute @workgroup_size(1)
fn main() {
  var count = 0u;
  if (control[FAILED] == 0u) {
    count = touch_starts[control[PAIR_COUNT]];
    if (count > params.contact_capacity) {
      control[FAILED] = TOO_MANY_TOUCHES;
      control[NEEDED] = count;
      count = 0u;
      lists[PAIRS_LIST] = vec4u();
    }
  }
  control[TOUCH_COUNT] = count;
  lists[TOUCHES_LIST] = groups_of(count, WORKGROUP_SIZE);
}
