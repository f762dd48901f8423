//! Tests the containment filter against exact arithmetic, with fault injection.

use super::containment::{containment_codes, decide};
use super::*;
use crate::answers::containment::Containment;
use crate::kernels::faults::{Fault, Kernel, assert_caught, first_wrong};
use crate::kernels::nested_scenes::{Nested, nested};
use crate::kernels::test_scenes::Pairs;
use crate::packed::layout::UNCERTAIN;
use crate::simd::Plain;

/// Returns the number of wrong codes, and the number of uncertain codes for polygons that are not equal.
fn verdict(truth: &[Containment], codes: &[u8]) -> [usize; 2] {
    assert_eq!(truth.len(), codes.len());
    let is_uncertain = |code: u8| u32::from(code) == UNCERTAIN;
    let pairs = || truth.iter().zip(codes);
    [
        pairs().filter(|&(&truth, &code)| !is_uncertain(code) && code != truth as u8).count(),
        pairs().filter(|&(&truth, &code)| is_uncertain(code) && truth != Containment::Equal).count(),
    ]
}

fn codes_by([a, b]: &[Records; 2], pairs: &Pairs) -> Vec<u8> {
    let mut codes = vec![0; pairs.truth.len()];
    decide::<_>(Plain::<false>, Scene { a, b }, &pairs.indices(), &mut codes);
    codes
}

#[test]
fn never_wrong_and_seldom_uncertain() {
    for Nested { name: scene, pairs, truth, is_random } in nested() {
        for large in [false, true] {
            let records = pairs.records(large);
            let mut codes = Vec::new();
            containment_codes(Scene { a: &records[0], b: &records[1] }, &pairs.indices(), &mut codes);
            let [wrong, uncertain] = verdict(truth, &codes);
            assert_eq!(wrong, 0, "{scene}, large: {large}");
            assert!(!is_random || uncertain * 1000 < truth.len(), "{scene}, large: {large}: {uncertain}");
            assert_eq!(verdict(truth, &codes_by(&records, pairs))[0], 0, "{scene}, large: {large}");
        }
        if *is_random {
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

#[test]
fn broken_kernels_are_caught() {
    for large in [false, true] {
        let scenes: Vec<_> = nested().iter().map(|scene| (scene, scene.pairs.records(large))).collect();
        let wrong = || {
            first_wrong(
                scenes
                    .iter()
                    .map(|(scene, records)| verdict(&scene.truth, &codes_by(records, &scene.pairs))[0]),
            )
        };
        let context = if large { "any number of vertices" } else { "few vertices" };
        for fault in [Fault::FlippedSign, Fault::NoLastVertex, Fault::TenthOfTheBound] {
            assert_caught(Kernel::Containment, fault, context, wrong);
        }
    }
}
