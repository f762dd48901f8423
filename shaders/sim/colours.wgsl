// One round of colouring for one touch. A touch without a colour wins if it has the greatest priority among the
// touches without a colour at each of its bodies. The touch takes a colour that neither body has. Each body has four
// words. The first three words rotate with the round modulo 3: one holds the greatest priority of this round, one
// collects the greatest priority for the next round, and one is cleared for the round after that. The fourth word
// holds the body's colours as bits.

@group(0) @binding(1) var<storage, read> ends: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> colours: array<u32>;
@group(0) @binding(3) var<storage, read_write> body_colours: array<atomic<u32>>;

fn is_greatest(body: u32, priority: u32, round: u32) -> bool {
  return body == NOBODY || atomicLoad(&body_colours[4u * body + round]) == priority;
}

fn colours_of(body: u32) -> u32 {
  if (body == NOBODY) {
    return 0u;
  }
  return atomicLoad(&body_colours[4u * body + 3u]);
}

fn give(body: u32, taken: u32) {
  if (body != NOBODY) {
    atomicStore(&body_colours[4u * body + 3u], taken);
  }
}

fn go_on(body: u32, priority: u32, round: u32, is_left: bool) {
  if (body != NOBODY) {
    if (is_left) {
      atomicMax(&body_colours[4u * body + (round + 1u) % 3u], priority);
    }
    atomicStore(&body_colours[4u * body + (round + 2u) % 3u], 0u);
  }
}

// Returns the colour of a touch whose bodies already have the colours `taken`: the first free colour for touches of
// its kind. If none is free, returns the first other free colour. If no colour is free, returns COLOURS. The CPU twin
// is `free_colour` in src/sim/cpu/colours.rs.
fn free_colour(taken: u32, moves_both: bool) -> u32 {
  const FREE: u32 = (1u << FIRST_FIXED) - 1u;
  let colour = countTrailingZeros(~(taken | select(FREE, ~FREE, moves_both)));
  return select(min(countTrailingZeros(~taken), COLOURS), colour, colour < COLOURS);
}

// Runs one round for a touch. Returns true if the touch still has no colour.
fn is_left(k: u32, round: u32) -> bool {
  if (colours[k] != NO_COLOUR) {
    return false;
  }
  let bodies = ends[k];
  let priority = priority_of(k);
  let wins = is_greatest(bodies.x, priority, round) && is_greatest(bodies.y, priority, round);
  if (wins) {
    let a = colours_of(bodies.x);
    let b = colours_of(bodies.y);
    let colour = free_colour(a | b, bodies.x != NOBODY && bodies.y != NOBODY);
    colours[k] = colour;
    if (colour < COLOURS) {
      give(bodies.x, a | (1u << colour));
      give(bodies.y, b | (1u << colour));
    }
  }
  go_on(bodies.x, priority, round, !wins);
  go_on(bodies.y, priority, round, !wins);
  return !wins;
}
