//! The CPU backend: the certified filter, and exact predicates for what it leaves open.

pub(crate) mod exact;
pub(crate) mod filter;
#[cfg(all(test, feature = "scenes"))]
mod filter_tests;
pub(crate) mod reference;
pub(crate) mod simd;

use rayon::prelude::*;

use crate::layout::{DISJOINT, OVERLAPPING, TOUCHING};
use crate::pack::Packed;
use crate::results::Relation;
use filter::{Native, Shapes};

/// Pairs that one task decides; a constant, so that tasks do not depend on the number of threads.
const TASK: usize = 1024;

/// The filter's code of every pair, into `codes`, in the order of `pairs`.
pub(crate) fn filter_codes(packed: &Packed, pairs: &[[u32; 2]], codes: &mut Vec<u8>) {
    let scene = Shapes { shapes: &packed.shapes, vertices: &packed.vertices };
    codes.clear();
    pairs
        .par_iter()
        .with_min_len(TASK)
        .map(|&[a, b]| {
            let a = &packed.instances[a as usize];
            let b = &packed.instances[(b + packed.b_offset) as usize];
            filter::relation::<Native>(scene, a, b) as u8
        })
        .collect_into_vec(codes);
}

/// The relation that a decided code stands for; none for an uncertain one.
pub(crate) fn relation_of(code: u8) -> Option<Relation> {
    match u32::from(code) {
        DISJOINT => Some(Relation::Disjoint),
        TOUCHING => Some(Relation::Touching),
        OVERLAPPING => Some(Relation::Overlapping),
        _ => None,
    }
}
