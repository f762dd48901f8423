//! Codes of the filter of containment, which says of two convex pieces which one has the other in its interior, or that neither covers
//! the other.

use crate::answers::containment::Containment;

/// The containment that a code stands for, or `None` for an uncertain code. No filter finds polygons equal.
pub(crate) fn containment_of(code: u8) -> Option<Containment> {
    [Containment::Neither, Containment::Covers, Containment::CoveredBy].into_iter().find(|&c| c as u8 == code)
}
