// Computes the position of the first touch of each colour in the order of colours, from the counts of the colours.

fn start_colours() {
  var start = 0u;
  for (var colour = 0u; colour <= COLOURS; colour++) {
    atomicStore(&control[COLOUR_STARTS + colour], start);
    atomicStore(&control[COLOUR_NEXT + colour], start);
    start += atomicLoad(&control[COLOUR_COUNTS + colour]);
    atomicStore(&control[COLOUR_LAST + colour], start);
  }
  atomicStore(&control[COLOUR_STARTS + COLOURS + 1u], start);
}
