//! Finds the points at which the edges of rings must be cut, so that edges meet at vertices only.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use glam::DVec2;

use super::simple::{Contact, Segments, is_same_direction, segments};
use super::touches::by_place;
use super::{Block, Centre, LEAF_EDGES, LeafPairs, Outline, Pairs, Ring};
use crate::base::sorting::sort_by;
use crate::geometry::predicates::{is_strictly_between, orientation};

/// A point at which an edge is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    /// The index of the edge's ring in the list of rings that the caller passed.
    pub(crate) ring: u32,
    /// The index of the edge in its ring. Edge `k` begins at vertex `k`.
    pub(crate) edge: u32,
    pub(crate) at: DVec2,
}

impl Cut {
    fn by_place(&self, other: &Self) -> Ordering {
        (self.ring, self.edge).cmp(&(other.ring, other.edge)).then_with(|| by_place(self.at, other.at))
    }
}

/// If the number of pairs of edges that overlap reaches about this number times the number of edges, the search for
/// cuts ends with [`Excess::Overlaps`].
const MOST_OVERLAPS: usize = 64;

/// When a [`Distinct`] list reaches this length, it removes its repetitions for the first time.
const MANY: usize = 1 << 16;

/// The reasons why the search for cuts ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// Very many pairs of edges overlap.
    Overlaps,
    /// There are more cuts than [`CutLimits::cuts`]. The value is a lower bound of the number of cuts.
    Cuts(usize),
}

/// The limits of a search for cuts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutLimits {
    /// The largest allowed number of different cuts.
    pub(crate) cuts: usize,
    /// Whether the search counts pairs of overlapping edges, and ends with [`Excess::Overlaps`] if there are very many.
    pub(crate) has_overlaps: bool,
}

/// A list that finds out whether it gets more than `most` different items. It may hold repetitions. It removes them when it has
/// at least [`MANY`] items and its length has doubled since the last removal, and also when its length exceeds `most`.
pub(super) struct Distinct<T> {
    items: Vec<T>,
    order: fn(&T, &T) -> Ordering,
    room: usize,
    most: usize,
}

impl<T: Clone + PartialEq> Distinct<T> {
    pub(super) fn new(items: Vec<T>, order: fn(&T, &T) -> Ordering, most: usize) -> Self {
        Self { room: MANY.max(2 * items.len()), items, order, most }
    }

    /// Adds an item to the list. Breaks if the list has more different items than its limit.
    pub(super) fn push(&mut self, item: T) -> ControlFlow<()> {
        self.items.push(item);
        if self.items.len() < self.room.min(self.most.saturating_add(1)) {
            return ControlFlow::Continue(());
        }
        self.compact();
        self.room = MANY.max(2 * self.items.len());
        if self.items.len() > self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn compact(&mut self) {
        sort_by(&mut self.items, self.order);
        self.items.dedup();
    }

    /// Returns all items, which may have repetitions.
    pub(super) fn into_items(self) -> Vec<T> {
        self.items
    }

    /// Returns the items of the list, sorted and without repetitions.
    pub(super) fn into_sorted(mut self) -> Vec<T> {
        self.compact();
        self.items
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }
}

/// Reusable memory for the outline of rings.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    block: Block,
}

impl Loops {
    /// Returns the cuts of rings, in any order and with possible repetitions. An edge is cut at vertices on it, and at the
    /// rounded crossings with other edges. Returns an [`Excess`] if a limit is exceeded. Consecutive vertices of a ring
    /// must differ.
    pub(crate) fn cuts(
        &mut self,
        rings: &[Vec<DVec2>],
        limits: CutLimits,
        leaf_pairs: &mut LeafPairs,
    ) -> Result<Vec<Cut>, Excess> {
        self.outline(rings).map_or(Ok(Vec::new()), |outline| outline.cuts(limits, leaf_pairs))
    }

    /// Returns the rings with at least two vertices as an outline, or `None` if there are no such rings.
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
    fn cuts(&self, limits: CutLimits, leaf_pairs: &mut LeafPairs) -> Result<Vec<Cut>, Excess> {
        let mut cuts = Distinct::new(Vec::new(), Cut::by_place, limits.cuts);
        let mut cut = |edge: u32, at: DVec2| {
            let [p, q] = self.edge(edge);
            if at == p || at == q {
                return ControlFlow::Continue(());
            }
            let ring = self.ring_of(edge);
            cuts.push(Cut { ring: ring.given, edge: edge - ring.first, at })
        };
        let (mut overlaps, edges) = (0, LEAF_EDGES * self.leaves.len());
        let found = self.contacts(leaf_pairs, &mut |[e, f], met| {
            let (of_e, of_f) = (self.edge(e), self.edge(f));
            if limits.has_overlaps && matches!(met, Segments::Touch(Contact::Overlap)) {
                overlaps += 1;
                if overlaps == MOST_OVERLAPS * edges {
                    return ControlFlow::Break(());
                }
            }
            match met {
                Segments::Apart | Segments::Touch(Contact::Start | Contact::End) => {}
                Segments::Touch(Contact::OnFirst(_) | Contact::OnSecond(_) | Contact::Overlap) => {
                    for (edge, [p, q], others) in [(e, of_e, of_f), (f, of_f, of_e)] {
                        let on_edge = |at: &DVec2| is_strictly_on(*at, [p, q]);
                        others.into_iter().filter(on_edge).try_for_each(|at| cut(edge, at))?;
                    }
                }
                Segments::Cross => {
                    let at = Centre::of_crossing(of_e, of_f).rounded();
                    cut(e, at)?;
                    cut(f, at)?;
                }
            }
            ControlFlow::Continue(())
        });
        match found {
            ControlFlow::Continue(()) => Ok(cuts.into_items()),
            ControlFlow::Break(()) if overlaps > edges => Err(Excess::Overlaps),
            ControlFlow::Break(()) => Err(Excess::Cuts(cuts.len())),
        }
    }

    /// Calls `visit` with pairs of edges that have a common point, and with the way in which they meet, until `visit`
    /// breaks. Some pairs may be left out ([`Pairs::Few`]). The visited pairs still show every crossing, and every
    /// vertex in the interior of an edge. Consecutive edges are visited only if they overlap. A pair may be visited
    /// several times.
    pub(crate) fn contacts(
        &self,
        leaf_pairs: &mut LeafPairs,
        visit: &mut dyn FnMut([u32; 2], Segments) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let near = self.aabb();
        self.meeting_pairs(near, Pairs::Few, leaf_pairs, |e, f| {
            match segments(self.edge(e), self.edge(f)) {
                Segments::Apart => ControlFlow::Continue(()),
                met => visit([e, f], met),
            }
        })?;
        for ring in self.rings {
            for edges in self.spikes(ring) {
                visit(edges, Segments::Touch(Contact::Overlap))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the edges of a ring at which the ring turns back: each pair of successive edges in which the second edge
    /// begins along the first edge.
    pub(super) fn spikes(&self, ring: &Ring) -> impl Iterator<Item = [u32; 2]> {
        let Ring { first, end, .. } = *ring;
        let pairs = (first..end).map(move |edge| [edge, if edge + 1 == end { first } else { edge + 1 }]);
        pairs.filter(|&[edge, next]| {
            let ([before, here], after) = (self.edge(edge), self.edge(next)[1]);
            is_same_direction(here, before, after)
        })
    }
}

/// Returns whether a point is on an edge and differs from both ends.
pub(crate) fn is_strictly_on(at: DVec2, [p, q]: [DVec2; 2]) -> bool {
    is_strictly_between(p, at, q) && orientation(p, q, at) == 0.0
}
