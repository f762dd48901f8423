// Entry point, one invocation: counts a step that succeeded, and chooses the colour that the next step revises. Touches keep
// their colours from step to step, so the number of colours in use grows as touches appear and disappear. A revision lowers this
// number: in the next step, all touches of one colour choose a colour again, together with the new touches. Unless a new touch
// takes it first, each of them finds its own colour or a lower colour free, because touches of one colour share no body that
// contacts move (iterated greedy colouring: Culberson, "Iterated Greedy Graph Coloring and the Difficulty Landscape", 1992).

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read_write> control: array<u32>;

@compute @workgroup_size(1)
fn main() {
  if (control[FAILED] == 0u) {
    control[WHOLE_STEPS]++;
    control[KEPT_BODIES] = params.body_count;
    control[WHOLE_PAIRS] = control[PAIR_COUNT];
    control[WHOLE_TOUCHES] = control[TOUCH_COUNT];
    // The choice goes from the last colour in use down, and then starts again. It skips the first colour of each kind. If no
    // colour is left, it is 0.
    var next = control[REVISED_COLOUR];
    next = select(next, COLOURS, next <= 1u) - 1u;
    while (next > 0u && (next == FIRST_FIXED || control[COLOUR_COUNTS + next] == 0u)) {
      next--;
    }
    control[REVISED_COLOUR] = next;
  }
}
