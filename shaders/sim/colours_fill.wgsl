// Entry point, an invocation a touch: the touches of each colour. Their order within it is by chance, and of no account, since
// they share no body.

@group(0) @binding(0) var<storage, read> colours: array<u32>;
@group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> order: array<u32>;

var<workgroup> counts: array<atomic<u32>, COLOURS + 1u>;
var<workgroup> starts: array<u32, COLOURS + 1u>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  if (lane <= COLOURS) {
    atomicStore(&counts[lane], 0u);
  }
  workgroupBarrier();
  let k = number_of(group, groups, lane);
  let exists = k < atomicLoad(&control[TOUCH_COUNT]);
  var colour = 0u;
  var number = 0u;
  if (exists) {
    colour = min(colours[k], COLOURS);
    number = atomicAdd(&counts[colour], 1u);
  }
  workgroupBarrier();
  if (lane <= COLOURS) {
    let count = atomicLoad(&counts[lane]);
    if (count > 0u) {
      starts[lane] = atomicAdd(&control[COLOUR_NEXT + lane], count);
    }
  }
  workgroupBarrier();
  if (exists) {
    order[starts[colour] + number] = k;
  }
}
