//! Tests the measurement shaders against f64, on any adapter, with fault injection.
#![allow(clippy::unwrap_used, reason = "a test ends where an answer is missing")]

use super::tests::gpu_with;
use super::{Lanes, relation_kernel};
use crate::answers::backend::Backend;
use crate::answers::impact::TimeOfImpactOptions;
use crate::answers::results::Timings;
use crate::engine::Engine;
use crate::geometry::{Aabb, Pieces};
use crate::kernels::cpu::figures::checks::{MARGIN, Pair, TOLERANCE, manifold_of, motions, scenes};
use crate::kernels::measurements::{Frame, WorldManifolds};
use crate::kernels::test_scenes::Pairs;
use crate::packed::grid::Grid;
use crate::packed::layout::UNCERTAIN_FIGURE;
use crate::queries::block_on::block_on;
use crate::queries::kinds::{Distances, Impacts, Penetrations};

/// A function that queries an engine for the measurements of all pairs, and returns the number of wrong measurements.
type Wrong = fn(&Engine, &Pairs) -> usize;

fn count(pairs: &Pairs, is_wrong: impl Fn(&Pair<'_>, usize) -> bool) -> usize {
    (0..pairs.truth.len()).filter(|&index| is_wrong(&Pair::new(pairs, index), index)).count()
}

/// Returns an engine on the CPU. The tests expect an engine on a device to give the same bits.
fn on_cpu() -> Engine {
    Engine::new(Backend::Cpu).unwrap()
}

fn penetrations(engine: &Engine, pairs: &Pairs) -> usize {
    let [found, right] = [engine, &on_cpu()].map(|engine| {
        engine.piece_pairs(&pairs.a, &pairs.b, &pairs.indices()).query(Penetrations).unwrap().items
    });
    count(pairs, |pair, index| found[index] != right[index] || pair.penetration_is_wrong(&found[index]))
}

fn distances(engine: &Engine, pairs: &Pairs) -> usize {
    let [found, right] = [engine, &on_cpu()].map(|engine| {
        engine.piece_pairs(&pairs.a, &pairs.b, &pairs.indices()).query(Distances).unwrap().items
    });
    count(pairs, |pair, index| found[index] != right[index] || pair.distance_is_wrong(&found[index]))
}

/// Counts the wrong manifolds of the kernel that worlds use.
fn manifolds(engine: &Engine, pairs: &Pairs) -> usize {
    let boxes = [Aabb::around_all(&pairs.a.piece_boxes()), Aabb::around_all(&pairs.b.piece_boxes())];
    let grid = Grid::over(boxes[0].union(boxes[1]));
    let gpu = engine.backends.gpu.as_ref().unwrap();
    let sides = [Pieces::of(&pairs.a), Pieces::of(&pairs.b)];
    let mut timings = Timings::default();
    let mut session = block_on(gpu.session(sides[0], Some(sides[1]), grid, &mut timings)).unwrap();
    let margin = (MARGIN / grid.quantum) as f32;
    let records =
        block_on(session.figures::<WorldManifolds>(&pairs.indices(), margin, None, &mut timings)).unwrap();
    let packed = session.packed();
    count(pairs, |pair, index| {
        let certain = records[index].filter(|record| record.edge & UNCERTAIN_FIGURE == 0);
        certain.is_some_and(|record| {
            let origin = grid.position(packed.records.polygons[index].anchor.into());
            pair.manifold_is_wrong(&manifold_of(&record, Frame { origin, quantum: grid.quantum }))
        })
    })
}

fn times(engine: &Engine, pairs: &Pairs) -> usize {
    let [a, b] = motions(pairs);
    let options = TimeOfImpactOptions::new(TOLERANCE);
    let found = engine
        .piece_pairs(&pairs.a, &pairs.b, &pairs.indices())
        .query(Impacts::new(&a, &b, options))
        .unwrap();
    count(pairs, |pair, index| pair.impact_is_wrong(&found.items[index], [&a[index], &b[index]]))
}

const ALL: [(&str, Wrong); 4] =
    [("penetrations", penetrations), ("distances", distances), ("manifolds", manifolds), ("times", times)];

fn engine() -> Engine {
    Engine::with_gpu(gpu_with(&relation_kernel::shader(Lanes::Workgroup), None), "test")
}

#[test]
fn figures_of_the_device_are_right() {
    let engine = engine();
    for (scene, pairs) in scenes() {
        for (what, wrong) in ALL {
            assert_eq!(wrong(&engine, &pairs), 0, "{what} of {scene}");
        }
    }
}

#[test]
fn broken_shaders_are_caught() {
    let engine = engine();
    let kernels = &engine.backends.gpu.as_ref().unwrap().figures;
    let scenes = scenes();
    let mut missed = Vec::new();
    let (gaps, near) = (&ALL[..], &ALL[3..]);
    for (fault, original, broken, questions) in [
        ("a flipped sign", "let gap = (least + (", "let gap = -(least + (", gaps),
        ("a left out last edge", "lanes_below(count, edge);", "lanes_below(count, edge + 1u);", &gaps[2..]),
        (
            "gaps without their errors",
            "let error = select(vec4f(ANY), bound + relative * (bound + abs(gap)), known);",
            "let error = vec4f(0.0);",
            &gaps[..3],
        ),
        (
            "rivals that are not counted",
            "let certain = best.certain && rivals == 1u;",
            "let certain = true;",
            &gaps[..2],
        ),
        (
            "lines for edges in the search",
            "let part = clamp((d.x * along.x + d.y * along.y) * per_square, vec4f(0.0), vec4f(1.0));",
            "let part = (d.x * along.x + d.y * along.y) * per_square;",
            near,
        ),
        (
            "a clip to the next edge's end",
            "let q = vertex_at(i, reference, k + 1u);",
            "let q = vertex_at(i, reference, (k + 2u) % vertex_count(reference));",
            &ALL[2..3],
        ),
        ("no clip", "let cuts_last = along_v > length;", "let cuts_last = false;", &ALL[2..3]),
        ("steps that are too long", "time += next;", "time += 1.5 * next;", &ALL[3..]),
        (
            "a bound that does not bend",
            "let bend = sum * (1.0 + ROUNDINGS);",
            "let bend = 0.0 * sum;",
            &ALL[3..],
        ),
    ] {
        *kernels.fault.lock().unwrap() = Some((original, broken));
        for (what, wrong) in questions {
            kernels.forget();
            if scenes.iter().all(|(_, pairs)| wrong(&engine, pairs) == 0) {
                missed.push(format!("{fault} in {what}"));
            }
        }
    }
    assert!(missed.is_empty(), "not caught: {missed:?}");
}
