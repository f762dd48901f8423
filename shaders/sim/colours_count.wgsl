// Entry point, one invocation per touch: counts the touches of each colour.

@group(0) @binding(0) var<storage, read> colours: array<u32>;
@group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;

var<workgroup> counts: array<atomic<u32>, COLOURS + 1u>;

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
  if (k < atomicLoad(&control[TOUCH_COUNT])) {
    atomicAdd(&counts[min(colours[k], COLOURS)], 1u);
  }
  workgroupBarrier();
  if (lane <= COLOURS) {
    let count = atomicLoad(&counts[lane]);
    if (count > 0u) {
      atomicAdd(&control[COLOUR_COUNTS + lane], count);
    }
  }
}
