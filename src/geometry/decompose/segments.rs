//! Inserts segments into a triangulation in nearly linear time, for any input.
//!
//! To insert a segment, the code removes the edges that the segment crosses. The removed edges leave a polygon on each
//! side of the segment. One scan triangulates such a polygon, in as many steps as it has edges, because the segment
//! sees each of its vertices (Toussaint and Avis 1982, "On a convex hull algorithm for polygons and its application to
//! triangulation problems"). The result is a triangulation, but it is not Delaunay.
//!
//! The segments are inserted in random order. An edge that many segments cross is therefore removed early, and the
//! expected number of crossed edges is nearly linear.

use std::cmp::Ordering;

use glam::DVec2;

use super::insertion_order::stirred;
use super::lines::by_position;
use super::mesh::{Failure, Mesh, OUTER_FACE};
use crate::geometry::predicates::orientation;

/// The value that stands for no segment.
const NONE: u32 = u32::MAX;

/// A mesh, and the segments that are inserted into it.
pub(super) struct Segments<'a> {
    points: &'a [DVec2],
    segments: &'a [[u32; 2]],
    mesh: Mesh,
    is_constraint: Vec<bool>,
    /// For each point, a half-edge that starts at the point.
    leaving: Vec<u32>,
    /// For each point, the number of edges at the point.
    degree: Vec<u32>,
    /// For each point, the last inserted segment that passes through the point, or [`NONE`].
    passing: Vec<u32>,
    /// The number of edges that all insertions so far have crossed, or have inspected around the start of a segment.
    pub(super) steps: usize,
}

impl<'a> Segments<'a> {
    /// Prepares the insertion. `mesh` must triangulate `points` and have a convex boundary. No two of `segments` may
    /// overlap.
    pub(super) fn new(points: &'a [DVec2], segments: &'a [[u32; 2]], mesh: Mesh) -> Self {
        let mut this = Self {
            points,
            segments,
            is_constraint: vec![false; mesh.edge_count()],
            leaving: vec![NONE; points.len()],
            degree: vec![0; points.len()],
            passing: vec![NONE; points.len()],
            mesh,
            steps: 0,
        };
        for (half_edge, &origin) in this.mesh.origin.iter().enumerate() {
            this.leaving[origin as usize] = half_edge as u32;
            this.degree[origin as usize] += 1;
        }
        this
    }

    /// Inserts all segments, in random order. Returns [`Failure::Crossing`] if a segment crosses an earlier one, or
    /// [`Failure::Defect`] if the mesh is inconsistent.
    pub(super) fn all(&mut self) -> Result<(), Failure> {
        let turns = stirred(self.segments.len());
        let (mut walk, mut starts) = (Vec::with_capacity(turns.len()), Vec::with_capacity(turns.len() + 1));
        for &segment in &turns {
            starts.push(walk.len());
            self.one(segment, &mut walk)?;
        }
        starts.push(walk.len());
        (self.mesh.walk, self.mesh.walk_segment) = segment_after_segment(&walk, &starts, &turns);
        Ok(())
    }

    /// Returns the mesh, and whether each edge is part of a segment.
    pub(super) fn into_mesh(self) -> (Mesh, Vec<bool>) {
        (self.mesh, self.is_constraint)
    }

    fn one(&mut self, segment: u32, walk: &mut Vec<u32>) -> Result<(), Failure> {
        let [from, to] = self.segments[segment as usize];
        // The search for the first edge of a segment inspects all edges at the point where the segment starts. The code
        // therefore starts at the end with fewer edges.
        let backward = self.degree[from as usize] > self.degree[to as usize];
        let (mut here, end) = if backward { (to, from) } else { (from, to) };
        let start = walk.len();
        while here != end {
            let half_edge = self.advance(segment, here, end)?;
            self.is_constraint[half_edge as usize / 2] = true;
            walk.push(half_edge);
            here = self.mesh.ends(half_edge)[1];
            if here != end {
                let before = std::mem::replace(&mut self.passing[here as usize], segment);
                if before != NONE {
                    let other = self.segments[before as usize];
                    return Err(Failure::Crossing { segment: segment as usize, other });
                }
            }
        }
        if backward {
            walk[start..].reverse();
            walk[start..].iter_mut().for_each(|half_edge| *half_edge ^= 1);
        }
        Ok(())
    }

    /// Returns the half-edge from `here` to the next point on the way to `end`. If the mesh has no such half-edge,
    /// inserts it. Returns [`Failure::Crossing`] if the new half-edge would cross an earlier segment, or
    /// [`Failure::Defect`] if the mesh is inconsistent.
    fn advance(&mut self, segment: u32, here: u32, end: u32) -> Result<u32, Failure> {
        let first = self.way_out(here, end)?;
        if self.side_of(here, end, self.mesh.ends(first)[1]) == 0.0 {
            return Ok(first);
        }
        let next = |mesh: &Mesh, half_edge: u32| mesh.next[half_edge as usize];
        // The half-edge that the segment crosses next. It goes from the right of the segment to its left.
        let mut crossing = next(&self.mesh, first);
        let (mut left, mut right) = (vec![next(&self.mesh, crossing)], vec![first]);
        let mut crossed = Vec::new();
        loop {
            if self.is_constraint[crossing as usize / 2] {
                let other = self.mesh.ends(crossing);
                return Err(Failure::Crossing { segment: segment as usize, other });
            }
            let beyond = crossing ^ 1;
            if self.mesh.face[beyond as usize] == OUTER_FACE {
                return Err(Failure::Defect("a segment leaves the convex hull"));
            }
            crossed.push(crossing);
            let (on_right, on_left) = (next(&self.mesh, beyond), next(&self.mesh, next(&self.mesh, beyond)));
            let corner = self.mesh.origin[on_left as usize];
            let side = self.side_of(here, end, corner);
            if side >= 0.0 {
                left.push(on_left);
            }
            if side <= 0.0 {
                right.push(on_right);
            }
            if side == 0.0 {
                break;
            }
            crossing = if side > 0.0 { on_right } else { on_left };
        }
        self.steps += crossed.len();
        left.reverse();
        self.fill(here, crossed, [left, right])
    }

    /// Returns the half-edge at `here` that leads towards `end`. If there is no such half-edge, returns the first
    /// half-edge to the right of this direction. Returns [`Failure::Defect`] if no face at `here` contains the
    /// direction.
    fn way_out(&mut self, here: u32, end: u32) -> Result<u32, Failure> {
        let start = self.leaving[here as usize];
        let mut half_edge = start;
        loop {
            self.steps += 1;
            let tip = self.mesh.ends(half_edge)[1];
            let side = self.side_of(here, end, tip);
            if side == 0.0 && self.direction(here, tip) == self.direction(here, end) {
                return Ok(half_edge);
            }
            if side < 0.0 && self.mesh.face[half_edge as usize] != OUTER_FACE {
                let across = self.mesh.next[half_edge as usize];
                if self.side_of(here, end, self.mesh.ends(across)[1]) > 0.0 {
                    return Ok(half_edge);
                }
            }
            half_edge = self.mesh.next[half_edge as usize ^ 1];
            if half_edge == start {
                return Err(Failure::Defect("a segment leaves no way out of its start"));
            }
        }
    }

    /// Replaces the crossed edges by one edge from `here`, and triangulates both sides of the new edge. `sides` has the
    /// left side, then the right side. A side is given by the half-edges that bound it, counter-clockwise. Returns the
    /// new half-edge from `here`, or [`Failure::Defect`] if the mesh is inconsistent.
    fn fill(&mut self, here: u32, crossed: Vec<u32>, sides: [Vec<u32>; 2]) -> Result<u32, Failure> {
        let mut faces: Vec<u32> =
            crossed.iter().map(|&half_edge| self.mesh.face[half_edge as usize]).collect();
        faces.extend(crossed.last().map(|&half_edge| self.mesh.face[half_edge as usize ^ 1]));
        for &half_edge in &crossed {
            for end in self.mesh.ends(half_edge) {
                self.degree[end as usize] -= 1;
            }
        }
        let mut edges = crossed;
        let Some(base) = edges.pop() else { return Err(Failure::Defect("a segment crosses no edge")) };
        // The left side starts at the end of the new edge.
        let end = self.mesh.origin[sides[0][0] as usize];
        self.place(base, here, end);
        for (base, side) in [base, base ^ 1].into_iter().zip(sides) {
            self.triangulate(base, &side, &mut edges, &mut faces)?;
        }
        if edges.is_empty() && faces.is_empty() {
            Ok(base)
        } else {
            Err(Failure::Defect("a side of a segment is not filled"))
        }
    }

    /// Triangulates the polygon that `base` and a side bound. The half-edges of the side lead from the end of `base` to
    /// its start. The method pops the new edges from `edges` and the new triangles from `faces`. Returns
    /// [`Failure::Defect`] if the mesh is inconsistent.
    fn triangulate(
        &mut self,
        base: u32,
        side: &[u32],
        edges: &mut Vec<u32>,
        faces: &mut Vec<u32>,
    ) -> Result<(), Failure> {
        let unfilled = || Failure::Defect("a side of a segment is not filled");
        let mut open: Vec<u32> = Vec::new();
        for (k, &half_edge) in side.iter().enumerate() {
            open.push(half_edge);
            while let &[.., first, second] = &open[..] {
                let ([p, q], r) = (self.mesh.ends(first), self.mesh.ends(second)[1]);
                if orientation(self.at(p), self.at(q), self.at(r)) <= 0.0 {
                    break;
                }
                let is_last = open.len() == 2 && k + 1 == side.len();
                let third = if is_last {
                    base
                } else {
                    let third = edges.pop().ok_or_else(unfilled)?;
                    self.place(third, r, p);
                    third
                };
                let face = faces.pop().ok_or_else(unfilled)?;
                for (half_edge, after) in [(first, second), (second, third), (third, first)] {
                    self.mesh.next[half_edge as usize] = after;
                    self.mesh.face[half_edge as usize] = face;
                    self.leaving[self.mesh.origin[half_edge as usize] as usize] = half_edge;
                }
                open.truncate(open.len() - 2);
                if is_last {
                    return Ok(());
                }
                open.push(third ^ 1);
            }
        }
        Err(unfilled())
    }

    /// Makes `from` the start of a half-edge, and `to` its end.
    fn place(&mut self, half_edge: u32, from: u32, to: u32) {
        self.mesh.origin[half_edge as usize] = from;
        self.mesh.origin[half_edge as usize ^ 1] = to;
        self.degree[from as usize] += 1;
        self.degree[to as usize] += 1;
    }

    fn at(&self, point: u32) -> DVec2 {
        self.points[point as usize]
    }

    /// Returns on which side of the line from `from` to `to` a point lies: a positive number for the left side, 0 for a
    /// point on the line, and a negative number for the right side. The sign is exact.
    fn side_of(&self, from: u32, to: u32, point: u32) -> f64 {
        if point == to { 0.0 } else { orientation(self.at(from), self.at(to), self.at(point)) }
    }

    fn direction(&self, from: u32, to: u32) -> Ordering {
        by_position(self.at(from), self.at(to))
    }
}

/// Sorts the half-edges of a walk by segment. Returns the half-edges, and the segment of each half-edge. `turns[k]` is
/// the segment that was inserted in turn `k`, and its half-edges start at `starts[k]` in `walk`.
fn segment_after_segment(walk: &[u32], starts: &[usize], turns: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut turn_of = vec![0; turns.len()];
    turns.iter().enumerate().for_each(|(turn, &segment)| turn_of[segment as usize] = turn);
    let mut sorted = Vec::with_capacity(walk.len());
    let mut walk_segment = Vec::with_capacity(walk.len());
    for (segment, &turn) in turn_of.iter().enumerate() {
        sorted.extend_from_slice(&walk[starts[turn]..starts[turn + 1]]);
        walk_segment.resize(sorted.len(), segment as u32);
    }
    (sorted, walk_segment)
}
