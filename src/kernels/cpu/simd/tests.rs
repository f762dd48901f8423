//! Tests the fast filter against the exact reference, with fault injection.

use super::*;
use crate::kernels::faults::{Fault, Kernel, assert_caught, first_wrong};
use crate::kernels::test_scenes::{Pairs, random_pairs, scenes};
use crate::simd::Plain;

fn codes_by<const FUSED: bool>([a, b]: &[Records; 2], pairs: &Pairs) -> Vec<u8> {
    let mut codes = vec![0; pairs.truth.len()];
    decide::<_>(Plain::<FUSED>, Scene { a, b }, &pairs.indices(), &mut codes);
    codes
}

/// Returns the codes that the variant for wide vectors computes, or `None` if this variant cannot read the records.
fn codes_by_wide<const FUSED: bool>(records: &[Records; 2], pairs: &Pairs) -> Option<Vec<u8>> {
    let [
        Records::Small { records: a, vertex_count: most_a },
        Records::Small { records: b, vertex_count: most_b },
    ] = records
    else {
        return None;
    };
    let (most_vertices, pairs, mut codes) =
        (*most_a.max(most_b), pairs.indices(), vec![0; pairs.truth.len()]);
    DecideSmall { a, b, most_vertices, pairs: &pairs, codes: &mut codes }.decide::<_>(Plain::<FUSED>);
    Some(codes)
}

#[test]
fn never_wrong_and_seldom_uncertain() {
    for large in [false, true] {
        for (scene, pairs) in scenes() {
            let records = pairs.records(large);
            let sides = Scene { a: &records[0], b: &records[1] };
            let (mut codes, mut narrow) = (Vec::new(), vec![0; pairs.truth.len()]);
            filter_codes(sides, &pairs.indices(), &mut codes);
            vectorised(Decide { scene: sides, pairs: &pairs.indices(), codes: &mut narrow });
            let plain = [codes_by::<false>(&records, pairs), codes_by::<true>(&records, pairs)];
            let wide = [codes_by_wide::<false>(&records, pairs), codes_by_wide::<true>(&records, pairs)];
            for codes in plain.iter().chain(wide.iter().flatten()).chain([&codes, &narrow]) {
                let verdict = pairs.verdict_of(codes);
                assert_eq!(verdict.wrong, 0, "{scene}, large: {large}: {verdict:?}");
            }
            // Vector code is compiled from the same safe functions, so it rounds in the same way.
            assert!(plain.contains(&narrow), "{scene}, large: {large}");
            let [wide, wide_fused] = wide;
            let expected = match (wide, wide_fused) {
                (Some(wide), Some(fused)) if has_wide() => [wide, fused],
                _ => plain,
            };
            assert!(expected.contains(&codes), "{scene}, large: {large}");
        }
        for (scene, pairs) in random_pairs() {
            let records = pairs.records(large);
            let wide = codes_by_wide::<false>(&records, pairs);
            for codes in [codes_by::<false>(&records, pairs)].into_iter().chain(wide) {
                let verdict = pairs.verdict_of(&codes);
                assert_eq!(verdict.wrong, 0, "{}: {verdict:?}", scene.name());
                assert!(verdict.uncertain * 10_000 < verdict.pairs, "{}: {verdict:?}", scene.name());
            }
        }
    }
}

#[test]
fn broken_kernels_are_caught() {
    let scenes = [false, true]
        .map(|large| scenes().iter().map(|(_, pairs)| (pairs.records(large), pairs)).collect::<Vec<_>>());
    let by_both = |fault, large: bool| {
        let scenes = &scenes[usize::from(large)];
        let context = if large { "any number of vertices" } else { "few vertices" };
        assert_caught(Kernel::Records, fault, context, || {
            first_wrong(
                scenes
                    .iter()
                    .map(|(records, pairs)| pairs.verdict_of(&codes_by::<false>(records, pairs)).wrong),
            )
        });
        if !large {
            assert_caught(Kernel::Records, fault, "few vertices, wide vectors", || {
                first_wrong(scenes.iter().filter_map(|(records, pairs)| {
                    codes_by_wide::<false>(records, pairs).map(|codes| pairs.verdict_of(&codes).wrong)
                }))
            });
        }
    };
    for large in [false, true] {
        for fault in [Fault::FlippedSign, Fault::NoLastVertex, Fault::NoFirstEdges, Fault::TenthOfTheBound] {
            by_both(fault, large);
        }
    }
    by_both(Fault::FirstBlock, true);
}
