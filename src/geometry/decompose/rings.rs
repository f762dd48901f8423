//! Converts the rings of a polygon to checked, distinct points and the segments between these points.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use glam::DVec2;
use num_bigint::{BigInt, Sign};

use crate::base::error::{Error, Result};
use crate::geometry::Cleanup;
use crate::geometry::convex_polygon::{check_coordinates, is_between};
use crate::geometry::posed_image::{BigPoint, cross, image};
use crate::geometry::predicates::orientation;

/// An edge of a ring, between two different points.
pub(super) struct Segment {
    /// The index of the ring. Ring 0 is the shell.
    pub(super) ring: u32,
    /// The index of the segment's first vertex in the ring as the caller gave it.
    pub(super) start: u32,
    /// The indices in [`Rings::points`] of the points at the start and the end of the segment.
    pub(super) ends: [u32; 2],
}

/// All rings of one polygon.
pub(super) struct Rings {
    /// The different points of all rings, in the order of their first appearance.
    pub(super) points: Vec<DVec2>,
    /// The segments of all rings, ring after ring. The segments of a ring form a closed walk.
    pub(super) segments: Vec<Segment>,
    /// For each ring that consists of only one point, the index of the ring and the index of its point.
    pub(super) lone_points: Vec<(u32, u32)>,
    pub(super) ring_count: usize,
    /// The counts of repeated vertices, collinear vertices and reversed rings.
    pub(super) cleanup: Cleanup,
}

impl Rings {
    /// Checks the coordinates of all rings, and that the shell is neither a point nor on one line. Returns the errors
    /// of [`check_vertex_count`], [`check_coordinates`] and [`check_shell`].
    pub(super) fn new(rings: &[Vec<DVec2>]) -> Result<Self> {
        let count = rings.iter().map(Vec::len).sum();
        check_vertex_count(count)?;
        for (vertex, &v) in rings.iter().flatten().enumerate() {
            check_coordinates(v, vertex)?;
        }
        let mut this = Self {
            points: Vec::with_capacity(count),
            segments: Vec::with_capacity(count),
            lone_points: Vec::new(),
            ring_count: rings.len(),
            cleanup: Cleanup::default(),
        };
        let mut numbers = HashMap::with_capacity_and_hasher(count, RandomState::default());
        for (ring, vertices) in rings.iter().enumerate() {
            let kept = this.distinct_consecutive(vertices);
            if ring == 0 {
                check_shell(vertices, &kept)?;
            }
            this.add_ring(ring as u32, vertices, &kept, &mut numbers);
        }
        Ok(this)
    }

    /// Returns [`Error::EmptyRegion`] for rings without an interior.
    pub(super) fn empty_region(&self) -> Error {
        Error::EmptyRegion { polygon: 0, near: self.points.first().map(|&p| p.into()) }
    }

    /// Returns [`Error::CrossingSegments`] for a segment that crosses another segment near the point `near`.
    pub(super) fn crossing(&self, segment: usize, near: DVec2) -> Error {
        let Segment { ring, start, ends } = self.segments[segment];
        let [from, to] = ends.map(|v| self.points[v as usize].to_array());
        Error::CrossingSegments {
            polygon: 0,
            ring: ring as usize,
            segment: start as usize,
            from,
            to,
            near: near.to_array(),
        }
    }

    /// Returns the indices of the vertices of `ring` that differ from the next vertex of the ring. Counts the other
    /// vertices in the cleanup.
    fn distinct_consecutive(&mut self, ring: &[DVec2]) -> Vec<u32> {
        let count = ring.len();
        let kept: Vec<u32> =
            (0..count).filter(|&i| ring[i] != ring[(i + 1) % count]).map(|i| i as u32).collect();
        // A last vertex that closes the ring does not count as repeated. The only vertex of a ring does count, because
        // it equals the next vertex.
        let closing = usize::from(count > 1 && ring[0] == ring[count - 1]);
        self.cleanup.repeated_vertices += count - kept.len() - closing;
        kept
    }

    fn add_ring(
        &mut self,
        ring: u32,
        vertices: &[DVec2],
        kept: &[u32],
        numbers: &mut HashMap<[u64; 2], u32, RandomState>,
    ) {
        let points = &mut self.points;
        let mut number = |v: DVec2| {
            // Adding 0 turns -0 into 0, so that equal points have equal bits.
            *numbers.entry((v + 0.0).to_array().map(f64::to_bits)).or_insert_with(|| {
                points.push(v);
                (points.len() - 1) as u32
            })
        };
        if kept.is_empty() {
            if let Some(&v) = vertices.first() {
                self.lone_points.push((ring, number(v)));
            }
            return;
        }
        let walk: Vec<u32> = kept.iter().map(|&k| number(vertices[k as usize])).collect();
        let at = |i: usize| vertices[kept[i % kept.len()] as usize];
        for (i, &start) in kept.iter().enumerate() {
            self.segments.push(Segment { ring, start, ends: [walk[i], walk[(i + 1) % walk.len()]] });
            let (before, here, after) = (at(i), at(i + 1), at(i + 2));
            if orientation(before, here, after) == 0.0 && is_between(before, here, after) {
                self.cleanup.collinear_vertices += 1;
            }
        }
        let corners: Vec<DVec2> = (0..kept.len()).map(at).collect();
        let kept_sign = if ring == 0 { Sign::Plus } else { Sign::Minus };
        if area_sign(&corners) == -kept_sign {
            self.cleanup.reversed_rings += 1;
        }
    }
}

/// Returns [`Error::TooMany`] for a polygon with too many vertices. A triangulation has up to six half-edges per
/// vertex, each with a 32-bit index.
pub(crate) fn check_vertex_count(count: usize) -> Result<()> {
    let limit = u32::MAX as usize / 6 - 1;
    if count > limit {
        return Err(Error::TooMany { items: "vertices of a polygon", count, limit });
    }
    Ok(())
}

/// Returns [`Error::TooFewVertices`] if fewer than three vertices of the shell differ from the next vertex. Otherwise,
/// returns [`Error::ZeroArea`] if all vertices are collinear.
fn check_shell(vertices: &[DVec2], kept: &[u32]) -> Result<()> {
    let at = |i: usize| vertices[kept[i] as usize];
    if kept.len() < 3 {
        // `kept` is empty if all vertices are equal, because each vertex equals the next one. The ring then has one
        // distinct vertex.
        let count = if vertices.is_empty() { 0 } else { kept.len().max(1) };
        return Err(Error::TooFewVertices { polygon: 0, ring: 0, count });
    }
    if (2..kept.len()).all(|i| orientation(at(0), at(1), at(i)) == 0.0) {
        return Err(Error::ZeroArea {
            polygon: 0,
            ring: 0,
            count: vertices.len(),
            x: vertices[0].x,
            y: vertices[0].y,
        });
    }
    Ok(())
}

/// Returns the exact sign of a ring's area: positive if the ring as a whole is counter-clockwise.
fn area_sign(ring: &[DVec2]) -> Sign {
    let origin = ring[0];
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for (i, &v) in ring.iter().enumerate() {
        let (p, q) = (v - origin, ring[(i + 1) % ring.len()] - origin);
        let (forward, backward) = (p.x * q.y, q.x * p.y);
        sum += forward - backward;
        magnitude += forward.abs() + backward.abs();
    }
    // Each difference, product and addition has a relative error of at most 2^-53, and `magnitude` bounds every partial
    // sum. The total is at most n + 5 such errors. The factor 2 covers the products of these errors and the rounding of
    // `magnitude`. Nothing underflows.
    let bound = (ring.len() as f64 + 5.0) * 2f64.powi(-52) * magnitude;
    if sum > bound {
        Sign::Plus
    } else if sum < -bound {
        Sign::Minus
    } else {
        exact_area_sign(ring)
    }
}

fn exact_area_sign(ring: &[DVec2]) -> Sign {
    let exact: Vec<BigPoint> = ring.iter().copied().map(image).collect();
    let mut sum = BigInt::ZERO;
    for (i, vertex) in exact.iter().enumerate() {
        sum += cross(vertex, &exact[(i + 1) % exact.len()]);
    }
    sum.sign()
}
