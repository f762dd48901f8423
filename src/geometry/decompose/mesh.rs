//! A triangulation with constraints, stored as half-edges and checked. It is a constrained Delaunay triangulation unless
//! [`Haste::AnyInput`] inserted the segments.

use glam::DVec2;
use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, LineIntersectionIterator, Point2, Triangulation};

use super::insertion_order::insertion_order;
use super::segments::Segments;
use crate::geometry::predicates::orientation;

type Cdt = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// The number of edge flips that take as much time as one step along a segment.
const FLIPS_A_STEP: usize = 4;

/// The face of a mesh that is outside the convex hull of its points.
pub(super) const OUTER_FACE: u32 = 0;

/// A triangulation as half-edges. Half-edges `2e` and `2e + 1` are the two directions of edge `e`. The face of a
/// half-edge is on its left.
pub(super) struct Mesh {
    /// For each half-edge, the index of the point at which it starts.
    pub(super) origin: Vec<u32>,
    /// For each half-edge, the half-edge that follows it on the way around its face.
    pub(super) next: Vec<u32>,
    /// For each half-edge, the face on its left: [`OUTER_FACE`] or a triangle.
    pub(super) face: Vec<u32>,
    pub(super) face_count: usize,
    /// The half-edges of each segment, from its start to its end, sorted by segment. A segment that passes through
    /// points has several half-edges.
    pub(super) walk: Vec<u32>,
    /// For each entry of `walk`, the segment to which the half-edge belongs.
    pub(super) walk_segment: Vec<u32>,
}

/// The method of inserting segments into a triangulation.
#[derive(Clone, Copy)]
pub(super) enum Haste {
    /// Inserts the segments in the given order, and restores the Delaunay property after each segment. This method is fast
    /// for most inputs. The value is the limit on its number of steps.
    Within(usize),
    /// Inserts the segments by a method that is fast for every input. The result is not a Delaunay triangulation.
    AnyInput,
}

/// The reasons why a triangulation can fail.
#[derive(Debug)]
pub(super) enum Failure {
    /// A segment crosses the edge of an earlier segment in the interior of both. `other` has the ends of that edge.
    Crossing { segment: usize, other: [u32; 2] },
    /// The insertion would take more steps than [`Haste::Within`] allows.
    Tangled,
    /// A check found a defect of the triangulation. The value describes the defect.
    Defect(&'static str),
}

impl Mesh {
    /// Triangulates `points`, which must differ and must not all be on one line. Each of `segments` goes between two
    /// different points and becomes a chain of edges. `haste` is the method of inserting the segments. Returns
    /// [`Failure::Crossing`] if segments cross, [`Failure::Tangled`] if the insertion takes more steps than `haste`
    /// allows, and [`Failure::Defect`] if all points are on one line or a check fails.
    pub(super) fn new(points: &[DVec2], segments: &[[u32; 2]], haste: Haste) -> Result<Self, Failure> {
        let (mesh, is_constraint) = match haste {
            Haste::Within(patience) => {
                let Delaunay { mut cdt, order, handles } = Delaunay::of(points)?;
                let walks = constrain(&mut cdt, &order, &handles, segments, patience)?;
                let is_constraint = cdt.undirected_edges().map(|e| e.is_constraint_edge()).collect();
                (Self::extract(&cdt, &order, walks), is_constraint)
            }
            Haste::AnyInput => {
                let mut put_in = Segments::new(points, segments, Self::of_points(points)?);
                put_in.all()?;
                put_in.into_mesh()
            }
        };
        mesh.check(&is_constraint, points, segments)?;
        Ok(mesh)
    }

    /// Triangulates points without segments. Returns [`Failure::Defect`] if all points are on one line.
    pub(super) fn of_points(points: &[DVec2]) -> Result<Self, Failure> {
        let Delaunay { cdt, order, .. } = Delaunay::of(points)?;
        Ok(Self::extract(&cdt, &order, (Vec::new(), Vec::new())))
    }

    /// Returns the number of edges of the mesh.
    pub(super) fn edge_count(&self) -> usize {
        self.origin.len() / 2
    }

    /// Returns the indices of the points at the start and the end of a half-edge.
    pub(super) fn ends(&self, half_edge: u32) -> [u32; 2] {
        [self.origin[half_edge as usize], self.origin[(half_edge ^ 1) as usize]]
    }

    fn extract(cdt: &Cdt, order: &[u32], (walk, walk_segment): (Vec<u32>, Vec<u32>)) -> Self {
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

    /// Checks that the triangles are counter-clockwise, and that each segment is a chain of constraints from its start
    /// to its end. Returns [`Failure::Defect`] if a check fails. Checks of single triangles and edges are enough,
    /// because a triangulation is correct if every part of it is correct and its boundary is convex.
    fn check(&self, is_constraint: &[bool], points: &[DVec2], segments: &[[u32; 2]]) -> Result<(), Failure> {
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
            // The loop visits each triangle three times, once for each half-edge. Checks the triangle only at its first
            // half-edge.
            let least = (first as u32) < second.min(third);
            if least && orientation(at(first as u32), at(second), at(third)) <= 0.0 {
                return Err(Failure::Defect("a triangle of the triangulation is turned over"));
            }
        }
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

/// The triangulation of the points by the crate `spade`, without segments.
struct Delaunay {
    cdt: Cdt,
    /// For each vertex of `cdt`, the index of its point.
    order: Vec<u32>,
    /// For each point, the handle of its vertex in `cdt`.
    handles: Vec<FixedVertexHandle>,
}

impl Delaunay {
    fn of(points: &[DVec2]) -> Result<Self, Failure> {
        let order = non_degenerate_order(points)?;
        let mut handles = vec![FixedVertexHandle::from_index(0); points.len()];
        let mut cdt = Cdt::with_capacity(points.len(), 3 * points.len(), 2 * points.len());
        for &i in &order {
            let p = points[i as usize];
            // Inserts the points one by one. The bulk loading of `spade` sorts by rounded angles about a rounded
            // centre, and can fail if angles coincide. The insertion of single points relies on exact predicates only.
            handles[i as usize] = cdt
                .insert(Point2::new(p.x, p.y))
                .map_err(|_| Failure::Defect("the triangulation refused a vertex"))?;
        }
        if cdt.num_vertices() != points.len() {
            return Err(Failure::Defect("the triangulation merged two vertices"));
        }
        Ok(Self { cdt, order, handles })
    }
}

/// Returns an insertion order whose first three points are not on one line, or [`Failure::Defect`] if all points are on
/// one line. As long as all inserted points are on one line, each insertion sorts them, which takes long.
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

/// Adds the segments as constraints. Returns [`Failure::Crossing`] if a segment crosses an earlier one, or
/// [`Failure::Tangled`] if the insertion would take more than `patience` steps. Otherwise, returns the half-edges of
/// each segment, segment after segment, and the segment of each half-edge.
fn constrain(
    cdt: &mut Cdt,
    order: &[u32],
    handles: &[FixedVertexHandle],
    segments: &[[u32; 2]],
    patience: usize,
) -> Result<(Vec<u32>, Vec<u32>), Failure> {
    let mut visits = vec![0u32; handles.len()];
    for &end in segments.iter().flatten() {
        visits[end as usize] += 1;
    }
    let mut steps = 0usize;
    let mut walk = Vec::with_capacity(segments.len());
    let mut walk_segment = Vec::with_capacity(segments.len());
    for (segment, &[from, to]) in segments.iter().enumerate() {
        // The search for the first edge of a segment inspects all edges at the point where the segment starts. The code
        // therefore starts at the end with fewer edges.
        let backward = visits[from as usize] > visits[to as usize];
        let (a, b) = if backward { (to, from) } else { (from, to) };
        steps = steps.saturating_add(visits[a as usize] as usize);
        let (a, b) = (handles[a as usize], handles[b as usize]);
        if patience < usize::MAX && cdt.get_edge_from_neighbors(a, b).is_none() {
            let met = LineIntersectionIterator::new_from_handles(cdt, a, b).take(patience).count();
            // Each crossed edge may be flipped once for every other crossed edge. The number of flips is therefore at
            // most proportional to the square of the number of crossed edges.
            steps = steps.saturating_add(met).saturating_add(met.saturating_mul(met) / FLIPS_A_STEP);
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
                    Failure::Crossing { segment, other }
                }
                None => Failure::Defect("a segment was refused without a crossing"),
            });
        }
        let start = walk.len();
        walk.extend(chain.iter().map(|e| e.index() as u32));
        if backward {
            walk[start..].reverse();
            walk[start..].iter_mut().for_each(|half_edge| *half_edge ^= 1);
        }
        walk_segment.resize(walk.len(), segment as u32);
    }
    Ok((walk, walk_segment))
}
