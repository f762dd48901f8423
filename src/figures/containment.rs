//! Containment of rounded shapes: which of two covers the other.

use glam::DVec2;

use crate::Engine;
use crate::containment::Containment;
use crate::error::{Error, Result};
use crate::geometry::{Rounded, Shapes};
use crate::narrow_phase::cpu::figures::local::{LocalPair, LocalPolygon};
use crate::parallel::prelude::*;

/// What reaches out of the other by no more than this part of the pair's size does not. 2^-40.
const TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

impl Engine {
    /// Decides for each given pair of shapes whether one shape covers the other. `pairs[i]` is the index of a piece of
    /// `a` and the index of a piece of `b`. The query computes in f64, on the CPU. A shape also counts as covered if it
    /// extends beyond the other shape by at most 2^-40 times the size of the pair.
    ///
    /// A covers B if A contains every point of B's border. Let r be the radius of A, and q the radius of B. The core of
    /// a shape is a point, a segment or a convex polygon. The shape consists of all points within the radius of its
    /// core.
    ///
    /// - If r is at least q, A covers B if and only if every vertex of B's core is at most r - q away from A's core.
    /// - Otherwise, A covers B if and only if every vertex of B's core lies inside A's core, at least q - r away from
    ///   the line of every edge of A's core. The points of A's core that are at least q - r away from these lines form
    ///   a convex polygon, so it is enough to test the vertices of B's core.
    ///
    /// # Errors
    /// [`Error::UnknownPolygon`] if an index names a piece that does not exist.
    ///
    /// ```
    /// use sat2d::{Backend, Containment, Engine, RoundedSet, RoundedShape};
    ///
    /// let shapes = RoundedSet::new(&[
    ///     RoundedShape::circle([0.0, 0.0], 3.0)?,
    ///     RoundedShape::capsule([-1.0, 0.0], [1.0, 0.0], 2.0)?,
    ///     RoundedShape::circle([2.5, 0.0], 1.0)?,
    /// ])?;
    /// let found = Engine::new(Backend::Cpu)?.shape_containments(&shapes, &shapes, &[[0, 1], [0, 2], [2, 2]])?;
    /// assert_eq!(found, [Containment::Covers, Containment::Neither, Containment::Equal]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn shape_containments<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
    ) -> Result<Vec<Containment>> {
        let sides = [Rounded::of(a), Rounded::of(b)];
        for (pair, indices) in pairs.iter().enumerate() {
            for (&index, side) in indices.iter().zip(sides) {
                let (index, count) = (index as usize, side.cores.piece_count());
                if index >= count {
                    return Err(Error::UnknownPolygon { pair, index, count });
                }
            }
        }
        let decide = |&[i, j]: &[u32; 2]| {
            let (i, j) = (i as usize, j as usize);
            let pair = LocalPair::new(sides[0].cores.piece(i), sides[1].cores.piece(j));
            let radii = [sides[0].radius(i), sides[1].radius(j)];
            let reach =
                pair.a.vertices.iter().chain(&pair.b.vertices).map(|v| v.length()).fold(0.0, f64::max);
            let tolerance = TOLERANCE * (reach + radii[0] + radii[1]);
            let covers = excess(&pair.a, &pair.b, radii[1] - radii[0]) <= tolerance;
            let covered = excess(&pair.b, &pair.a, radii[0] - radii[1]) <= tolerance;
            match (covers, covered) {
                (true, true) => Containment::Equal,
                (true, false) => Containment::Covers,
                (false, true) => Containment::CoveredBy,
                (false, false) => Containment::Neither,
            }
        };
        Ok(pairs.par_iter().map(decide).collect())
    }
}

/// How far the inner core, grown by `growth` or, where that is negative, with the outer core grown by its opposite, reaches
/// out of the outer core.
fn excess(outer: &LocalPolygon, inner: &LocalPolygon, growth: f64) -> f64 {
    let beyond = |v: DVec2| {
        let over_edges = (0..outer.edge_count()).map(|k| outer.normal(k).dot(v - outer.vertices[k]));
        let greatest = over_edges.fold(f64::NEG_INFINITY, f64::max);
        // A point or a segment has no inside.
        if outer.vertices.len() > 2 && (greatest <= 0.0 || growth > 0.0) {
            greatest
        } else {
            distance(outer, v)
        }
    };
    inner.vertices.iter().map(|&v| beyond(v) + growth).fold(f64::NEG_INFINITY, f64::max)
}

/// From a point to the border of a core.
fn distance(core: &LocalPolygon, point: DVec2) -> f64 {
    let to_edge = |k: usize| {
        let (p, edge) = (core.vertices[k], core.edges[k]);
        let square = edge.length_squared().max(f64::MIN_POSITIVE);
        let part = ((point - p).dot(edge) / square).clamp(0.0, 1.0);
        point.distance(p + edge * part)
    };
    (0..core.vertices.len()).map(to_edge).fold(f64::INFINITY, f64::min)
}
