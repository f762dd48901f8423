//! Decides whether one of two rounded shapes covers the other shape.

use glam::DVec2;

use crate::answers::containment::Containment;
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::geometry::Rounded;
use crate::kernels::cpu::figures::local::{LocalPair, LocalPolygon};

/// A shape counts as covered if it extends beyond the other shape by at most this fraction of the pair's size: 2^-40.
const TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

/// Decides, for each of `pairs`, whether one of the two shapes covers the other shape. Returns
/// [`Error::UnknownPolygon`] if a shape does not exist.
pub(crate) fn shape_containments(sides: [Rounded<'_>; 2], pairs: &[[u32; 2]]) -> Result<Vec<Containment>> {
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
        let reach = pair.a.vertices.iter().chain(&pair.b.vertices).map(|v| v.length()).fold(0.0, f64::max);
        let tolerance = TOLERANCE * (reach + radii[0] + radii[1]);
        let covers = excess(&pair.a, &pair.b, radii[1] - radii[0]) <= tolerance;
        let covered = excess(&pair.b, &pair.a, radii[0] - radii[1]) <= tolerance;
        Containment::of(covers, covered)
    };
    Ok(pairs.par_iter().map(decide).collect())
}

/// Returns the distance by which the inner core, grown by `growth`, extends beyond the outer core. If `growth` is negative, the
/// outer core grows by `-growth` instead.
fn excess(outer: &LocalPolygon, inner: &LocalPolygon, growth: f64) -> f64 {
    let beyond = |v: DVec2| {
        let over_edges = (0..outer.edge_count()).map(|k| outer.normal(k).dot(v - outer.vertices[k]));
        let greatest = over_edges.fold(f64::NEG_INFINITY, f64::max);
        // A point or a segment has no interior, so no vertex lies inside it.
        if outer.vertices.len() > 2 && (greatest <= 0.0 || growth > 0.0) {
            greatest
        } else {
            distance(outer, v)
        }
    };
    inner.vertices.iter().map(|&v| beyond(v) + growth).fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the distance of a point from the border of a core.
fn distance(core: &LocalPolygon, point: DVec2) -> f64 {
    let to_edge = |k: usize| {
        let (p, edge) = (core.vertices[k], core.edges[k]);
        let square = edge.length_squared().max(f64::MIN_POSITIVE);
        let part = ((point - p).dot(edge) / square).clamp(0.0, 1.0);
        point.distance(p + edge * part)
    };
    (0..core.vertices.len()).map(to_edge).fold(f64::INFINITY, f64::min)
}
