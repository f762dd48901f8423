//! The CPU backend: the certified filter, and exact predicates for what it leaves open.

pub(crate) mod exact;
pub(crate) mod filter;
#[cfg(all(test, feature = "scenes"))]
mod filter_tests;
pub(crate) mod records;
pub(crate) mod reference;
pub(crate) mod simd;

use crate::layout::{DISJOINT, OVERLAPPING, TOUCHING};
use crate::results::Relation;

/// The relation that a decided code stands for; none for an uncertain one.
pub(crate) fn relation_of(code: u8) -> Option<Relation> {
    match u32::from(code) {
        DISJOINT => Some(Relation::Disjoint),
        TOUCHING => Some(Relation::Touching),
        OVERLAPPING => Some(Relation::Overlapping),
        _ => None,
    }
}
