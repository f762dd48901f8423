//! Finds the nearest features of a few features by the index of a large set.
//!
//! The search looks at the objects within a radius of each feature. If it finds `k` of them, the greatest of their distances
//! is an upper bound of the distance of the `k`th nearest object. The search is done when the radius reaches this bound.
//! Otherwise, it continues with a greater radius.

use sat2d::broad_phase::BoxIndex;
use sat2d::{Aabb, Nearest};

use super::{Rows, Side, rows};
use crate::failure::Failure;
use crate::nearby::{SetIndex, grown, is_few};
use crate::run::Watch;
use crate::sets::{Points, Polygons};

/// The factor by which a radius grows if too few objects are within it.
const GROWTH: f64 = 4.0;
/// The greatest number of rounds. A set whose objects are mostly empty would need more rounds.
const MOST_ROUNDS: usize = 64;
/// A bound of the error of a distance, as a fraction of the extent of all objects. The error is at most 2^-44 of the size of
/// the pair.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// Returns the rows of the result, or `None` if a search of the whole set is faster or finds an error.
pub(super) fn rows_of_few(
    a: Side<'_>,
    b: Side<'_>,
    query: Nearest,
    watch: &Watch,
) -> Result<Option<Rows>, Failure> {
    let count = b.count();
    let is_few = |part: usize| is_few(part, count);
    let most = query.within.unwrap_or(f64::INFINITY);
    let boxes = a.boxes();
    // The search of the whole set returns an error if a distance is negative or not a number.
    if !is_few(boxes.len()) || !is_few(query.k) || most.is_nan() || most < 0.0 {
        return Ok(None);
    }
    let Some(index) = b.index()? else { return Ok(None) };
    let extent = index.bounds();
    let size = (extent.max - extent.min).max_element();
    if size <= 0.0 || !b.has_pieces() {
        return Ok(None);
    }
    let mut radii = vec![(size * (query.k as f64 / count as f64).sqrt()).min(most); boxes.len()];
    // An upper bound of the true distance, from a computed distance of an object of A.
    let bound = |distance: f64, object: usize| {
        let own = (boxes[object].max - boxes[object].min).max_element();
        (distance + ROUNDING * (distance + size + own)) * (1.0 + ROUNDING)
    };
    for _ in 0..MOST_ROUNDS {
        watch.check();
        let near: Vec<Aabb> = boxes.iter().zip(&radii).map(|(aabb, &radius)| grown(aabb, radius)).collect();
        let near = index.near(&near, count)?;
        let Some(objects) = near.filter(|objects| is_few(objects.len())) else { return Ok(None) };
        // The search of the whole set returns the error, with the index of the object in the whole set.
        let Ok((left, mut right, distances)) = b.select(&objects, |some| rows(a, Some(some), query, watch))
        else {
            return Ok(None);
        };
        let mut is_done = true;
        let mut next = 0;
        for (object, radius) in radii.iter_mut().enumerate() {
            let first = next;
            while left.get(next).is_some_and(|&left| left == a.feature(object as u32)) {
                next += 1;
            }
            let needed =
                if next - first >= query.k { bound(distances[next - 1], object).min(most) } else { most };
            if *radius < needed && boxes[object].min.x <= boxes[object].max.x {
                is_done = false;
                *radius =
                    if needed < most { needed } else { (*radius * GROWTH).max(f64::MIN_POSITIVE).min(most) };
            }
        }
        if is_done {
            right.iter_mut().for_each(|right| *right = b.feature(objects[*right as usize]));
            return Ok(Some((left, right, distances)));
        }
    }
    Ok(None)
}

impl Side<'_> {
    /// Returns the number of objects.
    fn count(self) -> usize {
        match self {
            Self::Polygons(polygons) => polygons.set.object_count(),
            Self::Points(points) => points.positions.len(),
            Self::Multipoints(points) => points.count,
        }
    }

    /// Returns whether the pieces of all polygons are made. The first call makes them.
    fn has_pieces(self) -> bool {
        match self {
            Self::Polygons(polygons) => polygons.set.check_pieces().is_ok(),
            Self::Points(_) | Self::Multipoints(_) => true,
        }
    }

    /// Returns the boxes of all objects.
    fn boxes(self) -> Vec<Aabb> {
        match self {
            Self::Polygons(polygons) => polygons.set.object_aabbs(),
            Self::Points(points) => points.positions.iter().map(|&at| Aabb { min: at, max: at }).collect(),
            Self::Multipoints(points) => {
                let mut boxes = vec![Aabb::EMPTY; points.count];
                for (feature, at) in points.with_features() {
                    let aabb = &mut boxes[feature as usize];
                    *aabb = aabb.union(Aabb { min: at, max: at });
                }
                boxes
            }
        }
    }

    /// Returns the index of the boxes, or `None` for features with several points: their set keeps an index of single points.
    fn index(&self) -> Result<Option<&BoxIndex>, Failure> {
        match self {
            Self::Polygons(polygons) => polygons.index.get(|| self.boxes()).map(Some),
            Self::Points(points) => points.index.get(|| self.boxes()).map(Some),
            Self::Multipoints(_) => Ok(None),
        }
    }

    /// Calls `work` with a side that has the given objects. Object `i` of this side, and its feature, have the index `i`.
    fn select<R>(
        self,
        objects: &[u32],
        work: impl FnOnce(Side<'_>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        match self {
            Self::Polygons(polygons) => work(Side::Polygons(&Polygons::new(polygons.set.select(objects)?))),
            Self::Points(points) | Self::Multipoints(points) => {
                let positions = objects.iter().map(|&object| points.positions[object as usize]).collect();
                let (features, count, index) = (None, objects.len(), SetIndex::default());
                work(Side::Points(&Points { positions, features, count, index }))
            }
        }
    }
}
