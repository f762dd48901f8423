//! A constrained Delaunay triangulation as plain half-edges, checked.

use glam::DVec2;
use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, LineIntersectionIterator, Point2, Triangulation};

use super::insertion_order::{insertion_order, stirred};
use crate::geometry::predicates::orientation;

type Cdt = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// The face outside of the convex hull.
pub(super) const OUTER_FACE: u32 = 0;

/// Half-edges `2e` and `2e + 1` are edge `e` in both directions; each has its face on the left.
pub(super) struct Mesh {
    /// The point where each half-edge starts.
    pub(super) origin: Vec<u32>,
    /// The half-edge that follows around the face.
    pub(super) next: Vec<u32>,
    /// The face on the left; [`OUTER_FACE`] or a triangle.
    pub(super) face: Vec<u32>,
    pub(super) face_count: usize,
    /// What each segment became, segment after segment, each from its start to its end: half-edges along it, more
    /// than one where it passes through points.
    pub(super) walk: Vec<u32>,
    /// The segment of each entry of `walk`.
    pub(super) walk_segment: Vec<u32>,
}

/// How segments are put into a triangulation.
#[derive(Clone, Copy)]
pub(super) enum Haste {
    /// In the order given, which is fast as a rule: with at most so many steps.
    Within(usize),
    /// In an order that no input can make slow: a segment crosses few of the edges that those before it have left.
    AnyInput,
}

/// Why there is no triangulation.
#[derive(Debug)]
pub(super) enum Failure {
    /// A segment and an edge of the ones before it, given by its ends, cross in the interior of both.
    Crossing { segment: usize, other: [u32; 2] },
    /// Segments overlap, or cross edges of the ones before, so much that to put in each of them would take too long.
    Tangled,
    /// The triangulation is not what it should be.
    Defect(&'static str),
}

impl Mesh {
    /// Triangulates pairwise different `points`, not all on one line, with `segments` between different points, with
    /// as many steps along them as `haste` allows.
    pub(super) fn new(points: &[DVec2], segments: &[[u32; 2]], haste: Haste) -> Result<Self, Failure> {
        let order = non_degenerate_order(points)?;
        let mut handles = vec![FixedVertexHandle::from_index(0); points.len()];
        let mut cdt = Cdt::with_capacity(points.len(), 3 * points.len(), 2 * points.len());
        for &i in &order {
            let p = points[i as usize];
            // One by one, not in bulk: bulk loading sorts by rounded angles about a rounded centre, and can fail
            // where those coincide; this relies on exact predicates alone.
            handles[i as usize] = cdt
                .insert(Point2::new(p.x, p.y))
                .map_err(|_| Failure::Defect("the triangulation refused a vertex"))?;
        }
        if cdt.num_vertices() != points.len() {
            return Err(Failure::Defect("the triangulation merged two vertices"));
        }
        let (walk, walk_segment) = constrain(&mut cdt, &order, &handles, segments, haste)?;
        let mesh = Self::extract(&cdt, &order, walk, walk_segment);
        mesh.check(&cdt, points, segments)?;
        Ok(mesh)
    }

    /// How many edges there are, each counted once.
    pub(super) fn edge_count(&self) -> usize {
        self.origin.len() / 2
    }

    /// The points at the start and the end of a half-edge.
    pub(super) fn ends(&self, half_edge: u32) -> [u32; 2] {
        [self.origin[half_edge as usize], self.origin[(half_edge ^ 1) as usize]]
    }

    fn extract(cdt: &Cdt, order: &[u32], walk: Vec<u32>, walk_segment: Vec<u32>) -> Self {
        let count = cdt.num_directed_edges();
        let mut mesh = Self {
            origin: vec![0; count],
            next: vec![0; count],
            face: vec![OUTER_FACE; count],
            face_count: cdt.num_all_faces(),
            walk,
            walk_segment,
        };
        for edge in cdt.directed_edges() {
            let i = edge.fix().index();
            mesh.origin[i] = order[edge.from().fix().index()];
            mesh.next[i] = edge.next().fix().index() as u32;
            mesh.face[i] = edge.face().fix().index() as u32;
        }
        mesh
    }

    /// Triangles counter-clockwise, and each segment a chain of constraints from its start to its end. Locally
    /// right everywhere and with a convex boundary, a triangulation is right as a whole.
    fn check(&self, cdt: &Cdt, points: &[DVec2], segments: &[[u32; 2]]) -> Result<(), Failure> {
        let at = |half_edge: u32| points[self.origin[half_edge as usize] as usize];
        for (first, &face) in self.face.iter().enumerate() {
            if face == OUTER_FACE {
                continue;
            }
            let second = self.next[first];
            let third = self.next[second as usize];
            if self.next[third as usize] as usize != first {
                return Err(Failure::Defect("a face of the triangulation is no triangle"));
            }
            // Each triangle is met three times; once is enough.
            let least = (first as u32) < second.min(third);
            if least && orientation(at(first as u32), at(second), at(third)) <= 0.0 {
                return Err(Failure::Defect("a triangle of the triangulation is turned over"));
            }
        }
        let is_constraint: Vec<bool> = cdt.undirected_edges().map(|e| e.is_constraint_edge()).collect();
        let mut steps = self.walk.iter().zip(&self.walk_segment).peekable();
        for (segment, &[from, to]) in segments.iter().enumerate() {
            let mut reached = from;
            while let Some((&half_edge, _)) = steps.next_if(|&(_, &s)| s as usize == segment) {
                let [start, end] = self.ends(half_edge);
                if start != reached || !is_constraint[half_edge as usize / 2] {
                    return Err(Failure::Defect("a segment is not where it was put"));
                }
                reached = end;
            }
            if reached != to {
                return Err(Failure::Defect("a segment is not whole"));
            }
        }
        Ok(())
    }
}

/// An insertion order whose first three points are no line: as long as all points lie on one, each costs a sort.
fn non_degenerate_order(points: &[DVec2]) -> Result<Vec<u32>, Failure> {
    let mut order = insertion_order(points);
    let at = |i: u32| points[i as usize];
    let third = match order[..] {
        [a, b, ..] => order.iter().position(|&c| orientation(at(a), at(b), at(c)) != 0.0),
        _ => None,
    };
    let Some(third) = third else {
        return Err(Failure::Defect("all vertices lie on one line"));
    };
    order[2..=third].rotate_right(1);
    Ok(order)
}

/// Adds the segments as constraints; the half-edges that each became, and the segment of each half-edge.
fn constrain(
    cdt: &mut Cdt,
    order: &[u32],
    handles: &[FixedVertexHandle],
    segments: &[[u32; 2]],
    haste: Haste,
) -> Result<(Vec<u32>, Vec<u32>), Failure> {
    let mut visits = vec![0u32; handles.len()];
    for &end in segments.iter().flatten() {
        visits[end as usize] += 1;
    }
    let (patience, turns) = match haste {
        Haste::Within(steps) => (steps, (0..segments.len() as u32).collect()),
        Haste::AnyInput => (usize::MAX, stirred(segments.len())),
    };
    let mut steps = 0usize;
    // So many segments that cut edges are put in without counting these: together they cut no more than there is patience for.
    let mut uncounted = patience / (3 * handles.len()).max(1);
    let mut walk = Vec::with_capacity(segments.len());
    // Where the part of each segment starts in what was walked, by turns.
    let mut starts = Vec::with_capacity(segments.len() + 1);
    for &segment in &turns {
        let [from, to] = segments[segment as usize];
        // Finding the way out of a vertex takes its degree, so from a hub it is found from the other end.
        let backward = visits[from as usize] > visits[to as usize];
        let (a, b) = if backward { (to, from) } else { (from, to) };
        steps = steps.saturating_add(visits[a as usize] as usize);
        let (a, b) = (handles[a as usize], handles[b as usize]);
        if patience < usize::MAX && cdt.get_edge_from_neighbors(a, b).is_none() {
            if uncounted > 0 {
                uncounted -= 1;
            } else {
                let met = LineIntersectionIterator::new_from_handles(cdt, a, b);
                steps += met.take(patience).count();
            }
        }
        if steps.saturating_add(walk.len()) > patience {
            return Err(Failure::Tangled);
        }
        let chain = cdt.try_add_constraint(a, b);
        if chain.is_empty() {
            let other = cdt.get_conflicting_edges_between_vertices(a, b).next();
            return Err(match other {
                Some(edge) => {
                    let other = edge.vertices().map(|v| order[v.fix().index()]);
                    Failure::Crossing { segment: segment as usize, other }
                }
                None => Failure::Defect("a segment was refused without a crossing"),
            });
        }
        let start = walk.len();
        starts.push(start);
        walk.extend(chain.iter().map(|e| e.index() as u32));
        if backward {
            walk[start..].reverse();
            walk[start..].iter_mut().for_each(|half_edge| *half_edge ^= 1);
        }
    }
    starts.push(walk.len());
    Ok(segment_after_segment(&walk, &starts, &turns))
}

/// What was walked by turns, segment after segment, and the segment of each step.
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
