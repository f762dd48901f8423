//! Tests the containment filter against exact arithmetic, with fault injection.

use super::containment::{containment_codes, decide};
use super::*;
use crate::answers::containment::Containment;
use crate::kernels::containment;
use crate::kernels::faults::{Fault, Kernel, assert_caught};
use crate::kernels::nested_scenes::nested;
use crate::kernels::test_scenes::Pairs;
use crate::packed::layout::UNCERTAIN;
use crate::simd::Plain;

fn truth(pairs: &Pairs) -> Vec<Containment> {
    let of = |[i, j]: [u32; 2]| containment::decide(&pairs.a, i as usize, &pairs.b, j as usize).expect("few");
    pairs.indices().into_iter().map(of).collect()
}

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
    for (scene, pairs, is_random) in nested() {
        let truth = truth(&pairs);
        for large in [false, true] {
            let records = pairs.records(large);
            let mut codes = Vec::new();
            containment_codes(Scene { a: &records[0], b: &records[1] }, &pairs.indices(), &mut codes);
            let [wrong, uncertain] = verdict(&truth, &codes);
            assert_eq!(wrong, 0, "{scene}, large: {large}");
            assert!(!is_random || uncertain * 1000 < truth.len(), "{scene}, large: {large}: {uncertain}");
            assert_eq!(verdict(&truth, &codes_by(&records, &pairs))[0], 0, "{scene}, large: {large}");
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

#[test]
fn broken_kernels_are_caught() {
    for large in [false, true] {
        let scenes: Vec<_> =
            nested().into_iter().map(|(_, pairs, _)| (truth(&pairs), pairs.records(large), pairs)).collect();
        let wrong = || {
            scenes.iter().map(|(truth, records, pairs)| verdict(truth, &codes_by(records, pairs))[0]).sum()
        };
        let context = if large { "any number of vertices" } else { "few vertices" };
        for fault in [Fault::FlippedSign, Fault::NoLastVertex, Fault::TenthOfTheBound] {
            assert_caught(Kernel::Containment, fault, context, wrong);
        }
    }
}
