//! Runs the body of the fuzz target `relation` on fixed inputs.

#[path = "fuzz_bodies/relation.rs"]
mod relation;

use std::cell::Cell;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use relation::{check, relation_from_bytes};
use sat2d::Relation;

/// Returns the first byte of an input, which has the coding of the coordinates and the numbers of vertices of two rings.
fn head(coding: u8, a: u8, b: u8) -> u8 {
    coding | (a - 3) << 2 | (b - 3) << 5
}

const SQUARES: [u8; 16] = [0, 0, 4, 0, 4, 4, 0, 4, 4, 4, 8, 4, 8, 8, 4, 8];

fn with_head(head: u8, bytes: &[u8]) -> Vec<u8> {
    std::iter::once(head).chain(bytes.iter().copied()).collect()
}

#[test]
fn bytes_become_the_polygons_they_say() {
    let decoded = relation_from_bytes(&with_head(head(0, 4, 4), &SQUARES)).expect("two squares");
    assert_eq!(decoded.a.vertices()[2].to_array(), [4.0, 4.0]);
    assert_eq!(decoded.expected, Relation::Touching);
    let decoded = relation_from_bytes(&with_head(head(1, 4, 4), &SQUARES)).expect("two squares, far");
    assert_eq!(decoded.b.vertices()[0].to_array(), [1_048_580.0, 1_048_580.0]);
    assert_eq!(decoded.expected, Relation::Touching);
    // Each coordinate has a step of 0 ulps. Later, the common corner has a step of 1 ulp.
    let mut steps: Vec<u8> = SQUARES.iter().flat_map(|&byte| [byte, 0]).collect();
    assert_eq!(
        relation_from_bytes(&with_head(head(2, 4, 4), &steps)).expect("steps").expected,
        Relation::Touching
    );
    steps[17] = 1;
    steps[19] = 1;
    let decoded = relation_from_bytes(&with_head(head(2, 4, 4), &steps)).expect("steps");
    assert_eq!(decoded.b.vertices()[0].to_array(), [4f64.next_up(); 2]);
    assert_eq!(decoded.expected, Relation::Disjoint);
    let raw: Vec<u8> = SQUARES.iter().flat_map(|&byte| (f64::from(byte) * 0.1).to_le_bytes()).collect();
    assert_eq!(
        relation_from_bytes(&with_head(head(3, 4, 4), &raw)).expect("raw").expected,
        Relation::Touching
    );
    // The ring is not convex, so the triangle of its first three vertices replaces it.
    let dented = [0, 0, 4, 0, 1, 1, 0, 4, 9, 9, 12, 9, 9, 12];
    let decoded = relation_from_bytes(&with_head(head(0, 4, 3), &dented)).expect("a triangle");
    assert_eq!(decoded.a.vertices().len(), 3);
    assert_eq!(decoded.expected, Relation::Disjoint);
}

#[test]
fn too_few_bytes_and_refused_rings_are_no_polygons() {
    assert!(relation_from_bytes(&[]).is_none());
    assert!(relation_from_bytes(&with_head(head(0, 4, 4), &SQUARES[..15])).is_none());
    assert!(relation_from_bytes(&with_head(head(0, 4, 4), &[7; 16])).is_none());
    assert!(relation_from_bytes(&with_head(head(3, 3, 3), &[0xff; 96])).is_none());
}

#[test]
fn both_ways_round_are_asked() {
    let asked = Cell::new(0);
    let answer = check(&with_head(head(0, 4, 4), &SQUARES), |_, _| {
        asked.set(asked.get() + 1);
        Relation::Touching
    });
    assert_eq!((answer, asked.get()), (Some(Relation::Touching), 2));
}

#[test]
#[should_panic(expected = "Touching")]
fn a_wrong_answer_is_caught() {
    check(&with_head(head(0, 4, 4), &SQUARES), |_, _| Relation::Overlapping);
}

#[test]
fn arbitrary_bytes_never_panic_and_give_every_relation() {
    let mut runner = TestRunner::deterministic();
    let bytes = prop::collection::vec(any::<u8>(), 0..330);
    let mut counts = [0; 3];
    for _ in 0..20_000 {
        let data = bytes.new_tree(&mut runner).expect("the strategy gives a value").current();
        if let Some(decoded) = relation_from_bytes(&data) {
            counts[decoded.expected as usize] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count >= 50), "disjoint, touching, overlapping {counts:?}");
}
