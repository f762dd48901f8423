//! Tests the filter on the caller's vertices against the exact reference, with fault injection.

use std::sync::LazyLock;

use super::*;
use crate::answers::results::Relation;
use crate::kernels::faults::{Fault, Kernel, assert_caught_in, first_wrong};
use crate::kernels::test_scenes::{Pairs, Random, adversarial, adversarial_with_four, random_pairs, scenes};
use crate::simd::Plain;

/// Scenes of polygons without poses: those that all tests of filters share, and scenes in which some gaps are as small as a few
/// rounding errors of f64.
static OWN_SCENES: LazyLock<[(&'static str, Pairs); 2]> = LazyLock::new(|| {
    let spread = 8.0 * 2f64.powi(-29);
    // The scenes have many pairs, because only a few errors come near their bounds.
    [
        ("adversarial in f64", adversarial(100_000, spread)),
        ("adversarial in f64, of four", adversarial_with_four(100_000, spread)),
    ]
});

fn static_scenes() -> Vec<(&'static str, &'static Pairs)> {
    let all = scenes().iter().chain(OWN_SCENES.iter()).map(|(scene, pairs)| (*scene, pairs));
    let all: Vec<_> = all.filter(|(_, pairs)| pairs.a.is_static() && pairs.b.is_static()).collect();
    assert!(all.len() >= 6);
    all
}

/// Returns the pairs in which both polygons have at least `least` and at most `most` vertices, or `None` if there are
/// no such pairs.
fn of_counts([least, most]: [usize; 2], pairs: &'static Pairs) -> Option<&'static Pairs> {
    let few = |i: &usize| {
        [&pairs.a, &pairs.b].iter().all(|set| (least..=most).contains(&set.piece_vertices(*i).len()))
    };
    let found: Vec<usize> = (0..pairs.truth.len()).filter(few).collect();
    if found.len() == pairs.truth.len() {
        return Some(pairs);
    }
    let of = |set: &PolygonSet| {
        let rings: Vec<Vec<DVec2>> = found.iter().map(|&i| set.piece_vertices(i).to_vec()).collect();
        PolygonSet::from_convex_rings(&rings).expect("they were convex")
    };
    // The relations of the pairs are known.
    let truth: Vec<Relation> = found.iter().map(|&i| pairs.truth[i]).collect();
    let part = || Box::leak(Box::new(Pairs::with_truth(of(&pairs.a), of(&pairs.b), truth)));
    (!found.is_empty()).then(|| &*part())
}

/// The least and the greatest number of vertices of the polygons in the tests of the variant for four vertices.
const FOURS: [usize; 2] = [4, 4];
/// The least and the greatest number of vertices of the polygons in the tests of the variant for at most four vertices.
const FEW: [usize; 2] = [3, 4];
/// The least and the greatest number of vertices of the polygons in the tests of the variant for at most eight vertices.
const EIGHT: [usize; 2] = [3, 8];
/// The least and the greatest number of vertices of the polygons in the tests of the variant for larger polygons.
const ANY: [usize; 2] = [3, MOST_VERTICES];

/// Every combination of a scene and a variant of the filter, with the pairs of the scene that the variant can decide.
static CASES: LazyLock<Vec<(&'static str, &'static Pairs, Form)>> = LazyLock::new(|| {
    let (scenes, mut cases) = (static_scenes(), Vec::new());
    for counts in [FOURS, FEW, EIGHT, ANY] {
        for &(scene, pairs) in &scenes {
            let Some(pairs) = of_counts(counts, pairs) else { continue };
            let [least_vertices, most_vertices] = counts;
            let per_unit = 1.0 / pairs.packed.grid.quantum;
            let form = Form { least_vertices, most_vertices, per_unit };
            cases.push((scene, pairs, form));
        }
    }
    cases
});

fn codes_by<const FUSED: bool>(pairs: &Pairs, form: Form) -> Vec<u8> {
    let mut codes = vec![0; pairs.truth.len()];
    let (a, b) = (Polygons::of(&pairs.a), Polygons::of(&pairs.b));
    let task = Decide { form, a, b, pairs: &pairs.indices(), codes: &mut codes };
    task.decide::<_>(Plain::<FUSED>);
    codes
}

#[test]
fn never_wrong_and_as_plain_numbers() {
    for (scene, pairs, form) in CASES.iter() {
        let plain = [codes_by::<false>(pairs, *form), codes_by::<true>(pairs, *form)];
        let mut codes = plain[0].clone();
        if has_wide() || has_doubles() && form.has_quads() {
            filter_codes(*form, &pairs.a, &pairs.b, &pairs.indices(), &mut codes);
        }
        for codes in plain.iter().chain([&codes]) {
            let verdict = pairs.verdict_of(codes);
            assert_eq!(verdict.wrong, 0, "{scene}, {form:?}: {verdict:?}");
        }
        assert!(plain.contains(&codes), "{scene}, {form:?}");
    }
}

#[test]
fn seldom_uncertain() {
    for (scene, pairs) in random_pairs() {
        let form = Form::of_static(&pairs.a, &pairs.b, pairs.packed.grid.quantum).expect("static and small");
        for [least_vertices, most_vertices] in [[form.least_vertices, form.most_vertices], ANY] {
            let form = Form { least_vertices, most_vertices, ..form };
            let codes = codes_by::<false>(pairs, form);
            let verdict = pairs.verdict_of(&codes);
            assert_eq!(verdict.wrong, 0, "{scene}: {verdict:?}");
            assert!(verdict.uncertain * 10_000 < verdict.pairs, "{scene}: {verdict:?}");
        }
    }
}

/// Asserts that the fault in `step` gives wrong answers, for each variant that uses the step and does not compensate
/// for the fault.
fn assert_caught(fault: Fault, step: Step) {
    let forms: &[[usize; 2]] = match step {
        Step::Quads => &[FOURS, FEW],
        // For larger polygons, the step proves only overlaps. With the wrong sign it proves none, and with fewer
        // vertices it tests a smaller inner polygon, so both faults are harmless.
        Step::Octagons if matches!(fault, Fault::FlippedSign | Fault::NoLastVertex) => &[EIGHT],
        Step::Octagons => &[EIGHT, ANY],
        Step::Direction | Step::Edges => &[ANY],
    };
    for form in forms {
        let cases = CASES.iter().filter(|(_, _, of)| [of.least_vertices, of.most_vertices] == *form);
        let wrong = || {
            first_wrong(
                cases.map(|(_, pairs, form)| pairs.verdict_of(&codes_by::<false>(pairs, *form)).wrong),
            )
        };
        let context = format!("{step:?}, {} to {} vertices", form[0], form[1]);
        assert_caught_in(Kernel::Direct, fault, step as u8, &context, wrong);
    }
}

#[test]
fn broken_kernels_are_caught() {
    // The direction test does not use edges, so it cannot lose its first edges, and no scene comes near its bound.
    let all = [Step::Quads, Step::Octagons, Step::Direction, Step::Edges];
    let of_edges = [Step::Quads, Step::Octagons, Step::Edges];
    for step in all {
        assert_caught(Fault::FlippedSign, step);
        assert_caught(Fault::NoLastVertex, step);
    }
    for step in of_edges {
        assert_caught(Fault::NoFirstEdges, step);
        assert_caught(Fault::TenthOfTheBound, step);
    }
}

/// Tests the bound on random integers, because no scene has a pair near this bound.
#[test]
fn a_directions_bound_holds_and_a_tenth_of_it_does_not() {
    let mut random = Random(0x005e_ed0f_d1ec);
    let mut integer = |bits: i32| ((random.unit() - 0.5) * 2f64.powi(bits)).trunc();
    let mut worst = 0.0f64;
    for _ in 0..20_000 {
        // Integers make the result exact in i128. They have enough bits that each step rounds in f64.
        let vertex = DVec2::new(integer(52), integer(52)) * 2f64.powi(20);
        let origin = DVec2::new(integer(52), integer(52));
        let direction = [integer(24), integer(24)];
        let exact = |c: f64, v: f64, r: f64| c as i128 * (v as i128 - r as i128);
        let exact = exact(direction[0], vertex.x, origin.x) + exact(direction[1], vertex.y, origin.y);
        for (along, magnitude) in [
            large::reach::<_>(Plain::<false>, &[vertex], origin, direction),
            large::reach::<_>(Plain::<true>, &[vertex], origin, direction),
        ] {
            let error = (along as i128 - exact).unsigned_abs() as f64;
            assert!(error <= DIRECTION * magnitude, "{vertex}, {origin}, {direction:?}");
            worst = worst.max(error / (DIRECTION * magnitude));
        }
    }
    assert!(worst > 0.1, "{worst}");
}
