//! Finds the boundary of a region from the edges of its rings, without a triangulation. The rings may trace edges more
//! than once, cross at vertices, or be nested.
//!
//! The segments of the rings are split at the vertices that lie on them. The parts are the edges of a planar graph: two parts
//! are equal, or meet at vertices only. An edge that is traced an even number of times is inside on both sides, or outside on
//! both sides. The other edges are the boundary of the region.

use std::ops::{ControlFlow, Range};

use glam::DVec2;

use super::course::Passage;
use super::region::all_linked;
use super::rings::Rings;
use crate::base::error::{Error, Result};
use crate::base::sorting::{sort_by, sort_unstable_by_key};
use crate::geometry::outline::{
    Centre, LeafPairs, Loops, Outline, Place, PolygonTree, Segments, by_angle, by_way, is_strictly_on,
    sectors,
};
use crate::geometry::{Aabb, Cleanup};

/// The search visits at most this number of contacts times the number of segments. A contact is a pair of segments that meet.
/// If the search reaches this limit, a triangulation finds the boundary instead.
const MOST_CONTACTS: usize = 32;
/// The searches around points visit at most this number of tree nodes times the number of segments. If they would visit more
/// nodes, a triangulation finds the boundary instead.
const MOST_NODES: usize = 256;

/// Returns the boundary of the even-odd interior of rings, and the counts of cleanups. The boundary consists of closed
/// rings with the interior on their left. `given` are the rings as the caller gave them. Returns `None` if very many
/// segments meet, if very many rings are nested, or if a ring is one point only. A triangulation must then find the
/// boundary.
///
/// # Errors
/// Returns [`Error::CrossingSegments`], [`Error::HoleOutsideShell`] or [`Error::EmptyRegion`].
pub(super) fn outline(rings: &Rings, given: &[Vec<DVec2>]) -> Result<Option<(Vec<Vec<DVec2>>, Cleanup)>> {
    let Some(graph) = Graph::of(rings, given)? else { return Ok(None) };
    if !graph.check_holes()? {
        return Ok(None);
    }
    let is_odd = |edge: &Traced| edge.steps.len() % 2 == 1;
    let odd: Vec<[u32; 2]> = graph.edges.iter().filter(|edge| is_odd(edge)).map(|edge| edge.ends).collect();
    if odd.is_empty() {
        return Err(rings.empty_region());
    }
    let mut cleanup = rings.cleanup;
    cleanup.retraced_edges = graph.edges.iter().filter(|edge| edge.steps.len() > 1).count();
    cleanup.touching_vertices = graph.touching_vertices();
    Ok(Boundary::of(&rings.points, &odd).rings().map(|rings| (rings, cleanup)))
}

/// An edge of a [`Graph`]. It stands for all parts of segments that are equal to it.
struct Traced {
    /// The indices of the points at the two ends of the edge, the lower index first.
    ends: [u32; 2],
    /// The steps of rings that go along this edge: a range of indices in [`Graph::order`].
    steps: Range<usize>,
}

/// A ring as a list of steps. A step goes from point to point along one edge.
struct Walk {
    ring: u32,
    vertices: Vec<DVec2>,
    /// The range of the ring's steps.
    steps: Range<usize>,
}

/// The planar graph into which the segments of the rings are split at vertices.
struct Graph<'a> {
    points: &'a [DVec2],
    walks: Vec<Walk>,
    /// For each step, the index of the point at which it starts.
    starts: Vec<u32>,
    /// The indices of the steps of all rings, sorted by edge and then by index.
    order: Vec<u32>,
    edges: Vec<Traced>,
}

impl<'a> Graph<'a> {
    /// Builds the graph. Returns [`Error::CrossingSegments`] if segments cross in their interiors. Returns `None` if the
    /// rings have very many contacts or steps, or if a ring is one point.
    fn of(rings: &'a Rings, given: &[Vec<DVec2>]) -> Result<Option<Self>> {
        if !rings.lone_points.is_empty() {
            return Ok(None);
        }
        let mut vertices = vec![Vec::new(); rings.ring_count];
        for segment in &rings.segments {
            vertices[segment.ring as usize].push(rings.points[segment.ends[0] as usize]);
        }
        let Some(splits) = splits(rings, given, &vertices)? else { return Ok(None) };
        let mut graph = Self {
            points: &rings.points,
            walks: Vec::new(),
            starts: Vec::new(),
            order: Vec::new(),
            edges: Vec::new(),
        };
        let mut splits = splits.into_iter().peekable();
        for (segment, at) in (0..).zip(&rings.segments) {
            if graph.walks.last().is_none_or(|walk| walk.ring != at.ring) {
                let (vertices, first) = (std::mem::take(&mut vertices[at.ring as usize]), graph.starts.len());
                graph.walks.push(Walk { ring: at.ring, vertices, steps: first..first });
            }
            graph.starts.push(at.ends[0]);
            while let Some((_, point)) = splits.next_if(|split| split.0 == segment) {
                graph.starts.push(point);
            }
            if let Some(walk) = graph.walks.last_mut() {
                walk.steps.end = graph.starts.len();
            }
        }
        if u32::try_from(graph.starts.len()).is_err() {
            return Ok(None);
        }
        graph.find_edges();
        Ok(Some(graph))
    }

    fn find_edges(&mut self) {
        let mut keys = Vec::with_capacity(self.starts.len());
        for walk in &self.walks {
            let starts = &self.starts[walk.steps.clone()];
            let ends = starts[1..].iter().chain(&starts[..1]);
            keys.extend(starts.iter().zip(ends).map(|(&from, &to)| [from.min(to), from.max(to)]));
        }
        self.order = (0..keys.len() as u32).collect();
        sort_unstable_by_key(&mut self.order, |&step| (keys[step as usize], step));
        let mut first = 0;
        for group in self.order.chunk_by(|&a, &b| keys[a as usize] == keys[b as usize]) {
            let end = first + group.len();
            self.edges.push(Traced { ends: keys[group[0] as usize], steps: first..end });
            first = end;
        }
    }

    /// Returns the index in `walks` of the ring to which the step with index `step` belongs.
    fn walk_of(&self, step: u32) -> usize {
        self.walks.partition_point(|walk| walk.steps.end <= step as usize)
    }

    /// Returns the number of points at which rings meet without a common edge.
    fn touching_vertices(&self) -> usize {
        let mut visits = vec![0u32; self.points.len()];
        self.starts.iter().for_each(|&point| visits[point as usize] += 1);
        let mut edge_of = vec![0; self.starts.len()];
        for (edge, traced) in (0..).zip(&self.edges) {
            self.order[traced.steps.clone()].iter().for_each(|&step| edge_of[step as usize] = edge);
        }
        let mut passages = Vec::new();
        for walk in &self.walks {
            let mut before = walk.steps.end - 1;
            for step in walk.steps.clone() {
                let vertex = self.starts[step];
                if visits[vertex as usize] > 1 {
                    let edges = [edge_of[before], edge_of[step]];
                    passages.push(Passage { vertex, edges, inside_segment: None });
                }
                before = step;
            }
        }
        sort_unstable_by_key(&mut passages, |passage| passage.vertex);
        passages.chunk_by(|a, b| a.vertex == b.vertex).filter(|at_vertex| !all_linked(at_vertex)).count()
    }

    /// Returns `true` if the even-odd interior of the shell contains the even-odd interior of each hole. Returns
    /// `false` if a proof would take much work. Returns [`Error::HoleOutsideShell`] if a part of a hole is outside the
    /// shell.
    ///
    /// An odd edge of a ring is an edge that the ring traverses an odd number of times. The method tests only these
    /// points:
    ///
    /// - every point at which an odd edge of the shell and an odd edge of a hole meet,
    /// - one point of each connected component of the shell's odd edges, and of each connected component of the holes'
    ///   odd edges.
    ///
    /// These points are enough. Suppose that a face is in a hole and outside the shell. Then a vertex of the face has
    /// an odd edge. If all odd edges at the vertex are of the shell, every direction around the vertex is in the hole.
    /// If all are of holes, every direction is outside the shell. The same holds at each vertex that odd edges of this
    /// kind connect with the vertex, up to a vertex that has odd edges of both kinds. The component therefore has a
    /// tested point around which a direction is in the hole and outside the shell.
    fn check_holes(&self) -> Result<bool> {
        if self.walks.len() == 1 {
            return Ok(true);
        }
        let mut kinds = [(); 2].map(|()| Parts::of(self.points.len()));
        for edge in &self.edges {
            let steps = self.order[edge.steps.clone()].chunk_by(|&a, &b| self.walk_of(a) == self.walk_of(b));
            for of_ring in steps.filter(|steps| steps.len() % 2 == 1) {
                kinds[usize::from(self.walk_of(of_ring[0]) > 0)].join(edge.ends);
            }
        }
        let mut memory: Vec<Loops> = self.walks.iter().map(|_| Loops::default()).collect();
        let outlines = memory.iter_mut().zip(&self.walks);
        let outlines: Vec<Outline<'_>> = outlines
            .filter_map(|(loops, walk)| loops.outline(std::slice::from_ref(&walk.vertices)))
            .collect();
        let [shell, holes @ ..] = &outlines[..] else { return Ok(true) };
        let boxes: Vec<Aabb> = holes.iter().map(Outline::aabb).collect();
        let tree = PolygonTree::of_many(&boxes);
        let (mut near, mut left) = (Vec::new(), MOST_NODES * self.starts.len());
        for point in 0..self.points.len() as u32 {
            let [of_shell, of_hole] = [&kinds[0], &kinds[1]].map(|kind| kind.has(point));
            if !(of_shell && of_hole || kinds.iter().any(|kind| kind.is_first(point))) {
                continue;
            }
            let at = self.points[point as usize];
            let around = Aabb { min: at, max: at };
            near.clear();
            match &tree {
                Some(tree) => tree.search(around, |hole| near.push(hole as usize)),
                None => near.extend((0..holes.len()).filter(|&hole| holes[hole].aabb().meets(around))),
            }
            crate::base::sorting::sort_unstable(&mut near);
            let near_holes: Vec<Outline<'_>> = near.iter().map(|&hole| holes[hole]).collect();
            let nodes: usize = near_holes.iter().chain([shell]).map(|outline| outline.nodes_around(at)).sum();
            let Some(rest) = left.checked_sub(nodes) else { return Ok(false) };
            left = rest;
            let leaves_shell = |holes: &[Outline<'_>]| {
                let around = sectors(&Centre::Point(at), [std::slice::from_ref(shell), holes]);
                around.iter().any(|sector| sector.is_inside == [false, true])
            };
            if leaves_shell(&near_holes) {
                // Finds the first hole at which the union of the holes so far leaves the shell.
                let (mut first, mut last) = (0, near.len() - 1);
                while first < last {
                    let middle = first.midpoint(last);
                    if leaves_shell(&near_holes[..=middle]) { last = middle } else { first = middle + 1 }
                }
                return Err(self.outside_shell(shell, near[first] + 1, at));
            }
        }
        Ok(true)
    }

    /// Returns the error of a hole that is not inside the shell. `walk` is the index of the hole's walk. `near` is a
    /// point beside a part of the hole that is outside the shell. The error names the first vertex of the hole outside
    /// the shell, or `near` if there is no such vertex.
    fn outside_shell(&self, shell: &Outline<'_>, walk: usize, near: DVec2) -> Error {
        let Walk { ring, vertices, .. } = &self.walks[walk];
        let at = vertices.iter().find(|&&vertex| shell.locate(vertex) == Place::Outside).unwrap_or(&near);
        Error::HoleOutsideShell { polygon: 0, ring: *ring as usize, x: at.x, y: at.y }
    }
}

/// Returns the points at which segments are split, as pairs of the index of a segment and the index of a point. The pairs
/// are sorted by segment and then along the segment. `vertices` has the vertices of each ring. Returns `None` if the rings
/// have very many contacts. Returns [`Error::CrossingSegments`] if segments cross in their interiors.
fn splits(rings: &Rings, given: &[Vec<DVec2>], vertices: &[Vec<DVec2>]) -> Result<Option<Vec<(u32, u32)>>> {
    let (mut loops, mut leaf_pairs) = (Loops::default(), LeafPairs::default());
    let Some(outline) = loops.outline(vertices) else { return Ok(Some(Vec::new())) };
    let mut first_segments = vec![0; vertices.len() + 1];
    for (ring, vertices) in vertices.iter().enumerate() {
        first_segments[ring + 1] = first_segments[ring] + vertices.len() as u32;
    }
    let at = |point: u32| rings.points[point as usize];
    let (mut splits, mut crossing): (Vec<(u32, u32)>, _) = (Vec::new(), None);
    let mut left = MOST_CONTACTS * rings.segments.len();
    let found = outline.contacts(&mut leaf_pairs, &mut |edges, met| {
        if matches!(met, Segments::Cross) {
            crossing = Some(edges);
            return ControlFlow::Break(());
        }
        let segments = edges.map(|edge| {
            let (ring, index) = outline.place_of(edge);
            first_segments[ring as usize] + index
        });
        let ends = segments.map(|segment| rings.segments[segment as usize].ends);
        for [this, other] in [[0, 1], [1, 0]] {
            let [from, to] = ends[this].map(at);
            let is_on = |&point: &u32| is_strictly_on(at(point), [from, to]);
            splits.extend(ends[other].into_iter().filter(is_on).map(|point| (segments[this], point)));
        }
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Some(edges) = crossing {
        return Err(outline.crossing_error(edges, given));
    }
    if found.is_break() {
        return Ok(None);
    }
    sort_by(&mut splits, |a, b| {
        let [from, to] = rings.segments[a.0 as usize].ends.map(at);
        a.0.cmp(&b.0).then_with(|| by_way(from, to, at(a.1), at(b.1)))
    });
    splits.dedup();
    Ok(Some(splits))
}

/// The connected components of a graph.
struct Parts {
    /// For each point, a point with a lower or the same index in its component, or `NONE` if the point has no edge. The
    /// root of a component leads to itself.
    leaders: Vec<u32>,
}

impl Parts {
    const NONE: u32 = u32::MAX;

    fn of(point_count: usize) -> Self {
        Self { leaders: vec![Self::NONE; point_count] }
    }

    fn join(&mut self, ends: [u32; 2]) {
        let [a, b] = ends.map(|point| self.leader(point));
        self.leaders[a.max(b) as usize] = a.min(b);
    }

    fn leader(&mut self, mut point: u32) -> u32 {
        if !self.has(point) {
            self.leaders[point as usize] = point;
        }
        while self.leaders[point as usize] != point {
            let next = self.leaders[point as usize];
            self.leaders[point as usize] = self.leaders[next as usize];
            point = self.leaders[point as usize];
        }
        point
    }

    fn has(&self, point: u32) -> bool {
        self.leaders[point as usize] != Self::NONE
    }

    /// Returns whether a point is the root of its connected component. The root is the point with the lowest index.
    fn is_first(&self, point: u32) -> bool {
        self.leaders[point as usize] == point
    }
}

/// The edges between the interior and the exterior. Every point has an even number of such edges, and around a point,
/// interior and exterior alternate. The side of one edge on which the interior lies therefore determines this side for
/// all edges of its connected component.
struct Boundary<'a> {
    points: &'a [DVec2],
    edges: &'a [[u32; 2]],
    /// The edges of each point, counter-clockwise: `spokes[firsts[point]..firsts[point + 1]]`.
    spokes: Vec<u32>,
    /// For each point, the index in `spokes` of its first edge. The last entry is the length of `spokes`.
    firsts: Vec<u32>,
    /// For each edge, whether the interior is on its left, as seen from its first end to its second end.
    is_forward: Vec<bool>,
    /// The connected component of each edge. Components are numbered in the order of their first edges.
    parts: Vec<u32>,
}

impl<'a> Boundary<'a> {
    fn of(points: &'a [DVec2], edges: &'a [[u32; 2]]) -> Self {
        let mut firsts = vec![0u32; points.len() + 1];
        edges.iter().flatten().for_each(|&end| firsts[end as usize + 1] += 1);
        (1..firsts.len()).for_each(|point| firsts[point] += firsts[point - 1]);
        let (mut next, mut spokes) = (firsts.clone(), vec![0; 2 * edges.len()]);
        for (edge, ends) in (0..).zip(edges) {
            for &end in ends {
                spokes[next[end as usize] as usize] = edge;
                next[end as usize] += 1;
            }
        }
        let mut boundary = Self {
            points,
            edges,
            spokes,
            firsts,
            is_forward: Vec::new(),
            parts: vec![u32::MAX; edges.len()],
        };
        boundary.sort_spokes();
        boundary.direct();
        boundary
    }

    fn sort_spokes(&mut self) {
        for point in 0..self.points.len() as u32 {
            let range = self.range(point);
            if range.len() > 2 {
                let other_end = |spoke: &u32| {
                    let [a, b] = self.edges[*spoke as usize];
                    self.points[if a == point { b } else { a } as usize]
                };
                let centre = self.points[point as usize];
                sort_by(&mut self.spokes[range], |e, f| by_angle(centre, other_end(e), other_end(f)));
            }
        }
    }

    fn range(&self, point: u32) -> Range<usize> {
        self.firsts[point as usize] as usize..self.firsts[point as usize + 1] as usize
    }

    /// Gives each edge a direction, in `is_forward`, so that all edges of a connected component agree: either the interior
    /// is on the left of all these edges, or it is on the right of all of them.
    fn direct(&mut self) {
        self.is_forward = vec![true; self.edges.len()];
        let (mut count, mut open) = (0, Vec::new());
        for first in 0..self.edges.len() as u32 {
            if self.parts[first as usize] != u32::MAX {
                continue;
            }
            self.parts[first as usize] = count;
            open.push(first);
            while let Some(edge) = open.pop() {
                for (side, point) in self.edges[edge as usize].into_iter().enumerate() {
                    let leaves = self.is_forward[edge as usize] == (side == 0);
                    let spokes = &self.spokes
                        [self.firsts[point as usize] as usize..self.firsts[point as usize + 1] as usize];
                    let place = spokes.iter().position(|&spoke| spoke == edge).unwrap_or_default();
                    for (k, &spoke) in spokes.iter().enumerate() {
                        if self.parts[spoke as usize] == u32::MAX {
                            self.parts[spoke as usize] = count;
                            let starts_here = self.edges[spoke as usize][0] == point;
                            self.is_forward[spoke as usize] =
                                starts_here == (leaves == (k + place).is_multiple_of(2));
                            open.push(spoke);
                        }
                    }
                }
            }
            count += 1;
        }
    }

    /// Returns the closed rings of the boundary, with the interior on their left. Returns `None` if very many rings are
    /// nested.
    fn rings(mut self) -> Option<Vec<Vec<DVec2>>> {
        let (rings, firsts) = self.loops();
        let mut loops = Loops::default();
        let Some(outline) = loops.outline(&rings) else { return Some(rings) };
        let mut left = MOST_NODES * self.edges.len();
        // The first loop of each component begins with the first edge of the component.
        let mut is_wrong = Vec::new();
        for (ring, &edge) in (0..).zip(&firsts) {
            if self.parts[edge as usize] as usize == is_wrong.len() {
                left = left.checked_sub(outline.nodes_around(rings[ring as usize][0]))?;
                is_wrong.push(!outline.has_interior_on_left(ring));
            }
        }
        if !is_wrong.contains(&true) {
            return Some(rings);
        }
        for (is_forward, &part) in self.is_forward.iter_mut().zip(&self.parts) {
            *is_forward ^= is_wrong[part as usize];
        }
        Some(self.loops().0)
    }

    /// Returns closed rings that use each edge once, in the direction that `is_forward` gives, and the first edge of each
    /// ring. At the end of an edge, a ring continues on the next edge clockwise, so that no edge lies between these two
    /// edges of the ring.
    fn loops(&self) -> (Vec<Vec<DVec2>>, Vec<u32>) {
        let mut is_taken = vec![false; self.edges.len()];
        let (mut rings, mut firsts) = (Vec::new(), Vec::new());
        for first in 0..self.edges.len() as u32 {
            let (mut ring, mut edge) = (Vec::new(), first);
            while !std::mem::replace(&mut is_taken[edge as usize], true) {
                let [a, b] = self.edges[edge as usize];
                let [from, to] = if self.is_forward[edge as usize] { [a, b] } else { [b, a] };
                ring.push(self.points[from as usize]);
                let spokes = &self.spokes[self.range(to)];
                let place = spokes.iter().position(|&spoke| spoke == edge).unwrap_or_default();
                // As seen from the end of the edge, the interior is clockwise of the edge. The ring therefore continues
                // on the next edge clockwise.
                edge = spokes[(place + spokes.len() - 1) % spokes.len()];
            }
            if !ring.is_empty() {
                rings.push(ring);
                firsts.push(first);
            }
        }
        (rings, firsts)
    }
}
