// Entry point, one invocation per touch: sorts the touches by colour. Within a colour, touches with one point come
// first, so that few invocations wait for neighbours with two points. The order is otherwise arbitrary. It has no
// effect, because touches of one colour share no body that contacts move.

@group(0) @binding(0) var<storage, read> colours: array<u32>;
@group(0) @binding(1) var<storage, read> touches: array<TouchRecord>;
@group(0) @binding(2) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> order: array<u32>;

// The number of kinds of touches with one point: one kind for each colour, and one kind for touches without a colour.
const COLOUR_KINDS: u32 = COLOURS + 1u;
// The number of kinds of touches with one point or two points. The kinds with two points come after the kinds with one
// point.
const KINDS: u32 = 2u * COLOUR_KINDS;
const_assert KINDS <= WORKGROUP_SIZE;

var<workgroup> counts: array<atomic<u32>, KINDS>;
var<workgroup> starts: array<u32, KINDS>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  if (lane < KINDS) {
    atomicStore(&counts[lane], 0u);
  }
  workgroupBarrier();
  let k = number_of(group, groups, lane);
  let exists = k < atomicLoad(&control[TOUCH_COUNT]);
  var kind = 0u;
  var number = 0u;
  if (exists) {
    kind = min(colours[k], COLOURS) + select(0u, COLOUR_KINDS, touches[k].point_count == 2u);
    number = atomicAdd(&counts[kind], 1u);
  }
  workgroupBarrier();
  if (lane < KINDS) {
    let count = atomicLoad(&counts[lane]);
    if (count > 0u && lane < COLOUR_KINDS) {
      starts[lane] = atomicAdd(&control[COLOUR_NEXT + lane], count);
    } else if (count > 0u) {
      // Touches with two points fill the colour's range from its end.
      starts[lane] = atomicSub(&control[COLOUR_LAST + lane - COLOUR_KINDS], count) - count;
    }
  }
  workgroupBarrier();
  if (exists) {
    order[starts[kind] + number] = k;
  }
}
