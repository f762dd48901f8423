//! The CPU backend: the filter, and exact predicates for the pairs that the filter cannot decide.

pub(crate) mod direct;
pub(crate) mod exact;
mod exact_doubles;
mod exact_lanes;
#[cfg(test)]
mod exact_tests;
#[cfg_attr(not(feature = "sim"), allow(dead_code, reason = "contact points in f32 are of worlds"))]
pub(crate) mod figures;
#[cfg(any(feature = "gpu", all(test, feature = "scenes")))]
#[cfg_attr(not(all(test, feature = "scenes")), allow(dead_code, reason = "shaders are compared with it"))]
pub(crate) mod filter;
#[cfg(all(test, feature = "scenes"))]
pub(crate) mod filter_tests;
mod interleaved;
pub(crate) mod measure;
pub(crate) mod reference;
pub(crate) mod simd;

use crate::answers::results::Relation;
use crate::packed::layout::{DISJOINT, OVERLAPPING, TOUCHING};

/// The factor by which the filters enlarge their error bounds. It covers a relative error of 2^-6, which includes the
/// rounding of the bound itself and the products of two small errors.
pub(crate) const SLACK: f32 = 1.0 + 1.0 / 64.0;
/// A term of the error bounds that covers results below 2^-126, which a device may flush to zero. The bounds multiply
/// such a result by the distance from a vertex of an edge to a vertex of the other polygon. The distance is at most 2^34
/// quanta. The term is many times greater than this product.
pub(crate) const FLUSH: f32 = f32::from_bits((127 - 80) << 23);

/// Returns the relation that a code stands for, or `None` for the uncertain code.
pub(crate) fn relation_of(code: u8) -> Option<Relation> {
    match u32::from(code) {
        DISJOINT => Some(Relation::Disjoint),
        TOUCHING => Some(Relation::Touching),
        OVERLAPPING => Some(Relation::Overlapping),
        _ => None,
    }
}
