// Entry point, of one invocation: a whole step is counted.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read_write> control: array<u32>;

@compute @workgroup_size(1)
fn main() {
  if (control[FAILED] == 0u) {
    control[STEPS]++;
    control[KEPT_BODIES] = params.body_count;
    control[WHOLE_PAIRS] = control[PAIR_COUNT];
    control[WHOLE_TOUCHES] = control[TOUCH_COUNT];
  }
}
