//! Finds the points at which the edges of rings must be cut, so that edges meet at vertices only.

use std::ops::ControlFlow;

use glam::DVec2;

use super::simple::{Contact, Segments, is_same_direction, segments};
use super::{Block, Centre, LeafPairs, Outline, Ring};
use crate::geometry::predicates::{is_strictly_between, orientation};

/// A point at which an edge is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    /// The number of the ring.
    pub(crate) ring: u32,
    /// The number of the edge's first vertex in its ring.
    pub(crate) edge: u32,
    pub(crate) at: DVec2,
}

/// Memory for rings.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    block: Block,
}

impl Loops {
    /// Returns the cuts of rings. An edge is cut at vertices on it, and at the rounded crossings with other edges. Consecutive
    /// vertices of a ring must differ.
    pub(crate) fn cuts(&mut self, rings: &[Vec<DVec2>], leaf_pairs: &mut LeafPairs) -> Vec<Cut> {
        self.outline(rings).map_or(Vec::new(), |outline| outline.cuts(leaf_pairs))
    }

    /// The rings with at least two vertices as an outline, or `None` if there are none.
    pub(crate) fn outline(&mut self, rings: &[Vec<DVec2>]) -> Option<Outline<'_>> {
        self.block = Block::default();
        for (given, ring) in (0..).zip(rings).filter(|(_, ring)| ring.len() > 1) {
            let first = self.block.add_ring_vertices(ring);
            let end = first + ring.len() as u32;
            self.block.rings.push(Ring { first, end, given, is_reversed: false });
        }
        let count = self.block.rings.len() as u32;
        if count == 0 {
            return None;
        }
        self.block.witnesses.push(0);
        self.block.add_polygon(0, 0..count);
        Some(self.block.outline(0))
    }
}

impl Outline<'_> {
    fn cuts(&self, leaf_pairs: &mut LeafPairs) -> Vec<Cut> {
        let mut cuts = Vec::new();
        let mut cut = |edge: u32, at: DVec2| {
            let [p, q] = self.edge(edge);
            if at != p && at != q {
                let ring = self.ring_of(edge);
                cuts.push(Cut { ring: ring.given, edge: edge - ring.first, at });
            }
        };
        let _ = self.contacts(leaf_pairs, &mut |[e, f], met| {
            let (of_e, of_f) = (self.edge(e), self.edge(f));
            match met {
                Segments::Apart | Segments::Touch(Contact::Start | Contact::End) => {}
                Segments::Touch(Contact::OnFirst(_) | Contact::OnSecond(_) | Contact::Overlap) => {
                    for (edge, [p, q], others) in [(e, of_e, of_f), (f, of_f, of_e)] {
                        let on_edge = |at: &DVec2| is_strictly_on(*at, [p, q]);
                        others.into_iter().filter(on_edge).for_each(|at| cut(edge, at));
                    }
                }
                Segments::Cross => {
                    let at = Centre::of_crossing(of_e, of_f).rounded();
                    cut(e, at);
                    cut(f, at);
                }
            }
            ControlFlow::Continue(())
        });
        cuts
    }

    /// Calls `visit` with each pair of edges that have a common point, and how they meet, until `visit` breaks. Of consecutive
    /// edges, only those that overlap are visited. Repetitions are possible.
    pub(crate) fn contacts(
        &self,
        leaf_pairs: &mut LeafPairs,
        visit: &mut dyn FnMut([u32; 2], Segments) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.meeting_pairs(self.aabb(), leaf_pairs, |e, f| match segments(self.edge(e), self.edge(f)) {
            Segments::Apart => ControlFlow::Continue(()),
            met => visit([e, f], met),
        })?;
        for ring in self.rings {
            for edge in ring.first..ring.end {
                let next = if edge + 1 == ring.end { ring.first } else { edge + 1 };
                let ([before, here], after) = (self.edge(edge), self.edge(next)[1]);
                if is_same_direction(here, before, after) {
                    visit([edge, next], Segments::Touch(Contact::Overlap))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether a point is on an edge, and at neither end.
pub(crate) fn is_strictly_on(at: DVec2, [p, q]: [DVec2; 2]) -> bool {
    is_strictly_between(p, at, q) && orientation(p, q, at) == 0.0
}
