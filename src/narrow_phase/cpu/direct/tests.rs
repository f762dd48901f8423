//! The filter on the caller's vertices against the judge; kernels broken on purpose.

use super::*;
use crate::geometry::Aabb;
use crate::grid::Grid;
use crate::narrow_phase::test_scenes::{Pairs, adversarial, candidates, scenes};
use crate::scenes::Scene as GeneratedScene;
use crate::vector::Plain;

/// Scenes of polygons that stand where their vertices say; with gaps of a few roundings of f64 too.
fn static_scenes() -> Vec<(&'static str, Pairs)> {
    let mut all = scenes();
    all.push(("adversarial in f64", adversarial(20_000, 8.0 * 2f64.powi(-29))));
    all.retain(|(_, pairs)| pairs.a.is_static() && pairs.b.is_static());
    assert!(all.len() >= 6);
    all
}

/// The pairs of polygons of at most so many vertices.
fn of_at_most(vertices: usize, pairs: &Pairs) -> Option<Pairs> {
    let few = |i: &usize| pairs.a.piece_vertices(*i).len().max(pairs.b.piece_vertices(*i).len()) <= vertices;
    let of = |set: &PolygonSet| {
        let rings: Vec<Vec<DVec2>> =
            (0..pairs.truth.len()).filter(few).map(|i| set.piece_vertices(i).to_vec()).collect();
        PolygonSet::from_convex_rings(&rings).expect("they were convex")
    };
    let (a, b) = (of(&pairs.a), of(&pairs.b));
    (a.piece_count() > 0).then(|| Pairs::new(a, b))
}

/// Each scene with each form that can decide it, or as much of it.
fn cases() -> Vec<(&'static str, Pairs, Form)> {
    let mut cases = Vec::new();
    for most_vertices in [4, 8, MOST_VERTICES] {
        for (scene, pairs) in static_scenes() {
            let Some(pairs) = of_at_most(most_vertices, &pairs) else { continue };
            let boxes = [&pairs.a, &pairs.b].map(PolygonSet::piece_aabbs);
            let grid = Grid::over(boxes.iter().flatten().copied().fold(Aabb::EMPTY, Aabb::union));
            let form = Form { most_vertices, per_unit: 1.0 / grid.quantum };
            cases.push((scene, pairs, form));
        }
    }
    cases
}

fn codes_by<S: Steps, const FUSED: bool>(pairs: &Pairs, form: Form) -> Vec<u8> {
    let mut codes = vec![0; pairs.truth.len()];
    let (a, b) = (Polygons::of(&pairs.a), Polygons::of(&pairs.b));
    let task = Decide { form, a, b, pairs: &pairs.indices(), codes: &mut codes };
    task.decide::<S, _>(Plain::<FUSED>);
    codes
}

#[test]
fn never_wrong_and_as_plain_numbers() {
    for (scene, pairs, form) in cases() {
        let mut codes = Vec::new();
        filter_codes(form, &pairs.a, &pairs.b, &pairs.indices(), &mut codes);
        let plain = [codes_by::<Whole, false>(&pairs, form), codes_by::<Whole, true>(&pairs, form)];
        for codes in plain.iter().chain([&codes]) {
            let verdict = pairs.verdict_of(codes);
            assert_eq!(verdict.wrong, 0, "{scene}, {form:?}: {verdict:?}");
        }
        assert!(plain.contains(&codes), "{scene}, {form:?}");
    }
}

#[test]
fn seldom_uncertain() {
    for scene in [
        GeneratedScene::Boxes,
        GeneratedScene::Ngons,
        GeneratedScene::BigNgons,
        GeneratedScene::Crowd,
        GeneratedScene::Clustered,
    ] {
        let pairs = candidates(scene, 20_000);
        let form = Form::of_static(&pairs.a, &pairs.b, pairs.packed.grid.quantum).expect("static and small");
        for most_vertices in [form.most_vertices, MOST_VERTICES] {
            let codes = codes_by::<Whole, false>(&pairs, Form { most_vertices, ..form });
            let verdict = pairs.verdict_of(&codes);
            assert_eq!(verdict.wrong, 0, "{scene}: {verdict:?}");
            assert!(verdict.uncertain * 10_000 < verdict.pairs, "{scene}: {verdict:?}");
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
broken!(FlippedSign, "Separations with the wrong sign.", const FLIPPED: bool = true;);
broken!(
    NoLastVertex,
    "The last vertex is never projected.",
    fn vertex_count(count: usize) -> usize {
        count - 1
    }
);
broken!(
    NoFirstEdge,
    "The first edge of each polygon, or of its block, is never tried.",
    fn edges(lanes: u32) -> u32 {
        lanes & !0x0111
    }
);
broken!(
    TenthOfTheBound,
    "A bound that is too small.",
    fn bound(bound: f64) -> f64 {
        0.1 * bound
    }
);

fn assert_caught<S: Steps>(name: &str) {
    for most in [4, 8, MOST_VERTICES] {
        let cases = cases();
        let cases = cases.iter().filter(|(_, _, form)| form.most_vertices == most);
        let wrong: usize =
            cases.map(|(_, pairs, form)| pairs.verdict_of(&codes_by::<S, false>(pairs, *form)).wrong).sum();
        assert!(wrong > 0, "{name} was not caught in the form for {most} vertices");
    }
}

#[test]
fn broken_kernels_are_caught() {
    assert_caught::<FlippedSign>("a flipped sign");
    assert_caught::<NoLastVertex>("a dropped vertex");
    assert_caught::<NoFirstEdge>("a dropped edge");
    assert_caught::<TenthOfTheBound>("a bound cut to a tenth");
}
