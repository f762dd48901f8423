// Entry point, of one invocation: a whole step is counted, and the next colour to revise chosen. Colours that touches keep spread
// as others come and go. Touches of one colour share no body that moves: where they all choose anew, and new ones do not come first,
// each finds its own colour free or a lower one (iterated greedy colouring: Culberson, "Iterated Greedy Graph Coloring and the
// Difficulty Landscape", 1992).

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read_write> control: array<u32>;

@compute @workgroup_size(1)
fn main() {
  if (control[FAILED] == 0u) {
    control[WHOLE_STEPS]++;
    control[KEPT_BODIES] = params.body_count;
    control[WHOLE_PAIRS] = control[PAIR_COUNT];
    control[WHOLE_TOUCHES] = control[TOUCH_COUNT];
    // From the last colour in use down, and around, without the first of either kind.
    var next = control[REVISED_COLOUR];
    next = select(next, COLOURS, next <= 1u) - 1u;
    while (next > 0u && (next == FIRST_FIXED || control[COLOUR_COUNTS + next] == 0u)) {
      next--;
    }
    control[REVISED_COLOUR] = next;
  }
}
