//! Decides which triangles are inside, and where rings meet.

use glam::DVec2;

use crate::base::error::{Error, Result};

use super::course::{Course, Passage};
use super::mesh::{Mesh, OUTER_FACE};
use super::rings::Rings;

/// The rings that traverse each edge of the mesh.
pub(super) struct Boundary {
    /// For each edge, the rings that traverse it an odd number of times, edge after edge.
    odd_rings: Vec<u32>,
    /// For each edge, the index in `odd_rings` of its first ring. The last entry is the length of `odd_rings`.
    odd_offsets: Vec<u32>,
    /// The number of edges that are traversed more than once.
    pub(super) retraced_edges: usize,
    passages: Vec<Passage>,
    is_crossable: Vec<bool>,
}

impl Boundary {
    pub(super) fn new(course: Course, mesh: &Mesh) -> Self {
        let Course { mut traversals, passages, is_crossable } = course;
        crate::base::sorting::sort_unstable(&mut traversals);
        let mut this = Self {
            odd_rings: Vec::new(),
            odd_offsets: vec![0; mesh.edge_count() + 1],
            retraced_edges: 0,
            passages,
            is_crossable,
        };
        for of_edge in traversals.chunk_by(|a, b| a.0 == b.0) {
            this.retraced_edges += usize::from(of_edge.len() > 1);
            for of_ring in of_edge.chunk_by(|a, b| a.1 == b.1) {
                if of_ring.len() % 2 == 1 {
                    let (edge, ring) = of_ring[0];
                    this.odd_rings.push(ring);
                    this.odd_offsets[edge as usize + 1] += 1;
                }
            }
        }
        for i in 1..this.odd_offsets.len() {
            this.odd_offsets[i] += this.odd_offsets[i - 1];
        }
        this
    }

    /// Returns the rings that traverse an edge an odd number of times. If the edge is not crossable
    /// ([`Course::is_crossable`]), the list may name other rings, but the parity of its length is right.
    fn odd_rings(&self, edge: u32) -> &[u32] {
        let edge = edge as usize;
        &self.odd_rings[self.odd_offsets[edge] as usize..self.odd_offsets[edge + 1] as usize]
    }

    /// Returns the indices of the two ends of each edge between a face inside and a face outside.
    pub(super) fn odd_edges(&self, mesh: &Mesh) -> Vec<[u32; 2]> {
        let odd = |&edge: &u32| self.odd_rings(edge).len() % 2 == 1;
        (0..mesh.edge_count() as u32).filter(odd).map(|edge| mesh.ends(2 * edge)).collect()
    }

    /// Returns whether each face is in the even-odd interior of the rings. Returns [`Error::HoleOutsideShell`] if a
    /// part of a hole is outside the shell.
    pub(super) fn inside(&self, rings: &Rings, mesh: &Mesh) -> Result<Vec<bool>> {
        let mut inside = vec![false; mesh.face_count];
        let mut is_within = vec![false; rings.ring_count];
        // The number of rings whose own even-odd interior contains the current face.
        let mut within_count = 0usize;
        let mut stray = None;
        for_each_crossing(mesh, &self.is_crossable, |edge, entered| {
            for &ring in self.odd_rings(edge) {
                let within = &mut is_within[ring as usize];
                *within = !*within;
                if *within { within_count += 1 } else { within_count -= 1 }
            }
            let Some(face) = entered else { return };
            inside[face as usize] = within_count % 2 == 1;
            if !is_within[0] && within_count > 0 && stray.is_none() {
                stray = is_within.iter().position(|&within| within).map(|ring| (ring, face));
            }
        });
        match stray {
            None => Ok(inside),
            Some((ring, face)) => Err(self.outside_shell(rings, mesh, ring, face)),
        }
    }

    /// Returns the error for the hole with index `ring`. `face` is a face that is in the hole and outside the shell.
    fn outside_shell(&self, rings: &Rings, mesh: &Mesh, ring: usize, face: u32) -> Error {
        let is_shell = |edge: u32| self.odd_rings(edge).contains(&0);
        let in_shell = faces_inside(mesh, &self.is_crossable, is_shell);
        // A vertex is outside if no face around it is in the shell. A hole may have no such vertex.
        let mut is_outside = vec![true; rings.points.len()];
        for (half_edge, &face) in mesh.face.iter().enumerate() {
            if in_shell[face as usize] {
                is_outside[mesh.origin[half_edge] as usize] = false;
            }
        }
        let vertex = rings
            .segments
            .iter()
            .filter(|s| s.ring as usize == ring)
            .map(|s| s.ends[0])
            .find(|&v| is_outside[v as usize])
            .or_else(|| mesh.face.iter().position(|&f| f == face).map(|half_edge| mesh.origin[half_edge]));
        let at = vertex.map_or(rings.points[0], |v| rings.points[v as usize]);
        Error::HoleOutsideShell { polygon: 0, ring, x: at.x, y: at.y }
    }

    /// Returns the number of points at which rings meet without a common edge. Returns [`Error::CrossingSegments`] if
    /// segments cross at a point.
    pub(super) fn touching_vertices(&mut self, rings: &Rings) -> Result<usize> {
        let passages = &mut self.passages;
        crate::base::sorting::sort_unstable_by_key(passages, |p| p.vertex);
        let mut count = 0;
        for at_vertex in passages.chunk_by(|a, b| a.vertex == b.vertex) {
            if at_vertex.len() < 2 {
                continue;
            }
            // Two segments cross if they pass straight through a point along different lines.
            let mut straight = at_vertex.iter().filter(|p| p.inside_segment.is_some());
            if let Some(first) = straight.next()
                && let Some(segment) =
                    straight.find(|p| !p.edges.contains(&first.edges[0])).and_then(|p| p.inside_segment)
            {
                return Err(rings.crossing(segment as usize, rings.points[first.vertex as usize]));
            }
            count += usize::from(!all_linked(at_vertex));
        }
        Ok(count)
    }
}

/// Returns whether the passages through one point are connected by common edges.
pub(super) fn all_linked(passages: &[Passage]) -> bool {
    let mut edges: Vec<u32> = passages.iter().flat_map(|p| p.edges).collect();
    crate::base::sorting::sort_unstable(&mut edges);
    edges.dedup();
    let mut leader: Vec<usize> = (0..edges.len()).collect();
    let find = |leader: &mut Vec<usize>, mut i: usize| {
        while leader[i] != i {
            leader[i] = leader[leader[i]];
            i = leader[i];
        }
        i
    };
    let mut groups = edges.len();
    for passage in passages {
        let [a, b] = passage.edges.map(|e| edges.partition_point(|&x| x < e));
        let (a, b) = (find(&mut leader, a), find(&mut leader, b));
        if a != b {
            leader[a] = b;
            groups -= 1;
        }
    }
    groups == 1
}

/// Returns the boundary of the inside faces, as closed rings with the inside on their left. Around a vertex, the inside
/// may consist of several sectors. Each corner of a ring encloses one of them.
pub(super) fn outline(points: &[DVec2], mesh: &Mesh, inside: &[bool]) -> Vec<Vec<DVec2>> {
    let is_inside = |half_edge: u32| inside[mesh.face[half_edge as usize] as usize];
    let is_boundary = |half_edge: u32| is_inside(half_edge) && !is_inside(half_edge ^ 1);
    let mut is_taken = vec![false; mesh.face.len()];
    let mut rings = Vec::new();
    for first in 0..mesh.face.len() as u32 {
        let (mut ring, mut half_edge) = (Vec::new(), first);
        while is_boundary(half_edge) && !std::mem::replace(&mut is_taken[half_edge as usize], true) {
            ring.push(points[mesh.origin[half_edge as usize] as usize]);
            half_edge = mesh.next[half_edge as usize];
            while !is_boundary(half_edge) {
                half_edge = mesh.next[(half_edge ^ 1) as usize];
            }
        }
        if !ring.is_empty() {
            rings.push(ring);
        }
    }
    rings
}

/// Returns for each face whether it is in the even-odd interior of the constraints, which are the edges of segments. An
/// edge counts once, even if several segments pass it.
pub(super) fn inside_of_constraints(mesh: &Mesh) -> Vec<bool> {
    let mut is_constraint = vec![false; mesh.edge_count()];
    for &half_edge in &mesh.walk {
        is_constraint[half_edge as usize / 2] = true;
    }
    faces_inside(mesh, &vec![true; mesh.edge_count()], |edge| is_constraint[edge as usize])
}

fn faces_inside(mesh: &Mesh, is_crossable: &[bool], is_boundary: impl Fn(u32) -> bool) -> Vec<bool> {
    let mut inside = vec![false; mesh.face_count];
    let mut within = false;
    for_each_crossing(mesh, is_crossable, |edge, entered| {
        within ^= is_boundary(edge);
        if let Some(face) = entered {
            inside[face as usize] = within;
        }
    });
    inside
}

/// Walks from the outer face to every other face and back, depth first, across the crossable edges. Calls `visit` with
/// each crossed edge and the face that the walk enters, or `None` when the walk goes back. If the caller toggles a
/// state at each crossed edge, it knows the state of every face that the walk enters.
fn for_each_crossing(mesh: &Mesh, is_crossable: &[bool], mut visit: impl FnMut(u32, Option<u32>)) {
    enum Step {
        /// Enters the face on the left of a half-edge.
        Enter(u32),
        /// Goes back across an edge, and so leaves the face that was entered across it.
        Return(u32),
    }
    let mut seen = vec![false; mesh.face_count];
    seen[OUTER_FACE as usize] = true;
    let mut stack: Vec<Step> = (0..mesh.face.len() as u32)
        .filter(|&half_edge| mesh.face[half_edge as usize] == OUTER_FACE)
        .map(|half_edge| Step::Enter(half_edge ^ 1))
        .collect();
    while let Some(step) = stack.pop() {
        match step {
            Step::Return(edge) => visit(edge, None),
            Step::Enter(half_edge) => {
                let face = mesh.face[half_edge as usize];
                if !is_crossable[half_edge as usize / 2] || std::mem::replace(&mut seen[face as usize], true)
                {
                    continue;
                }
                visit(half_edge / 2, Some(face));
                stack.push(Step::Return(half_edge / 2));
                let second = mesh.next[half_edge as usize];
                let third = mesh.next[second as usize];
                stack.extend([Step::Enter(second ^ 1), Step::Enter(third ^ 1)]);
            }
        }
    }
}
