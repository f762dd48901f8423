//! Rings that touch at vertices. Around such a vertex, sectors of the interior and of the exterior alternate. Each
//! corner gets the sector that begins at the edge of the corner.

use std::cmp::Ordering;

use glam::DVec2;

use super::{Outline, Touch};
use crate::base::sorting::{sort_by, sort_by_key};
use crate::geometry::predicates::orientation;

/// The corners at the points where rings touch.
#[derive(Debug, Default)]
pub(super) struct Touches {
    /// The corners at which rings touch, sorted by edge.
    pub(super) touches: Vec<Touch>,
    /// The number of points at which rings touch.
    pub(super) point_count: usize,
}

/// An edge of the boundary, as seen from a vertex at which rings touch.
#[derive(Clone, Copy)]
struct Spoke {
    /// The end of the edge that is not the touching vertex.
    to: DVec2,
    /// The corner that the spoke belongs to. A corner is given by the edge that begins at the corner.
    corner: u32,
    /// Whether the edge begins at the touching vertex. If it does, the interior is on the counter-clockwise side of the
    /// spoke.
    is_outgoing: bool,
}

impl Outline<'_> {
    /// Returns the corners at points that several corners have in common. A corner is given by the edge that begins
    /// there.
    pub(super) fn repeated_corners(&self) -> Vec<u32> {
        let at = |corner: u32| self.vertices[corner as usize];
        let mut corners: Vec<u32> = self.rings.iter().flat_map(|ring| ring.first..ring.end).collect();
        sort_by(&mut corners, |&i, &j| by_place(at(i), at(j)));
        let groups = corners.chunk_by(|&i, &j| at(i) == at(j)).filter(|group| group.len() > 1);
        groups.flatten().copied().collect()
    }

    /// Finds the sector of the interior at each corner of `corners`: the angle from the corner's edge, counter-clockwise, to
    /// the next edge of the boundary at this point. `corners` are the corners that touch other corners. A corner is given by
    /// the edge that begins there. Returns `None` if rings cross at a vertex.
    pub(super) fn touches(&self, corners: &[u32]) -> Option<Touches> {
        let at = |corner: u32| self.vertices[corner as usize];
        let mut order = corners.to_vec();
        sort_by(&mut order, |&i, &j| by_place(at(i), at(j)));
        let (mut found, mut spokes) = (Touches::default(), Vec::new());
        for group in order.chunk_by(|&i, &j| at(i) == at(j)) {
            found.point_count += 1;
            spokes.clear();
            for &corner in group {
                let [before, after] = [at(corner - 1), at(corner + 1)];
                spokes.push(Spoke { to: after, corner, is_outgoing: true });
                spokes.push(Spoke { to: before, corner, is_outgoing: false });
            }
            let centre = at(group[0]);
            sort_by(&mut spokes, |a, b| by_angle(centre, a.to, b.to));
            for (k, spoke) in spokes.iter().enumerate() {
                let next = spokes[(k + 1) % spokes.len()];
                if spoke.is_outgoing == next.is_outgoing {
                    return None;
                }
                if spoke.is_outgoing {
                    found.touches.push(Touch { edge: spoke.corner, before: next.to });
                }
            }
        }
        sort_by_key(&mut found.touches, |touch| touch.edge);
        Some(found)
    }
}

/// Compares points by x, then by y.
pub(super) fn by_place(p: DVec2, q: DVec2) -> Ordering {
    let compare = |p: f64, q: f64| p.partial_cmp(&q).unwrap_or(Ordering::Equal);
    compare(p.x, q.x).then(compare(p.y, q.y))
}

/// Compares the directions from `centre` to the points `p` and `q`, by their counter-clockwise angle from the positive
/// x axis, from 0 up to a full turn.
pub(crate) fn by_angle(centre: DVec2, p: DVec2, q: DVec2) -> Ordering {
    let is_lower = |p: DVec2| p.y < centre.y || p.y == centre.y && p.x < centre.x;
    is_lower(p).cmp(&is_lower(q)).then_with(|| {
        let side = orientation(centre, p, q);
        if side > 0.0 {
            Ordering::Less
        } else if side < 0.0 {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    })
}
