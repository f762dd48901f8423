//! Records which edges and points of a mesh each ring passes.
//!
//! Segments on one line may overlap so often that most segments pass most edges of the line. The list of all passes
//! would then be very long. The record therefore keeps only the facts that the decomposition needs, and its size is
//! proportional to the number of segments.

use super::lines::Cuts;
use super::mesh::Mesh;
use super::rings::Rings;

pub(super) struct Course {
    /// The traversals of edges by rings. A pair has the index of an edge and the index of a ring. If the edge is
    /// [crossable](Course::is_crossable), there is one pair for each traversal. For any other edge, the pairs name ring 0,
    /// and show only whether the number of traversals is 1, even or odd: 1 pair for 1, 2 pairs for any even number, and 3
    /// pairs for any odd number above 1.
    pub(super) traversals: Vec<(u32, u32)>,
    pub(super) passages: Vec<Passage>,
    /// For each edge, whether a search that walks from face to face may cross the edge. The search may cross the edge
    /// if one end of the edge is also an end of each segment that passes the edge.
    ///
    /// Such edges are enough to reach every face. Proof: take an edge that the search may not cross, and follow its line to
    /// the first point that no segment of the line passes straight through.
    ///
    /// - The search may cross the edge of the line before this point.
    /// - The search may cross the edges on both sides of the line. They end at the line, because segments do not cross.
    ///
    /// A path thus leads along one side of the line, across the edge before the point, and back along the other side.
    pub(super) is_crossable: Vec<bool>,
}

/// The passage of a ring through a point. Several rings may pass straight through the point, inside segments of one
/// line. One passage then represents all of these rings.
#[derive(Clone)]
pub(super) struct Passage {
    pub(super) vertex: u32,
    /// The indices of two edges: the edge by which the ring comes to the point, and the edge by which the ring leaves
    /// the point.
    pub(super) edges: [u32; 2],
    /// The index of a segment whose interior contains the point. `None` if the ring turns at the point: one segment of
    /// the ring ends there, and its next segment begins.
    pub(super) inside_segment: Option<u32>,
}

impl Course {
    /// Records which edges and points of `mesh` each ring passes. `mesh` must be the mesh of `cuts`.
    pub(super) fn new(rings: &Rings, mesh: &Mesh, cuts: &Cuts) -> Self {
        let spans = spans_of_steps(mesh, cuts);
        let count = rings.segments.len();
        let mut this = Self {
            traversals: Vec::with_capacity(mesh.walk.len()),
            passages: Vec::with_capacity(mesh.walk.len()),
            is_crossable: vec![true; mesh.edge_count()],
        };
        this.along_lines(rings, mesh, &spans);
        let edge = |step: u32| mesh.walk[step as usize] / 2;
        let mut start = 0;
        while start < count {
            let ring = rings.segments[start].ring;
            let end = (start..count).find(|&i| rings.segments[i].ring != ring).unwrap_or(count);
            let mut before = end - 1;
            for here in start..end {
                let ([before_low, before_high], [low, high]) = (spans[before], spans[here]);
                let last = if cuts.is_forward[before] { before_high - 1 } else { before_low };
                let first = if cuts.is_forward[here] { low } else { high - 1 };
                this.passages.push(Passage {
                    vertex: rings.segments[here].ends[0],
                    edges: [edge(last), edge(first)],
                    inside_segment: None,
                });
                before = here;
            }
            start = end;
        }
        // A ring that is one point has no edge. In place of edges, its passage has an index that no edge and no other ring
        // has.
        this.passages.extend(rings.lone_points.iter().map(|&(ring, vertex)| Passage {
            vertex,
            edges: [u32::MAX - ring; 2],
            inside_segment: None,
        }));
        this
    }

    /// Records, for each edge, the rings that traverse it, and the passages of rings through points inside segments.
    /// Visits the edges in the order of the half-edges in [`Mesh::walk`], line after line.
    fn along_lines(&mut self, rings: &Rings, mesh: &Mesh, spans: &[[u32; 2]]) {
        let [by_start, by_end] = [0, 1].map(|end| {
            let mut order: Vec<u32> = (0..spans.len() as u32).collect();
            crate::base::sorting::sort_unstable_by_key(&mut order, |&s| (spans[s as usize][end], s));
            order
        });
        let (mut by_start, mut by_end) = (&by_start[..], &by_end[..]);
        // The number of segments that contain both the current step and the step before it. A step is one half-edge of
        // `mesh.walk`.
        let mut passing = 0;
        // The segment that ends last, among the segments that have started so far: one past its last step, and its
        // index.
        let mut farthest = (0, 0);
        for (step, &half_edge) in mesh.walk.iter().enumerate() {
            let edge = half_edge / 2;
            let starting = leading(&mut by_start, |s| spans[s as usize][0] as usize == step);
            let ending = leading(&mut by_end, |s| spans[s as usize][1] as usize == step + 1);
            let covering = passing + starting.len();
            let ends = starting.iter().map(|&segment| (spans[segment as usize][1], segment));
            farthest = ends.fold(farthest, std::cmp::max);
            let here = if passing == 0 { starting } else { ending };
            if here.len() == covering {
                let ring = |&segment: &u32| (edge, rings.segments[segment as usize].ring);
                self.traversals.extend(here.iter().map(ring));
            } else {
                self.is_crossable[edge as usize] = false;
                let told = if covering == 1 { 1 } else { 2 + covering % 2 };
                self.traversals.extend(std::iter::repeat_n((edge, 0), told));
            }
            passing = covering - ending.len();
            if passing > 0 {
                self.passages.push(Passage {
                    vertex: mesh.ends(half_edge)[1],
                    edges: [edge, mesh.walk[step + 1] / 2],
                    inside_segment: Some(farthest.1),
                });
            }
        }
    }
}

/// Removes segments from the start of the slice `segments` while `is_meant` returns `true` for the first segment.
/// Returns the removed segments.
fn leading<'a>(segments: &mut &'a [u32], is_meant: impl Fn(u32) -> bool) -> &'a [u32] {
    let count = segments.iter().take_while(|&&s| is_meant(s)).count();
    let (taken, rest) = segments.split_at(count);
    *segments = rest;
    taken
}

/// Returns for each segment the range of its half-edges in [`Mesh::walk`]: the first index, and one past the last
/// index.
fn spans_of_steps(mesh: &Mesh, cuts: &Cuts) -> Vec<[u32; 2]> {
    let mut first_step = vec![0u32; cuts.ends.len() + 1];
    for &cut in &mesh.walk_segment {
        first_step[cut as usize + 1] += 1;
    }
    for i in 1..first_step.len() {
        first_step[i] += first_step[i - 1];
    }
    cuts.spans.iter().map(|span| span.map(|cut| first_step[cut as usize])).collect()
}
