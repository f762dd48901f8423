//! Computes the parts of a segment that convex polygons cover, as exact fractions of the segment's length.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::convex::Vertex;
use crate::geometry::posed_image::area;
use crate::geometry::predicates::edges;

/// A position on a segment, as an exact fraction of its length: 0 at the start of the segment, 1 at its end.
#[derive(Clone, Debug)]
pub(super) struct Fraction {
    numerator: BigInt,
    /// The denominator of the fraction, which is positive.
    denominator: BigInt,
}

/// The part of a segment that a convex polygon covers. The part is longer than a point.
#[derive(Clone, Debug)]
pub(super) struct Chord {
    from: Fraction,
    to: Fraction,
    /// Whether the polygon has points to the left of the segment's line. If so, it contains all points that are to the
    /// left of the chord's interior and near enough to it.
    pub(super) has_left: bool,
    /// Whether the polygon has points to the right of the segment's line. If so, it contains all points that are to the
    /// right of the chord's interior and near enough to it.
    pub(super) has_right: bool,
}

impl Fraction {
    fn whole(value: i8) -> Self {
        Self { numerator: value.into(), denominator: 1.into() }
    }

    fn compare(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }

    fn greater(self, other: Self) -> Self {
        if other.compare(&self).is_gt() { other } else { self }
    }

    fn lesser(self, other: Self) -> Self {
        if other.compare(&self).is_lt() { other } else { self }
    }
}

/// Returns the part of the segment from `p` to `q` that `polygon` covers, or `None` if this part is empty or only a
/// point.
pub(super) fn chord<V: Vertex>(p: &V, q: &V, polygon: &[V]) -> Option<Chord> {
    let (mut has_left, mut has_right) = (false, false);
    for v in polygon {
        let side = V::orientation(p, q, v);
        has_left |= side > 0.0;
        has_right |= side < 0.0;
    }
    let (mut from, mut to) = (Fraction::whole(0), Fraction::whole(1));
    // Each edge clips the segment to the part on the left of the edge (Cyrus and Beck 1978, "Generalized Two- and
    // Three-Dimensional Clipping").
    for (r, s) in edges(polygon) {
        let (at_p, at_q) = (V::orientation(r, s, p), V::orientation(r, s, q));
        if at_p >= 0.0 && at_q >= 0.0 {
            continue;
        }
        if at_p <= 0.0 && at_q <= 0.0 {
            return None;
        }
        let [r, s] = [r.image(), s.image()];
        let (at_p, at_q) = (area(&r, &s, &p.image()), area(&r, &s, &q.image()));
        let enters = at_p < at_q;
        let (numerator, denominator) =
            if enters { (-&at_p, &at_q - &at_p) } else { (at_p.clone(), &at_p - &at_q) };
        let crossing = Fraction { numerator, denominator };
        if enters {
            from = from.greater(crossing);
        } else {
            to = to.lesser(crossing);
        }
    }
    from.compare(&to).is_lt().then_some(Chord { from, to, has_left, has_right })
}

/// Returns whether the union of `chords` covers `whole`, which is a part of the same segment.
pub(super) fn cover(whole: &Chord, mut chords: Vec<Chord>) -> bool {
    crate::base::sorting::sort_by(&mut chords, |c, d| c.from.compare(&d.from));
    let mut reached = whole.from.clone();
    for chord in chords {
        if chord.from.compare(&reached).is_gt() {
            return false;
        }
        reached = reached.greater(chord.to);
        if reached.compare(&whole.to).is_ge() {
            return true;
        }
    }
    false
}
