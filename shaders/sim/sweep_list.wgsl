// Entry point, one invocation: writes the number of pairs to follow, and the size of the dispatch over these pairs.

@group(0) @binding(0) var<storage, read> control: array<u32>;
@group(0) @binding(1) var<storage, read_write> lists: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> followed: array<vec4u>;

@compute @workgroup_size(1)
fn main() {
  let count = control[FOLLOWED];
  followed[0].x = count;
  lists[FOLLOWED_LIST] = groups_of(count, WORKGROUP_SIZE);
}
