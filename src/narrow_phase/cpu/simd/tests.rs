//! The fast filter against the judge; kernels broken on purpose.

use super::*;
use crate::geometry::{Aabb, Pieces, PolygonSet};
use crate::grid::Grid;
use crate::narrow_phase::cpu::records::Buffers;
use crate::narrow_phase::test_scenes::{Pairs, candidates, scenes};
use crate::scenes::Scene as GeneratedScene;
use crate::vector::Plain;

/// Both sides as the filter reads them; as polygons of any number of vertices if `large`, else by what they have.
fn records(pairs: &Pairs, large: bool) -> [Records; 2] {
    let boxes = [&pairs.a, &pairs.b].map(PolygonSet::piece_aabbs);
    let grid = Grid::over(boxes.iter().flatten().copied().fold(Aabb::EMPTY, Aabb::union));
    let most = |set| crate::narrow_phase::cpu::records::most_vertices(set);
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

#[test]
fn never_wrong_and_seldom_uncertain() {
    for large in [false, true] {
        for (scene, pairs) in scenes() {
            let records = records(&pairs, large);
            let mut codes = Vec::new();
            filter_codes(Scene { a: &records[0], b: &records[1] }, &pairs.indices(), &mut codes);
            let verdict = pairs.verdict_of(&codes);
            assert_eq!(verdict.wrong, 0, "{scene}, large: {large}: {verdict:?}");
            let plain =
                [codes_by::<Whole, false>(&records, &pairs), codes_by::<Whole, true>(&records, &pairs)];
            for plain in &plain {
                assert_eq!(pairs.verdict_of(plain).wrong, 0, "{scene}, large: {large}");
            }
            // Vector code is compiled from the same safe functions, and rounds as they do.
            assert!(plain.contains(&codes), "{scene}, large: {large}");
        }
        for scene in [
            GeneratedScene::Boxes,
            GeneratedScene::Ngons,
            GeneratedScene::BigNgons,
            GeneratedScene::Crowd,
            GeneratedScene::Clustered,
        ] {
            let pairs = candidates(scene, 20_000);
            let verdict = pairs.verdict_of(&codes_by::<Whole, false>(&records(&pairs, large), &pairs));
            assert_eq!(verdict.wrong, 0, "{}: {verdict:?}", scene.name());
            assert!(verdict.uncertain * 10_000 < verdict.pairs, "{}: {verdict:?}", scene.name());
        }
    }
}

macro_rules! broken {
    ($name:ident, $doc:literal, $($body:tt)*) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        struct $name;
        impl Steps for $name { $($body)* }
    };
}
broken!(
    FlippedSign,
    "Separations with the wrong sign.",
    fn separation<I: Instructions>(i: I, s: I::Lanes) -> I::Lanes {
        i.splat(0.0).sub(s)
    }
);
broken!(
    NoLastVertex,
    "The last vertex is never projected.",
    fn vertex_count(count: usize) -> usize {
        count - 1
    }
);
broken!(
    NoFirstAxes,
    "The first four edges of a block are never tried.",
    fn separation<I: Instructions>(i: I, s: I::Lanes) -> I::Lanes {
        let mut lanes = s.to_array();
        lanes[..4].fill(-1e30);
        i.load(&lanes, 0)
    }
);
broken!(
    FirstBlock,
    "Edges beyond the first eight are never tried.",
    fn row(row: &[f32]) -> &[f32] {
        &row[..LANES + 1]
    }
);
broken!(
    TenthOfTheBound,
    "A bound that is too small.",
    fn bound(bound: Bound) -> Bound {
        Bound { slope: 0.1 * bound.slope, offset: 0.1 * bound.offset }
    }
);

fn assert_caught<S: Steps>(name: &str, large: bool) {
    let wrong: usize = scenes()
        .iter()
        .map(|(_, pairs)| pairs.verdict_of(&codes_by::<S, false>(&records(pairs, large), pairs)).wrong)
        .sum();
    eprintln!("{name} {large} {wrong}");
    assert!(wrong > 0, "{name} was not caught, large: {large}");
}

#[test]
fn broken_kernels_are_caught() {
    for large in [false, true] {
        assert_caught::<FlippedSign>("a flipped sign", large);
        assert_caught::<NoLastVertex>("a dropped vertex", large);
        assert_caught::<NoFirstAxes>("dropped axes", large);
        assert_caught::<TenthOfTheBound>("a bound cut to a tenth", large);
    }
    assert_caught::<FirstBlock>("dropped blocks", true);
}
