//! Rounds rings to a grid, so that edges meet at vertices only.
//!
//! A pixel is a square of the grid, including its lower side and its left side. A pixel is hot if it contains a vertex
//! or a crossing of edges. Each new edge goes through the centres of the hot pixels that the old edge meets, in order.
//! The new edges do not cross (Guibas and Marimont 1998, "Rounding Arrangements Dynamically"; Hobby 1999, "Practical
//! Segment Intersection with Finite Precision Output").

use std::ops::ControlFlow;

use glam::DVec2;

use super::cuts::{Distinct, Excess};
use super::simple::Segments;
use super::{Centre, Cut, LeafPairs, Loops, Outline, edge_box};
use crate::base::sorting::sort_by;
use crate::geometry::predicates::orientation;

/// The base-2 logarithm of the greatest coordinate in pixels, rounded down. With this number, the coordinates of the
/// sides of every pixel are f64 values.
const BITS: i32 = 50;

/// A grid of squares with a side of 2^`exponent`. The centres are multiples of the side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) exponent: i32,
}

impl Grid {
    fn around(rings: &[Vec<DVec2>]) -> Self {
        let greatest = rings.iter().flatten().map(|v| v.abs().max_element()).fold(0.0, f64::max);
        Self { exponent: (greatest.to_bits() >> 52) as i32 - 1023 - BITS }
    }

    pub(super) fn side(self) -> f64 {
        2f64.powi(self.exponent)
    }

    /// Returns the centre of the pixel that contains `point`.
    pub(super) fn centre(self, point: DVec2) -> DVec2 {
        let side = self.side();
        let coordinate = |x: f64| {
            let (units, whole) = (x / side, (x / side).floor());
            (whole + if units - whole >= 0.5 { 1.0 } else { 0.0 }) * side
        };
        DVec2::new(coordinate(point.x), coordinate(point.y))
    }

    /// Returns whether an edge meets the pixel whose centre is `centre`. A pixel includes only its lower side and its
    /// left side. The test therefore moves the edge to the right by an infinitely small distance, and upward by a far
    /// smaller distance. The moved edge must meet the interior of the pixel.
    fn meets(self, centre: DVec2, [p, q]: [DVec2; 2]) -> bool {
        let half = DVec2::splat(0.5 * self.side());
        let (low, high, around) = (centre - half, centre + half, edge_box([p, q]));
        if !(around.max.cmpge(low).all() && around.min.cmplt(high).all()) {
            return false;
        }
        let corners = [low, DVec2::new(low.x, high.y), DVec2::new(high.x, low.y), high];
        let moved = if q.y != p.y { q.y - p.y } else { p.x - q.x };
        let is_left = corners.map(|corner| {
            let side = orientation(p, q, corner);
            if side == 0.0 { moved > 0.0 } else { side > 0.0 }
        });
        is_left.contains(&true) && is_left.contains(&false)
    }
}

impl Loops {
    /// Rounds rings to a grid. Returns the vertices of the new rings, sorted by ring, by old edge and along the old edge.
    /// Also returns an upper bound of the distance by which a point was moved: half the diagonal of a pixel. Returns
    /// [`Excess::Cuts`] if there are more than `most` vertices.
    pub(crate) fn rounded(
        &mut self,
        rings: &[Vec<DVec2>],
        most: usize,
        leaf_pairs: &mut LeafPairs,
    ) -> Result<(Vec<Cut>, f64), Excess> {
        let grid = Grid::around(rings);
        let Some(outline) = self.outline(rings) else { return Ok((Vec::new(), 0.0)) };
        let centres = outline.hot_pixels(grid, most, leaf_pairs)?;
        let mut found: Vec<(u32, DVec2)> = Vec::new();
        for &centre in &centres {
            outline.edges_near(grid, centre, |edge| found.push((edge, centre)));
            if found.len() > most {
                return Err(Excess::Cuts(found.len()));
            }
        }
        sort_by(&mut found, |a, b| {
            let [from, to] = outline.edge(a.0);
            a.0.cmp(&b.0).then_with(|| by_way(from, to, a.1, b.1))
        });
        let cut = |(edge, at)| {
            let (ring, edge) = outline.place_of(edge);
            Cut { ring, edge, at }
        };
        Ok((found.into_iter().map(cut).collect(), std::f64::consts::FRAC_1_SQRT_2 * grid.side()))
    }
}

impl Outline<'_> {
    /// Returns the centre of each hot pixel once. A pixel is hot if it contains a vertex or a crossing of edges. Returns
    /// [`Excess::Cuts`] if edges cross and there are more than `most` hot pixels.
    fn hot_pixels(&self, grid: Grid, most: usize, leaf_pairs: &mut LeafPairs) -> Result<Vec<DVec2>, Excess> {
        let vertices = self.rings.iter().flat_map(|ring| ring.first..ring.end);
        let of_vertices = vertices.map(|v| grid.centre(self.vertices[v as usize])).collect();
        let order = |p: &DVec2, q: &DVec2| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y));
        let mut centres = Distinct::new(of_vertices, order, most);
        let found = self.contacts(leaf_pairs, &mut |[e, f], met| {
            if !matches!(met, Segments::Cross) {
                return ControlFlow::Continue(());
            }
            centres.push(Centre::of_crossing(self.edge(e), self.edge(f)).on_grid(grid))
        });
        if found.is_break() { Err(Excess::Cuts(centres.len())) } else { Ok(centres.into_sorted()) }
    }

    /// Calls `visit` with each edge that meets the pixel of `grid` whose centre is `centre`.
    fn edges_near(&self, grid: Grid, centre: DVec2, mut visit: impl FnMut(u32)) {
        let half = DVec2::splat(0.5 * grid.side());
        let pixel = crate::geometry::Aabb { min: centre - half, max: centre + half };
        self.descend(|node, around| {
            let is_near = around.meets(pixel);
            if is_near && node.level == 0 {
                let leaf = self.leaves_under(node)[0];
                (leaf.first..leaf.end)
                    .filter(|&edge| grid.meets(centre, self.edge(edge)))
                    .for_each(&mut visit);
            }
            is_near
        });
    }
}

/// Compares the positions of the rounded points `p` and `q` along the edge from `from` to `to`. Returns `Less` if `p`
/// comes first. Rounding keeps the order of each coordinate, so the result is exact.
pub(crate) fn by_way(from: DVec2, to: DVec2, p: DVec2, q: DVec2) -> std::cmp::Ordering {
    let along = |axis: usize| {
        let order = p[axis].partial_cmp(&q[axis]).unwrap_or(std::cmp::Ordering::Equal);
        if from[axis] <= to[axis] { order } else { order.reverse() }
    };
    along(0).then_with(|| along(1))
}
