//! The fast filter against the judge; kernels broken on purpose.

use std::cell::Cell;

use super::*;
use crate::geometry::{Aabb, Pieces};
use crate::kernels::test_scenes::{Pairs, candidates, scenes};
use crate::packed::grid::Grid;
use crate::packed::records::Buffers;
use crate::scenes::Scene as GeneratedScene;
use crate::simd::Plain;

/// Both sides as the filter reads them; as polygons of any number of vertices if `large`, else by what they have.
fn records(pairs: &Pairs, large: bool) -> [Records; 2] {
    let boxes = [pairs.a.piece_aabbs(), pairs.b.piece_aabbs()];
    let grid = Grid::over(boxes.iter().flatten().copied().fold(Aabb::EMPTY, Aabb::union));
    let most = |set| crate::packed::records::most_vertices(set);
    let large = large || most(&pairs.a).max(most(&pairs.b)) > LANES;
    let pack = |set, boxes: &[Aabb]| {
        Records::new(Pieces::of(set), boxes, grid, large, Buffers::default()).expect("few")
    };
    [pack(&pairs.a, &boxes[0]), pack(&pairs.b, &boxes[1])]
}

fn codes_by<S: Steps, const FUSED: bool>([a, b]: &[Records; 2], pairs: &Pairs) -> Vec<u8> {
    let mut codes = vec![0; pairs.truth.len()];
    decide::<S, _>(Plain::<FUSED>, Scene { a, b }, &pairs.indices(), &mut codes);
    codes
}

/// By the form for machines with wide vectors, if there is one.
fn codes_by_wide<S: Steps, const FUSED: bool>(records: &[Records; 2], pairs: &Pairs) -> Option<Vec<u8>> {
    let [
        Records::Small { records: a, vertex_count: most_a },
        Records::Small { records: b, vertex_count: most_b },
    ] = records
    else {
        return None;
    };
    let (most_vertices, pairs, mut codes) =
        (*most_a.max(most_b), pairs.indices(), vec![0; pairs.truth.len()]);
    DecideSmall { a, b, most_vertices, pairs: &pairs, codes: &mut codes }.decide::<S, _>(Plain::<FUSED>);
    Some(codes)
}

#[test]
fn never_wrong_and_seldom_uncertain() {
    for large in [false, true] {
        for (scene, pairs) in scenes() {
            let records = records(&pairs, large);
            let sides = Scene { a: &records[0], b: &records[1] };
            let (mut codes, mut narrow) = (Vec::new(), vec![0; pairs.truth.len()]);
            filter_codes(sides, &pairs.indices(), &mut codes);
            vectorised(Decide { scene: sides, pairs: &pairs.indices(), codes: &mut narrow });
            let plain =
                [codes_by::<Whole, false>(&records, &pairs), codes_by::<Whole, true>(&records, &pairs)];
            let wide = [
                codes_by_wide::<Whole, false>(&records, &pairs),
                codes_by_wide::<Whole, true>(&records, &pairs),
            ];
            for codes in plain.iter().chain(wide.iter().flatten()).chain([&codes, &narrow]) {
                let verdict = pairs.verdict_of(codes);
                assert_eq!(verdict.wrong, 0, "{scene}, large: {large}: {verdict:?}");
            }
            // Vector code is compiled from the same safe functions, and rounds as they do.
            assert!(plain.contains(&narrow), "{scene}, large: {large}");
            let [wide, wide_fused] = wide;
            let expected = match (wide, wide_fused) {
                (Some(wide), Some(fused)) if has_wide() => [wide, fused],
                _ => plain,
            };
            assert!(expected.contains(&codes), "{scene}, large: {large}");
        }
        for scene in [
            GeneratedScene::Boxes,
            GeneratedScene::Ngons,
            GeneratedScene::BigNgons,
            GeneratedScene::Crowd,
            GeneratedScene::Clustered,
        ] {
            let pairs = candidates(scene, 20_000);
            let records = records(&pairs, large);
            let wide = codes_by_wide::<Whole, false>(&records, &pairs);
            for codes in [codes_by::<Whole, false>(&records, &pairs)].into_iter().chain(wide) {
                let verdict = pairs.verdict_of(&codes);
                assert_eq!(verdict.wrong, 0, "{}: {verdict:?}", scene.name());
                assert!(verdict.uncertain * 10_000 < verdict.pairs, "{}: {verdict:?}", scene.name());
            }
        }
    }
}

/// What is wrong in [`Broken`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Separations have the wrong sign.
    FlippedSign,
    /// The last vertex is never projected.
    NoLastVertex,
    /// The first four edges of a block are never tried.
    NoFirstAxes,
    /// Edges beyond the first eight are never tried.
    FirstBlock,
    /// The bound is too small.
    TenthOfTheBound,
}

thread_local! {
    /// What is wrong in [`Broken`] on this thread.
    static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// The filter with the fault that [`FAULT`] names: one type for all faults, so that each kernel is compiled for it once.
#[derive(Clone, Copy)]
struct Broken;

impl Broken {
    fn has(fault: Fault) -> bool {
        FAULT.get() == Some(fault)
    }
}

impl Steps for Broken {
    fn bound(bound: Bound) -> Bound {
        if !Self::has(Fault::TenthOfTheBound) {
            return bound;
        }
        Bound { slope: 0.1 * bound.slope, offset: 0.1 * bound.offset }
    }
    fn separation<I: Instructions>(i: I, s: I::Lanes) -> I::Lanes {
        match FAULT.get() {
            Some(Fault::FlippedSign) => i.splat(0.0).sub(s),
            Some(Fault::NoFirstAxes) => {
                let mut lanes = s.to_array();
                lanes[..4].fill(-1e30);
                i.load(&lanes, 0)
            }
            _ => s,
        }
    }
    fn separation_of_both<I: WideInstructions>(i: I, s: I::Singles) -> I::Singles {
        match FAULT.get() {
            Some(Fault::FlippedSign) => i.singles(0.0).sub(s),
            Some(Fault::NoFirstAxes) => {
                let mut lanes = s.to_array();
                lanes[..8].fill(-1e30);
                let [a, b] = [
                    lanes[0..].iter().copied().step_by(2).collect::<Vec<f32>>(),
                    lanes[1..].iter().copied().step_by(2).collect::<Vec<f32>>(),
                ];
                i.interleaved(&a, &b, 0)
            }
            _ => s,
        }
    }
    fn vertex_count(count: usize) -> usize {
        if Self::has(Fault::NoLastVertex) { count - 1 } else { count }
    }
    fn row(row: &[f32]) -> &[f32] {
        if Self::has(Fault::FirstBlock) { &row[..LANES + 1] } else { row }
    }
}

fn assert_caught(fault: Fault, large: bool) {
    FAULT.set(Some(fault));
    let (mut wrong, mut wrong_by_wide) = (0, 0);
    for (_, pairs) in scenes() {
        let records = records(&pairs, large);
        wrong += pairs.verdict_of(&codes_by::<Broken, false>(&records, &pairs)).wrong;
        let wide = codes_by_wide::<Broken, false>(&records, &pairs);
        wrong_by_wide += wide.map_or(0, |codes| pairs.verdict_of(&codes).wrong);
    }
    FAULT.set(None);
    assert!(wrong > 0, "{fault:?} was not caught, large: {large}");
    assert!(large || wrong_by_wide > 0, "{fault:?} was not caught in the form for wide vectors");
}

#[test]
fn broken_kernels_are_caught() {
    for large in [false, true] {
        assert_caught(Fault::FlippedSign, large);
        assert_caught(Fault::NoLastVertex, large);
        assert_caught(Fault::NoFirstAxes, large);
        assert_caught(Fault::TenthOfTheBound, large);
    }
    assert_caught(Fault::FirstBlock, true);
}
