//! Tests the GPU backend against the exact reference, on any adapter: with fault injection, with very small limits, and
//! with a lost device.
//!
//! These tests need an adapter, and fail without an adapter. A software adapter is sufficient (Debian:
//! mesa-vulkan-drivers).

use super::{GpuDevice, GpuNarrowPhase, Lanes, relation_kernel};
use crate::answers::area::LeastAreas;
use crate::answers::backend::Backend;
use crate::base::error::Error;
use crate::engine::Engine;
use crate::geometry::{ConvexPolygon, PolygonSet};
use crate::gpu::adapter;
use crate::kernels::test_scenes::{Pairs, candidates, near_touching, posed, random_pairs, scenes};
use crate::packed::layout::CODES_PER_WORD;

use crate::answers::results::{Counts, Relation, Timings};
use crate::queries::kinds::{Containments, Distances, Hits, Impacts, Manifolds, Penetrations, Relations};
use crate::scenes::Scene;

pub(super) fn gpu_with(source: &str, limits: Option<wgpu::Limits>) -> GpuNarrowPhase {
    gpu_on(&device(limits), source)
}

pub(super) fn gpu_on(device: &GpuDevice, source: &str) -> GpuNarrowPhase {
    pollster::block_on(GpuNarrowPhase::on(device.clone(), source)).expect("a pipeline")
}

/// Returns a new device with the given limits, or with the limits that the engine requests if `limits` is `None`.
fn device(limits: Option<wgpu::Limits>) -> GpuDevice {
    pollster::block_on(async {
        let adapter = adapter::any().await.unwrap_or_else(|error| panic!("{error}"));
        let Some(required_limits) = limits else {
            return GpuDevice::request(&adapter).await.expect("a device");
        };
        let required_features = adapter.features() & wgpu::Features::SUBGROUP;
        let descriptor = wgpu::DeviceDescriptor { required_limits, required_features, ..Default::default() };
        let (device, queue) = adapter.request_device(&descriptor).await.expect("a device of small limits");
        GpuDevice::of_caller(device, queue)
    })
}

/// Returns the sources of the relation shader that run on the device: with workgroup memory, and with subgroup
/// operations if the device has them.
fn shaders() -> Vec<String> {
    Lanes::all(&device(None)).into_iter().map(relation_kernel::shader).collect()
}

/// Returns the source of the relation shader that runs on every device: the variant without subgroup operations.
fn shader() -> String {
    relation_kernel::shader(Lanes::Workgroup)
}

pub(super) fn codes(gpu: &GpuNarrowPhase, pairs: &Pairs) -> (Vec<u8>, Counts) {
    codes_without(gpu, pairs, None)
}

/// Returns the codes and the counts of all pairs. With the area kernel, leaves out the pairs that are certainly below
/// the thresholds `least`.
pub(super) fn codes_without(
    gpu: &GpuNarrowPhase,
    pairs: &Pairs,
    least: Option<LeastAreas>,
) -> (Vec<u8>, Counts) {
    let (mut codes, mut counts, mut timings) = (Vec::new(), Counts::default(), Timings::default());
    pollster::block_on(async {
        let mut session = pairs.session(gpu, &mut timings).await.expect("polygons fit");
        session.leave_out(least);
        session
            .filter_codes(&pairs.indices(), &mut codes, &mut counts, &mut timings)
            .await
            .expect("the device answers");
    });
    (codes, counts)
}

#[test]
fn the_shader_is_never_wrong_and_seldom_uncertain() {
    let gpus: Vec<_> = shaders().iter().map(|shader| gpu_with(shader, None)).collect();
    for (scene, pairs) in scenes() {
        let found: Vec<_> = gpus.iter().map(|gpu| codes(gpu, pairs).0).collect();
        let verdict = pairs.verdict_of(&found[0]);
        assert_eq!(verdict.wrong, 0, "{scene}: {verdict:?}");
        assert!(verdict.uncertain < verdict.pairs, "{scene} decides nothing: {verdict:?}");
        assert!(found.iter().all(|codes| *codes == found[0]), "{scene}: the forms differ");
    }
    for (scene, pairs) in random_pairs() {
        for gpu in &gpus {
            let verdict = pairs.verdict_of(&codes(gpu, pairs).0);
            assert!(verdict.uncertain * 10_000 < verdict.pairs, "{}: {verdict:?}", scene.name());
        }
    }
}

#[test]
fn broken_shaders_are_caught() {
    let device = device(None);
    let is_caught = |broken: &str| {
        let gpu = gpu_on(&device, broken);
        scenes().iter().any(|(_, pairs)| pairs.verdict_of(&codes(&gpu, pairs).0).wrong > 0)
    };
    for (fault, original, broken) in [
        ("a flipped sign", "let separation = least +", "let separation = -least +"),
        ("a dropped last edge", "+ first < vec4u(count)", "+ first + 1u < vec4u(count)"),
        (
            "a dropped vertex",
            "min(direction.x * v.x.z + direction.y * v.y.z,",
            "min(direction.x * v.x.w + direction.y * v.y.w,",
        ),
        ("a dropped block of four", "at + 1u < end_a))", "false))"),
        ("a dropped block of eight", "vertex_count(polygon) > BLOCK_VERTICES", "false"),
        ("a dropped last block", "k < end_b", "k + 1u < end_b"),
        ("no move", "+ placement.offset.x,", ","),
        ("a turn the wrong way", "(r.x * v.x - r.y * v.y)", "(r.x * v.x + r.y * v.y)"),
        ("a bound cut to a tenth", "return rounding + (", "return 0.1 * rounding + 0.1 * ("),
        (
            "a pair index off by one",
            "let pair = pairs[k]",
            "let pair = pairs[min(k + 1u, params.end_pair - 1u)]",
        ),
        ("a code in its neighbour's bits", "<< (BITS_PER_CODE * i)", "<< (BITS_PER_CODE * (i ^ 1u))"),
    ] {
        let source = shader();
        assert_eq!(source.matches(original).count(), 1, "{fault}: the line to break is in the shader once");
        assert!(is_caught(&source.replace(original, broken)), "{fault} was not caught");
    }
    let Some(source) = shaders().into_iter().nth(1) else { return };
    let fills_words = device.device.adapter_info().subgroup_min_size >= CODES_PER_WORD;
    for (fault, needs_words, original, broken) in [
        ("a lane's own code for all", false, "code_of(k + i)", "code_of(k)"),
        ("a code in its neighbour's bits", false, "<< (BITS_PER_CODE * i)", "<< (BITS_PER_CODE * (i ^ 1u))"),
        (
            "bits of the wrong lanes",
            true,
            "let shift = invocation.place % 32u",
            "let shift = (invocation.place ^ 16u) % 32u",
        ),
        (
            "lanes in another order",
            true,
            "subgroup + invocation.place;",
            "subgroup + (invocation.place ^ 1u);",
        ),
    ] {
        assert_eq!(source.matches(original).count(), 1, "{fault}: the line to break is in the shader once");
        if needs_words != fills_words {
            continue;
        }
        assert!(is_caught(&source.replace(original, broken)), "{fault} was not caught");
    }
}

#[test]
fn subgroups_of_other_sizes_change_no_answer() {
    if device(None).device.adapter_info().driver != "llvmpipe" {
        return;
    }
    // Mesa's software adapter reads the width of its vectors from the environment, in bits. Each invocation takes 32
    // bits.
    let children = ["128", "512"].map(|bits| {
        let tests = std::env::current_exe().unwrap();
        let child = std::process::Command::new(tests)
            .args(["gpu::tests::the_shader_is_never_wrong", "gpu::tests::broken_shaders_are_caught"])
            .args(["gpu::tests::pairs_of_mixed_sizes", "codes_and_hits_stay_in_the_callers_buffers"])
            .env("LP_NATIVE_VECTOR_WIDTH", bits)
            .stdout(std::process::Stdio::piped())
            .spawn();
        (bits, child.unwrap())
    });
    // Both processes run at the same time.
    for (bits, child) in children {
        let child = child.wait_with_output().unwrap();
        let out = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && out.contains("4 passed"), "{bits}: {out}");
    }
}

#[test]
fn joins_of_every_scene_are_as_on_the_cpu_and_pass_the_cross_check() {
    let cpu = Engine::new(Backend::Cpu).unwrap();
    let gpus =
        shaders().iter().map(|shader| Engine::with_gpu(gpu_with(shader, None), "test")).collect::<Vec<_>>();
    for scene in Scene::ALL {
        let set = PolygonSet::from_convex_rings(&scene.generate(3_000, 5)).unwrap();
        let expected = cpu.self_join(&set).query(Relations).unwrap().items;
        for gpu in &gpus {
            let join = gpu.self_join(&set).check().chunk_pairs(700).query(Relations).unwrap();
            assert!(join.items == expected, "{}", scene.name());
            let report = join.check.unwrap();
            assert_eq!((report.pairs, report.agreements), (join.counts.candidate_pairs, report.pairs));
        }
    }
}

#[test]
fn lists_of_many_chunks_are_the_judges_also_after_one_that_failed() {
    let engine = Engine::with_gpu(gpu_with(&shader(), None), "test");
    let scene = candidates(Scene::Ngons, 2_000);
    let mut prepared = engine.prepare(&scene.a, &scene.b).unwrap();
    // There are more chunks than can be in flight at once. In the list that causes an error, two chunks are in flight
    // when the third chunk is checked.
    let size = 1 << 18;
    let mut list: Vec<[u32; 2]> = scene.indices().into_iter().cycle().take(5 * size + 5).collect();
    let preparation = prepared.preparation();
    let good = std::mem::replace(&mut list[2 * size + 3], [0, u32::MAX]);
    let error = prepared.piece_pairs(&list).query(Relations).unwrap_err();
    let named = |pair, index| (pair, index) == (2 * size + 3, u32::MAX as usize);
    assert!(matches!(error, Error::UnknownPolygon { pair, index, .. } if named(pair, index)), "{error}");
    assert_eq!(prepared.preparation(), preparation);
    // The second list begins at another pair, so the codes that the device still holds from the first list would be
    // wrong.
    list[2 * size + 3] = good;
    let truth: Vec<Relation> = scene.truth.iter().copied().cycle().take(list.len()).collect();
    assert!(prepared.piece_pairs(&list[7..]).query(Relations).unwrap().items == truth[7..]);
    assert_eq!(prepared.preparation(), std::time::Duration::ZERO);
}

/// Returns limits so small that no set of these tests fits in one binding, and that a dispatch has at most two
/// workgroups in each dimension.
pub(super) fn tiny_limits() -> wgpu::Limits {
    let adapter = pollster::block_on(adapter::any()).unwrap_or_else(|error| panic!("{error}"));
    wgpu::Limits {
        max_storage_buffer_binding_size: 2048,
        max_buffer_size: 2048,
        max_compute_workgroups_per_dimension: 2,
        ..adapter.limits()
    }
}

#[test]
fn tiny_limits_change_no_code() {
    let whole = gpu_with(&shader(), None);
    for shader in shaders() {
        let tiny = gpu_with(&shader, Some(tiny_limits()));
        for (scene, pairs) in [("near-touching", near_touching(300)), ("posed", posed(300, 1.5))] {
            let (expected, _) = codes(&whole, &pairs);
            let (found, counts) = codes(&tiny, &pairs);
            assert_eq!(found, expected, "{scene}");
            assert_eq!(counts.oversized, 0, "{scene}");
        }
    }
}

#[test]
fn a_polygon_larger_than_a_binding_goes_to_the_cpu_and_is_counted() {
    let ring = |count: usize, x: f64| -> Vec<[f64; 2]> {
        // The vertices lie on a parabola, so any number of them is convex.
        (0..count).map(|i| i as f64 - count as f64 / 2.0).map(|t| [x + t, t * t]).collect()
    };
    let set =
        PolygonSet::from_convex_rings(&[ring(400, 0.0), ring(5, 1.0), ring(5, 2.0), ring(5, 500.0)]).unwrap();
    let tiny = Engine::with_gpu(gpu_with(&shader(), Some(tiny_limits())), "test");
    let cpu = Engine::new(Backend::Cpu).unwrap();
    let found = tiny.self_join(&set).query(Relations).unwrap();
    assert_eq!(found.items, cpu.self_join(&set).query(Relations).unwrap().items);
    assert_eq!(found.items.len(), 3);
    assert_eq!(found.counts.oversized, 2);
}

#[test]
fn a_lost_device_is_a_typed_error_and_a_new_engine_works() {
    let gpu = gpu_with(&shader(), None);
    let device = gpu.device.device.clone();
    let engine = Engine::with_gpu(gpu, "test");
    let squares =
        [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]]];
    let set = PolygonSet::from_convex(&squares.map(|s| ConvexPolygon::new(&s).unwrap())).unwrap();
    assert_eq!(engine.self_join(&set).query(Relations).unwrap().items.len(), 1);
    device.destroy();
    let error = engine.self_join(&set).query(Relations).unwrap_err();
    assert!(matches!(error, Error::DeviceLost { .. }), "{error:?}");
    let anew = Engine::new(Backend::Gpu).unwrap();
    assert_eq!(anew.self_join(&set).query(Relations).unwrap().items.len(), 1);
}

#[test]
fn a_device_whose_limits_are_too_small_is_refused() {
    let limits = wgpu::Limits { max_storage_buffers_per_shader_stage: 4, ..tiny_limits() };
    let result = pollster::block_on(async {
        let adapter = adapter::any().await.unwrap_or_else(|error| panic!("{error}"));
        let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
        let (device, queue) = adapter.request_device(&descriptor).await.expect("a device of small limits");
        Engine::from_device(device, queue).await
    });
    let error = result.expect_err("four storage buffers are too few");
    assert!(matches!(error, Error::DeviceLimit { available: 4, needed: 6, .. }), "{error:?}");
}

#[test]
fn large_polygons_are_decided_rightly_whoever_decides_them() {
    // Only the last edge or the last vertex decides these pairs, so a loop that ends early gives wrong answers. There
    // are many such pairs next to each other, because neighbouring invocations may share their loops.
    let ring = |count: i32, at: [f64; 2]| -> Vec<[f64; 2]> {
        let below = (-count..=count).map(f64::from).map(|x| [at[0] + x, at[1] + x * x]);
        let above = (1 - count..count)
            .rev()
            .map(f64::from)
            .map(|x| [at[0] + x, at[1] + f64::from(2 * count * count) - x * x]);
        below.chain(above).collect()
    };
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for n in [1, 3, 5, 8, 11, 16, 40, 100, 250] {
        for m in [1, 4, 9, 16, 60, 200] {
            // The rightmost vertex of A touches the leftmost vertex of B, or is slightly apart from it, or slightly
            // inside B.
            for gap in [0.0, 1.0 / 1024.0, -1.0 / 1024.0] {
                a.push(ring(n, [0.0, 0.0]));
                b.push(ring(m, [f64::from(n + m) + gap, f64::from(n * n - m * m)]));
            }
        }
    }
    let set = |rings: &[Vec<[f64; 2]>]| PolygonSet::from_convex_rings(rings).unwrap();
    let pairs = Pairs::new(set(&a), set(&b));
    for shader in shaders() {
        let verdict = pairs.verdict_of(&codes(&gpu_with(&shader, None), &pairs).0);
        assert_eq!(verdict.wrong, 0, "{verdict:?}");
    }
}

#[test]
fn pairs_of_mixed_sizes_have_their_codes_in_the_order_of_the_pairs() {
    let [boxes, ngons, big] = [
        Scene::Boxes.generate(2_000, 3),
        Scene::Ngons.generate(2_000, 3),
        Scene::BigNgons.generate(2_000, 3),
    ];
    let centred = |ring: &[[f64; 2]], at: [f64; 2]| -> Vec<[f64; 2]> {
        ring.iter().map(|v| [v[0] - ring[0][0] + at[0], v[1] - ring[0][1] + at[1]]).collect()
    };
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for i in 0..2_000 {
        let of = |k: usize| [&boxes[i], &ngons[i], &big[i]][k % 3];
        let at = [4.0 * (i % 50) as f64, 4.0 * (i / 50) as f64];
        a.push(centred(of(i), at));
        b.push(centred(of(i / 3), [at[0] + 0.0007 * i as f64, at[1]]));
    }
    let set = |rings: &[Vec<[f64; 2]>]| PolygonSet::from_convex_rings(rings).unwrap();
    let pairs = Pairs::new(set(&a), set(&b));
    let overlapping = pairs.truth.iter().filter(|&&truth| truth == Relation::Overlapping).count();
    assert!(overlapping > 500 && overlapping < 1_500, "{overlapping}");
    let mut found = Vec::new();
    for shader in shaders() {
        for limits in [None, Some(tiny_limits())] {
            found.push(codes(&gpu_with(&shader, limits), &pairs).0);
        }
    }
    let verdict = pairs.verdict_of(&found[0]);
    assert!(verdict.wrong == 0 && verdict.uncertain < 20, "{verdict:?}");
    assert!(found.iter().all(|codes| *codes == found[0]));
}

#[test]
fn joins_at_the_same_time_share_an_engine_and_their_futures_can_be_sent() {
    fn sent<T: Send>(value: T) -> T {
        value
    }
    let engine = Engine::with_gpu(gpu_with(&shader(), None), "test");
    let sets: Vec<PolygonSet> = (0..4)
        .map(|seed| PolygonSet::from_convex_rings(&Scene::Ngons.generate(2_000, seed)).unwrap())
        .collect();
    let alone: Vec<_> =
        sets.iter().map(|set| engine.self_join(set).query(Relations).unwrap().items).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = sets
            .iter()
            .map(|set| {
                scope.spawn(|| {
                    pollster::block_on(sent(engine.self_join(set).chunk_pairs(500).query_async(Relations)))
                        .unwrap()
                        .items
                })
            })
            .collect();
        for (thread, expected) in threads.into_iter().zip(alone) {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
}

#[test]
fn chunks_on_their_way_together_give_the_codes_of_each_in_order_and_a_timeline() {
    let gpu = gpu_with(&shader(), None);
    let pairs = candidates(Scene::BigNgons, 300);
    let (expected, _) = codes(&gpu, &pairs);
    let (mut counts, mut timings) = (Counts::default(), Timings::default());
    let start = std::time::Instant::now();
    let (found, timeline) = pollster::block_on(async {
        let mut session = pairs.session(&gpu, &mut timings).await.expect("polygons fit");
        let indices = pairs.indices();
        let chunks: Vec<_> = indices.chunks(100).collect();
        let (mut found, mut codes) = (Vec::new(), Vec::new());
        for (i, chunk) in chunks.iter().enumerate() {
            session.submit(chunk, &mut counts, &mut timings).await.expect("it is submitted");
            // Collects the codes of each chunk after two more chunks were submitted.
            if i >= 2 {
                session.collect(chunks[i - 2].len(), &mut codes, &mut timings).await.expect("an answer");
                found.append(&mut codes);
            }
        }
        for chunk in &chunks[chunks.len() - 2..] {
            session.collect(chunk.len(), &mut codes, &mut timings).await.expect("an answer");
            found.append(&mut codes);
        }
        (found, session.timeline(start))
    });
    assert_eq!(found, expected);
    // The first two spans are for the polygons of A, and the next two spans are for the polygons of B.
    let prepared = [("pack", 0), ("upload polygons", 0), ("pack", 1), ("upload polygons", 1)];
    let (first, timeline) = timeline.split_at(prepared.len());
    assert!(first.iter().map(|span| (span.stage, span.chunk)).eq(prepared), "{first:?}");
    assert!(first.windows(2).all(|two| two[0].end <= two[1].begin), "{first:?}");
    assert_eq!(timeline.len(), 3 * expected.len().div_ceil(100));
    for stage in ["upload", "kernel", "readback"] {
        let spans: Vec<_> = timeline.iter().filter(|span| span.stage == stage).collect();
        assert!(spans.iter().all(|span| span.begin <= span.end), "{spans:?}");
        assert!(spans.iter().zip(0..).all(|(span, chunk)| span.chunk == chunk), "{spans:?}");
    }
    if gpu.device.has_timestamps() {
        assert!(timings.kernel_on_device.is_some());
    }
}

/// Asserts that the host proposes and uploads the next chunks before it waits for the codes of a chunk. Tests a join
/// whose polygons are all on the device, and a join whose dispatches carry their polygons.
#[test]
fn a_join_works_on_several_chunks_at_once() {
    let set = PolygonSet::from_convex_rings(&Scene::Ngons.generate(500, 1)).unwrap();
    let truth = Engine::new(Backend::Cpu).unwrap().self_join(&set).chunk_pairs(100).query(Relations).unwrap();
    for limits in [None, Some(tiny_limits())] {
        let engine = Engine::with_gpu(gpu_with(&shader(), limits), "test");
        let join = engine.self_join(&set).chunk_pairs(100).query(Relations).unwrap();
        assert_eq!(join.items, truth.items);
        let spans = |stage| join.timeline.iter().filter(move |span| span.stage == stage);
        let begin =
            |stage, chunk| spans(stage).filter(move |span| span.chunk == chunk).map(|span| span.begin);
        let chunks = spans("exact").count() as u32;
        assert!(chunks > 10, "{chunks}");
        for chunk in 0..chunks - 2 {
            // The exact stage of a chunk is the host's work on its answers. A chunk with carried polygons may take
            // several dispatches.
            let answers = begin("exact", chunk).min().unwrap();
            let proposed = begin("broad phase", chunk + 2).max().unwrap();
            assert!(proposed <= answers, "chunk {chunk}: {:?}", join.timeline);
            let dispatched = spans("upload").filter(|span| span.begin <= answers).count() as u32;
            assert!(dispatched >= chunk + 3, "chunk {chunk}: {:?}", join.timeline);
        }
    }
}

#[test]
fn a_join_of_few_pairs_goes_to_the_cpu_and_says_so() {
    let engine = Engine::with_gpu(gpu_with(&shader(), None), "test").with_break_even(1000);
    for (count, backend) in [(100, Backend::Cpu), (2000, Backend::Gpu)] {
        let set = PolygonSet::from_convex_rings(&Scene::Ngons.generate(count, 1)).unwrap();
        let join = engine.self_join(&set).query(Relations).unwrap();
        assert_eq!(join.choice.backend, backend, "{:?}", join.choice);
        assert!(join.choice.reason.contains("1000"), "{:?}", join.choice);
        assert_eq!(join.choice.adapter.is_some(), backend == Backend::Gpu);
    }
    let set = PolygonSet::from_convex_rings(&Scene::Ngons.generate(100, 1)).unwrap();
    let motions = vec![crate::Motion::REST; 100];
    let options = crate::TimeOfImpactOptions::new(1e-3);
    for (count, backend) in [(999, Backend::Cpu), (1000, Backend::Gpu)] {
        let pairs: Vec<[u32; 2]> = (0..count).map(|k| [k % 100, (k + 1) % 100]).collect();
        let choices = [
            engine.piece_pairs(&set, &set, &pairs).query(Relations).unwrap().choice,
            engine.piece_pairs(&set, &set, &pairs).query(Penetrations).unwrap().choice,
            engine.piece_pairs(&set, &set, &pairs).query(Manifolds { margin: 0.1 }).unwrap().choice,
            engine.piece_pairs(&set, &set, &pairs).query(Distances).unwrap().choice,
            engine
                .piece_pairs(&set, &set, &pairs)
                .query(Impacts::new(&motions, &motions, options))
                .unwrap()
                .choice,
            engine.object_pairs(&set, &set, &pairs).query(Containments).unwrap().choice,
        ];
        for choice in choices {
            assert_eq!(choice.backend, backend, "{choice:?}");
            assert!(choice.reason.contains("1000"), "{choice:?}");
        }
    }
    // A prepared set stays on its backend.
    let mut prepared = engine.prepare(&set, &set).unwrap();
    assert_eq!(
        prepared.piece_pairs(&[[0, 1]]).query(Hits { keep: crate::Keep::Meeting }).unwrap().choice.backend,
        Backend::Gpu
    );
    let measured = pollster::block_on(crate::engine::auto::break_even(&engine.backends)).unwrap();
    assert!(measured > 0);
}
