//! Facts about all shapes of a set. They are computed while the set is built, when each shape is in a cache.

use super::{Aabb, PolygonSet};

/// Whether sets have a summary. The code for pages in browsers is smaller without it.
pub(super) const HAS_SUMMARY: bool = cfg!(not(target_family = "wasm"));

/// The extent, centres and vertex counts of the shapes of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    /// The box around all shapes.
    pub(crate) extent: Aabb,
    /// The box around the points `min + max` of the boxes of all shapes. These points are twice the centres.
    pub(crate) twice_centres: Aabb,
    /// The least and the greatest number of vertices of a shape, over all shapes.
    pub(crate) vertex_counts: [u32; 2],
}

impl Summary {
    /// The summary of a set without shapes.
    pub(super) const NONE: Self =
        Self { extent: Aabb::EMPTY, twice_centres: Aabb::EMPTY, vertex_counts: [u32::MAX, 0] };

    /// Adds a shape. Its box must not be empty.
    #[inline(always)]
    pub(super) fn add(&mut self, bounds: Aabb, vertex_count: u32) {
        let centre = bounds.min + bounds.max;
        *self = self.with(Self {
            extent: bounds,
            twice_centres: Aabb { min: centre, max: centre },
            vertex_counts: [vertex_count; 2],
        });
    }

    /// Returns the summary of the shapes of both summaries.
    #[inline(always)]
    pub(super) fn with(self, other: Self) -> Self {
        let [least, most] = self.vertex_counts;
        Self {
            extent: self.extent.union_without_nan(other.extent),
            twice_centres: self.twice_centres.union_without_nan(other.twice_centres),
            vertex_counts: [least.min(other.vertex_counts[0]), most.max(other.vertex_counts[1])],
        }
    }
}

impl PolygonSet {
    /// Returns the extent, the centres and the vertex counts of the shapes. Returns `None` if the set has poses or was
    /// not built from rings.
    pub(crate) fn summary(&self) -> Option<Summary> {
        let set = self.made();
        set.summary.filter(|_| HAS_SUMMARY && set.is_static())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_of_all_shapes() {
        // Quads, triangles and pentagons side by side. One of them has a vertex to remove.
        let at = |k: usize| [(k * 7919 % 3001) as f64 - 900.0, (k * 104_729 % 2003) as f64 - 1800.0];
        let ring = |k: usize| -> Vec<[f64; 2]> {
            let [x, y] = at(k);
            let corners = [[0.0, 0.0], [2.0, 0.0], [3.0, 1.0], [2.0, 2.0], [0.0, 2.0]];
            let count = if k.is_multiple_of(7) { 3 + k % 3 } else { 4 };
            corners[..count].iter().map(|[dx, dy]| [x + dx, y + dy]).collect()
        };
        for count in [1, 2, 3, 5, 2500] {
            let mut rings: Vec<_> = (0..count).map(ring).collect();
            rings[0].insert(1, [at(0)[0] + 0.5, at(0)[1]]);
            let set = PolygonSet::from_convex_rings(&rings).expect("convex");
            let boxes = set.piece_boxes();
            let centres = boxes.iter().map(|bounds| bounds.min + bounds.max);
            let lengths = || (0..count).map(|k| set.shape_vertices(k).len() as u32);
            let expected = Summary {
                extent: boxes.iter().fold(Aabb::EMPTY, |all, &bounds| all.union(bounds)),
                twice_centres: Aabb::around(&centres.collect::<Vec<_>>()),
                vertex_counts: [lengths().min().unwrap(), lengths().max().unwrap()],
            };
            assert_eq!(set.summary(), Some(expected), "{count}");
        }
    }
}
