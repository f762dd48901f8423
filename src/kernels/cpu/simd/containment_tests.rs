//! The filter of containment against exact arithmetic; kernels broken on purpose.

use std::cell::Cell;

use super::containment::{containment_codes, decide};
use super::*;
use crate::answers::containment::Containment;
use crate::geometry::{Aabb, Pieces};
use crate::kernels::containment;
use crate::kernels::nested_scenes::nested;
use crate::kernels::test_scenes::Pairs;
use crate::packed::grid::Grid;
use crate::packed::layout::UNCERTAIN;
use crate::packed::records::{Buffers, most_vertices};
use crate::simd::Plain;

/// Both sides as the filter reads them; as polygons of any number of vertices if `large`, else by what they have.
fn records(pairs: &Pairs, large: bool) -> [Records; 2] {
    let boxes = [pairs.a.piece_aabbs(), pairs.b.piece_aabbs()];
    let grid = Grid::over(boxes.iter().flatten().copied().fold(Aabb::EMPTY, Aabb::union));
    let large = large || most_vertices(&pairs.a).max(most_vertices(&pairs.b)) > LANES;
    let pack = |set, boxes: &[Aabb]| {
        Records::new(Pieces::of(set), boxes, grid, large, Buffers::default()).expect("few")
    };
    [pack(&pairs.a, &boxes[0]), pack(&pairs.b, &boxes[1])]
}

fn truth(pairs: &Pairs) -> Vec<Containment> {
    let of = |[i, j]: [u32; 2]| containment::decide(&pairs.a, i as usize, &pairs.b, j as usize).expect("few");
    pairs.indices().into_iter().map(of).collect()
}

/// Wrong codes, and uncertain ones of polygons that are not equal.
fn verdict(truth: &[Containment], codes: &[u8]) -> [usize; 2] {
    assert_eq!(truth.len(), codes.len());
    let is_uncertain = |code: u8| u32::from(code) == UNCERTAIN;
    let pairs = || truth.iter().zip(codes);
    [
        pairs().filter(|&(&truth, &code)| !is_uncertain(code) && code != truth as u8).count(),
        pairs().filter(|&(&truth, &code)| is_uncertain(code) && truth != Containment::Equal).count(),
    ]
}

fn codes_by<S: Steps>([a, b]: &[Records; 2], pairs: &Pairs) -> Vec<u8> {
    let mut codes = vec![0; pairs.truth.len()];
    decide::<S, _>(Plain::<false>, Scene { a, b }, &pairs.indices(), &mut codes);
    codes
}

#[test]
fn never_wrong_and_seldom_uncertain() {
    for (scene, pairs, is_random) in nested() {
        let truth = truth(&pairs);
        for large in [false, true] {
            let records = records(&pairs, large);
            let mut codes = Vec::new();
            containment_codes(Scene { a: &records[0], b: &records[1] }, &pairs.indices(), &mut codes);
            let [wrong, uncertain] = verdict(&truth, &codes);
            assert_eq!(wrong, 0, "{scene}, large: {large}");
            assert!(!is_random || uncertain * 1000 < truth.len(), "{scene}, large: {large}: {uncertain}");
            assert_eq!(
                verdict(&truth, &codes_by::<Whole>(&records, &pairs))[0],
                0,
                "{scene}, large: {large}"
            );
        }
        if is_random {
            for kind in
                [Containment::Neither, Containment::Covers, Containment::CoveredBy, Containment::Equal]
            {
                assert!(
                    truth.iter().filter(|&&c| c == kind).count() * 50 > truth.len(),
                    "{scene}: few {kind}"
                );
            }
        }
    }
}

/// What is wrong in [`Broken`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    FlippedSign,
    NoLastVertex,
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
        if Self::has(Fault::FlippedSign) { i.splat(0.0).sub(s) } else { s }
    }
    fn vertex_count(count: usize) -> usize {
        if Self::has(Fault::NoLastVertex) { count - 1 } else { count }
    }
}

#[test]
fn broken_kernels_are_caught() {
    let wrong = |large: bool| -> usize {
        nested()
            .iter()
            .map(|(_, pairs, _)| {
                verdict(&truth(pairs), &codes_by::<Broken>(&records(pairs, large), pairs))[0]
            })
            .sum()
    };
    for fault in [Fault::FlippedSign, Fault::NoLastVertex, Fault::TenthOfTheBound] {
        FAULT.set(Some(fault));
        for large in [false, true] {
            assert!(wrong(large) > 0, "{fault:?}, large: {large}");
        }
    }
    FAULT.set(None);
}
