//! The codes of the containment filter. A code says which of two convex pieces contains the other piece in its
//! interior, or that neither piece covers the other, or that the filter is uncertain.

use crate::answers::containment::Containment;

/// Returns the containment that a code stands for, or `None` for the uncertain code. No filter finds that two polygons
/// are equal.
pub(crate) fn containment_of(code: u8) -> Option<Containment> {
    [Containment::Neither, Containment::Covers, Containment::CoveredBy].into_iter().find(|&c| c as u8 == code)
}
