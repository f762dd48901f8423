//! Finds the least translation that separates two objects.
//!
//! Let A move by the translation `t`. A piece `p` of A then overlaps a piece `q` of B if and only if `t` is in the
//! interior of the Minkowski sum of `q` and `-p`. These sums are convex polygons. The least translation is the point
//! nearest to the origin on the boundary of the union of all these sums ([`search`]). The search computes in f64. Exact
//! arithmetic decides whether the objects still overlap after a translation ([`moved`]).

mod moved;
mod search;
mod sums;

use glam::DVec2;

use super::objects::{image, pieces};
use crate::answers::results::Relation;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::hull::convex_hull;
use crate::geometry::{Aabb, PolygonSet};
use moved::Moved;
use search::{Found, Search};
use sums::Sum;

/// A search for the least translation gives up if there are more pairs of pieces than this.
const MOST_PAIRS: u64 = 4096;
/// A search gives up if there are several pairs of pieces, and all Minkowski sums together have more edges than this.
const MOST_EDGES: usize = 1 << 20;
/// A search finds the least translation up to a certain length, its radius. The radius of the first search is this
/// fraction of the length of the translation that separates the convex hulls.
const FIRST_SHARE: f64 = 1.0 / 64.0;
/// If a search found no translation, the radius of the next search is greater by this factor.
const GROWTH: f64 = 4.0;
/// If the objects still overlap after a translation, the search lengthens the translation by at most this fraction of
/// the size of the pair.
const SLACK: f64 = 1.0 / (1u64 << 40) as f64;
/// A bound on the effect of rounding on a translation, as a fraction of the size of the pair.
const TOLERANCE: f64 = 1.0 / (1u64 << 46) as f64;

/// A translation that separates two objects, A and B: after the translation, A does not overlap B.
///
/// For two convex polygons, the translation is the minimum translation vector. For objects of several pieces, the
/// minimum translation vector of one pair of pieces is not enough, because other pairs may still overlap.
///
/// The guarantee is exact: in real numbers, the translated A touches B or is disjoint from B. If you add the
/// translation to the coordinates of A, each sum is rounded to f64. Because of the rounding error, the objects may then
/// overlap again. To avoid the rounding error, pass the translation as a pose to [`PolygonSet::from_instances`].
///
/// ```
/// use sat2d::{PolygonObject, PolygonSet, SeparatingTranslation, glam::DVec2};
/// let u_shape = [[0.0, 0.0], [6.0, 0.0], [6.0, 4.0], [5.0, 4.0], [5.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];
/// let square = [[0.5, 2.0], [3.5, 2.0], [3.5, 5.0], [0.5, 5.0]];
/// let set = PolygonSet::from_objects(&[
///     PolygonObject::from_polygon(&[square])?,
///     PolygonObject::from_polygon(&[u_shape])?,
/// ])?;
/// let found = SeparatingTranslation::of_objects(&set, 0, &set, 1)?.expect("coordinates of few bits");
/// assert_eq!((found.of_a, found.is_least), (DVec2::new(0.5, 0.0), true));
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SeparatingTranslation {
    /// The translation of A. The translation is 0 if the objects do not overlap. To move B instead of A, use the
    /// opposite vector.
    pub of_a: DVec2,
    /// Whether the translation is the shortest, up to a tolerance t. The tolerance t is 2^-40 times the size of the
    /// pair. If `is_least` is `true`, then after any translation that is shorter by more than t, A overlaps B or is
    /// less than t away from B.
    ///
    /// If `is_least` is `false`, the translation separates the convex hulls of the objects, and a shorter translation
    /// may exist. `is_least` is `false` if more than 4,096 pairs of pieces are near enough to matter, or if the search
    /// for the shortest translation exceeds a fixed amount of work.
    pub is_least: bool,
}

impl SeparatingTranslation {
    /// Returns a translation that separates two objects. A is the object with index `object_a` in `a`. B is the object
    /// with index `object_b` in `b`. `a` and `b` may be the same set. The result is `None` if no translation within the
    /// accepted range of coordinates was found.
    ///
    /// # Errors
    /// Returns [`Error::UnknownObject`] if a set has no object with the given index. Returns [`Error::NoRegion`] if an
    /// object has no polygon.
    pub fn of_objects(
        a: &PolygonSet,
        object_a: usize,
        b: &PolygonSet,
        object_b: usize,
    ) -> Result<Option<Self>> {
        let [range_a, range_b] = [pieces(a, object_a)?, pieces(b, object_b)?];
        let moved = Moved::new((a, range_a.clone()), (b, range_b.clone()));
        if moved.after(DVec2::ZERO)? != Relation::Overlapping {
            return Ok(Some(Self { of_a: DVec2::ZERO, is_least: true }));
        }
        let images = |set: &PolygonSet, range: std::ops::Range<usize>| -> Vec<(Vec<DVec2>, Aabb)> {
            range.map(|piece| image(set.piece(piece))).collect()
        };
        let (images_a, images_b) = (images(a, range_a), images(b, range_b));
        let hull = |images: &[(Vec<DVec2>, Aabb)]| -> Vec<DVec2> {
            let points: Vec<[f64; 2]> =
                images.iter().flat_map(|(vertices, _)| vertices).map(|v| v.to_array()).collect();
            convex_hull(&points).into_iter().map(DVec2::from).collect()
        };
        let around = Sum::new(&hull(&images_a), &hull(&images_b));
        let Some(of_hulls) = out_of_hulls(&around, &moved)? else { return Ok(None) };
        let farthest = of_hulls.length();
        let mut radius = farthest * FIRST_SHARE;
        while let Some(sums) = near(&images_a, &images_b, radius)? {
            // Coordinates of posed pieces are rounded, so their magnitude counts as well.
            let size = if moved.is_rounded() { around.size() + moved.magnitude() } else { around.size() };
            match Search::new(&sums, radius, size).run(&moved)? {
                Found::Translation(of_a) if of_a.length() <= farthest => {
                    return Ok(Some(Self { of_a, is_least: true }));
                }
                Found::TooMuchWork => break,
                // The search found no translation up to this radius, and the radius exceeds the length of `of_hulls`.
                // `of_hulls` is therefore the least translation.
                _ if radius > farthest => return Ok(Some(Self { of_a: of_hulls, is_least: true })),
                _ => radius *= GROWTH,
            }
        }
        Ok(Some(Self { of_a: of_hulls, is_least: false }))
    }

    /// Returns the length of the translation, in the caller's unit.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.of_a.length()
    }
}

/// Returns the Minkowski sums of the pairs of pieces that may have a point within `radius` of the origin. Returns
/// `None` if there are more than [`MOST_PAIRS`] pairs, or several pairs with more than [`MOST_EDGES`] edges. Returns
/// the errors of the broad phase.
fn near(a: &[(Vec<DVec2>, Aabb)], b: &[(Vec<DVec2>, Aabb)], radius: f64) -> Result<Option<Vec<Sum>>> {
    let wide = |aabb: Aabb| Aabb { min: aabb.min - radius, max: aabb.max + radius };
    let boxes_a: Vec<Aabb> = a.iter().map(|&(_, aabb)| wide(aabb)).collect();
    let boxes_b: Vec<Aabb> = b.iter().map(|&(_, aabb)| aabb).collect();
    let pairs = crate::broad_phase::join(&boxes_a, &boxes_b)?;
    if pairs.count_up_to(MOST_PAIRS + 1) > MOST_PAIRS {
        return Ok(None);
    }
    let pairs = pairs.sorted();
    let of = |&[i, j]: &[u32; 2]| (&a[i as usize].0, &b[j as usize].0);
    let edges: usize = pairs.iter().map(of).map(|(a, b)| a.len() + b.len()).sum();
    if pairs.len() > 1 && edges > MOST_EDGES {
        return Ok(None);
    }
    Ok(Some(pairs.iter().map(of).map(|(a, b)| Sum::new(a, b)).collect()))
}

/// Returns a translation that moves the convex hull of A out of the convex hull of B, or the error of [`Moved::after`].
/// The function starts with the least translation, and lengthens it until the objects do not overlap, by exact
/// arithmetic. Returns `None` if the sum has no edges, or if the objects overlap even after a much longer translation.
fn out_of_hulls(around: &Sum, moved: &Moved<'_>) -> Result<Option<DVec2>> {
    let Some((normal, offset)) = around.nearest_side() else { return Ok(None) };
    let mut step = 0.0;
    // The steps double from 2^-53 times the size of the sum to 2^9 times the size.
    for _ in 0..64 {
        let way = normal * (offset + step);
        if moved.after(way)? != Relation::Overlapping {
            return Ok(Some(way));
        }
        step = if step == 0.0 { around.size() * f64::EPSILON * 0.5 } else { step * 2.0 };
    }
    Ok(None)
}
