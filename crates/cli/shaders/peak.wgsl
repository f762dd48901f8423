// Measures peak f32 arithmetic. Each invocation runs eight independent chains of four-lane fused multiply-adds. The loop
// loads nothing from storage buffers.

struct PeakParams {
  factor: f32,
  summand: f32,
  turns: u32,
}

@group(0) @binding(0) var<uniform> params: PeakParams;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let factor = vec4f(params.factor);
  let summand = vec4f(params.summand);
  var a = vec4f(f32(id.x)) + vec4f(0.0, 1.0, 2.0, 3.0);
  var b = a + 4.0;
  var c = a + 8.0;
  var d = a + 12.0;
  var e = a + 16.0;
  var f = a + 20.0;
  var g = a + 24.0;
  var h = a + 28.0;
  for (var turn = 0u; turn < params.turns; turn++) {
    a = fma(a, factor, summand);
    b = fma(b, factor, summand);
    c = fma(c, factor, summand);
    d = fma(d, factor, summand);
    e = fma(e, factor, summand);
    f = fma(f, factor, summand);
    g = fma(g, factor, summand);
    h = fma(h, factor, summand);
  }
  let sum = (a + b) + (c + d) + ((e + f) + (g + h));
  // Several invocations write to the same word, and nothing reads it. The write keeps the compiler from removing the loop.
  sums[id.x % arrayLength(&sums)] = sum.x + sum.y + sum.z + sum.w;
}
