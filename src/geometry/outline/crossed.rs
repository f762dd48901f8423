//! Crossed polygons. The caller has given a fill rule, and only this rule says which points of the polygon are inside.
//!
//! A polygon is *crossed* if its rings cross, if a hole leaves its shell, or if its fill rule and the even-odd rule may
//! give different regions. The rings are kept as the caller gave them, without repeated vertices.
//!
//! An edge is *free* if it meets other edges of its polygon only at the vertices that it shares with the edge before and
//! the edge after it. In a run of consecutive free edges, the interior is on the same side of every edge.

use glam::DVec2;

use super::centre::Centre;
use super::locate::place_among;
use super::sectors::counted_sectors;
use super::simple::{Patience, Segments, segments};
use super::touches::by_place;
use super::{Block, LeafPairs, Outline, Pairs, Place, Ring, Swept, edge_box};
use crate::base::error::Result;
use crate::base::sorting::{sort_by, sort_unstable};
use crate::geometry::{Aabb, Cleanup, Fill, decompose};
use std::cell::Cell;
use std::ops::ControlFlow;

/// [`Outline::states`] searches around the vertices of a polygon only if these searches visit at most this many tree
/// nodes per edge. Otherwise, it uses a sweep over all edges. At this number, both methods take about as long.
const MOST_NODES: usize = 256;

/// The search for the edges that are not free may visit at most this many tree nodes per edge. For each edge, the
/// search ends as soon as it has found one other edge that meets it. If the search would visit more nodes, a sweep over
/// all edges replaces it.
const MOST_PARTNER_NODES: usize = 128;

/// Two sorted lists about a crossed polygon:
///
/// - For each run of free edges, the first edge of the run, and the position of the interior beside the run. An edge is
///   free if it meets other edges only at the vertices that it shares with its neighbours.
/// - Vertices on the boundary of the region, with at least one on each outermost part of the boundary.
pub(super) type States = (Vec<(u32, Interior)>, Vec<u32>);

/// A crossed polygon: its fill rule, and which of its edges are free.
#[derive(Debug)]
pub(super) struct Crossed {
    pub(super) fill: Fill,
    /// The edges that are not free ([`Outline::is_free`]), sorted. The index before the first edge of a ring stands for
    /// the last edge of the ring.
    bound: Vec<u32>,
    /// For each run of consecutive free edges, its first edge and the position of the interior beside the run. The list
    /// is sorted.
    runs: Vec<(u32, Interior)>,
    /// The box around the witnesses of the polygon. A witness is a vertex on the boundary of the region, and each
    /// outermost part of the boundary has one.
    witness_box: Aabb,
}

/// The side of an edge on which the interior lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interior {
    Left,
    Right,
    /// The interior is on both sides of the edge, or on neither side of the edge.
    Other,
}

/// The interior of a polygon near a point of its edges.
pub(crate) enum Nearby {
    /// The interior near the point is one sector. The sector begins in the direction of `next` and goes
    /// counter-clockwise to the direction of `previous`.
    Corner { next: DVec2, previous: DVec2 },
    /// The interior near the point consists of several sectors, or there is no interior near the point.
    Sectors,
}

impl Block {
    /// Adds a polygon to the block as a crossed polygon, and returns the counts of cleanups. Returns the errors of
    /// [`decompose::check_rings`], or [`crate::Error::EmptyRegion`] if no point is inside under the fill rule.
    pub(super) fn take_crossed(
        &mut self,
        object: u32,
        rings: &[Vec<DVec2>],
        fill: Fill,
        leaf_pairs: &mut LeafPairs,
    ) -> Result<Cleanup> {
        let cleanup = decompose::check_rings(rings)?;
        let (before, first_ring) = (self.lengths(), self.rings.len() as u32);
        for (given, ring) in (0..).zip(rings) {
            let next = |i: usize| ring[(i + 1) % ring.len()];
            let distinct: Vec<DVec2> =
                (0..ring.len()).filter(|&i| ring[i] != next(i)).map(|i| ring[i]).collect();
            if !distinct.is_empty() {
                let first = self.add_ring_vertices(&distinct);
                self.rings.push(Ring {
                    first,
                    end: first + distinct.len() as u32,
                    given,
                    is_reversed: false,
                });
            }
        }
        self.witnesses.push(0);
        self.add_polygon(object, first_ring..self.rings.len() as u32);
        self.witnesses.pop();
        let number = self.crossed.len() as u32;
        let last = self.polygons.len() - 1;
        self.polygons[last].witnesses = 0..0;
        let bound = self.outline(last).bound_edges(leaf_pairs);
        self.crossed.push(Crossed { fill, bound, runs: Vec::new(), witness_box: Aabb::EMPTY });
        self.polygons[last].crossed = Some(number);
        let (runs, witnesses) = self.outline(last).states();
        self.crossed[number as usize].runs = runs;
        if witnesses.is_empty() {
            self.polygons.pop();
            self.truncate(&before);
            return Err(decompose::empty_region(rings));
        }
        let boxes = witnesses.iter().map(|&v| self.vertices[v as usize]).map(|v| Aabb { min: v, max: v });
        self.crossed[number as usize].witness_box = boxes.fold(Aabb::EMPTY, Aabb::union);
        self.witnesses.extend(witnesses);
        let first_given = self.given.len() as u32;
        self.given.extend_from_slice(rings);
        let polygon = &mut self.polygons[last];
        polygon.witnesses = before.witnesses as u32..self.witnesses.len() as u32;
        polygon.given = first_given..self.given.len() as u32;
        Ok(cleanup)
    }
}

impl Crossed {
    fn is_free(&self, edge: u32) -> bool {
        self.bound.binary_search(&edge).is_err()
    }

    /// Returns the position of the interior beside a free edge.
    fn interior(&self, edge: u32) -> Interior {
        let after = self.runs.partition_point(|&(first, _)| first <= edge);
        after.checked_sub(1).map_or(Interior::Other, |run| self.runs[run].1)
    }
}

impl Outline<'_> {
    /// Returns whether the polygon is crossed. A polygon is crossed if its rings cross, if a hole leaves its shell, or
    /// if its fill rule and the even-odd rule may give different regions.
    #[inline]
    pub(crate) fn is_crossed(&self) -> bool {
        self.crossed.is_some()
    }

    /// Returns the box around the witnesses of a crossed polygon. A witness is a vertex on the boundary of the region: each
    /// outermost part of the boundary has at least one. Returns `None` if the polygon is not crossed.
    pub(crate) fn witness_box(&self) -> Option<Aabb> {
        self.crossed.map(|crossed| crossed.witness_box)
    }

    /// Returns whether an edge is free. A free edge meets other edges of the polygon only at the vertices that it
    /// shares with the edge before and the edge after it. If the polygon is not crossed, all its edges count as free.
    pub(crate) fn is_free(&self, edge: u32) -> bool {
        self.crossed.is_none_or(|crossed| crossed.is_free(edge))
    }

    /// Returns the interior of the polygon near the first vertex of an edge. If the edge is not free, the result is
    /// [`Nearby::Sectors`], because other edges may contain the vertex.
    pub(crate) fn near_vertex(&self, edge: u32) -> Nearby {
        let next = self.edge(edge)[1];
        let previous = self.vertices[edge as usize - 1];
        match self.crossed {
            None => Nearby::Corner { next, previous: self.sector_end(edge) },
            // Only this edge and the edge before it contain the vertex.
            Some(crossed) if crossed.is_free(edge) => crossed.interior(edge).corner(next, previous),
            Some(_) => Nearby::Sectors,
        }
    }

    /// Returns the interior of the polygon near the inner points of an edge (all points except the two ends). The
    /// result is the same for all these points. If the edge is not free, the result is [`Nearby::Sectors`], because
    /// other edges may contain the point.
    pub(crate) fn near_edge(&self, edge: u32) -> Nearby {
        let [previous, next] = self.edge(edge);
        match self.crossed {
            None => Nearby::Corner { next, previous },
            Some(crossed) if crossed.is_free(edge) => crossed.interior(edge).corner(next, previous),
            Some(_) => Nearby::Sectors,
        }
    }

    /// Returns whether `edge` is the only edge of the polygon that contains the point `centre`. The point must be on `edge`,
    /// and not at an end.
    pub(crate) fn is_alone_at(&self, edge: u32, centre: &Centre) -> bool {
        let visited = self.leaves_in(centre.bounds(), |leaf| {
            let mut others = (leaf.first..leaf.end).filter(|&other| other != edge);
            let is_met = others.any(|other| !self.is_free(other) && centre.is_on(self.edge(other)));
            if is_met { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        visited.is_continue()
    }

    /// Calls `visit` with each point of the box `near` at which edges of the polygon cross, until `visit` breaks. A
    /// point may be visited several times, and points near the box may be visited, too.
    pub(crate) fn own_crossings(
        &self,
        near: Aabb,
        leaf_pairs: &mut LeafPairs,
        mut visit: impl FnMut(Centre) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.meeting_pairs(near, Pairs::Few, leaf_pairs, |e, f| {
            match Centre::where_edges_cross(self.edge(e), self.edge(f)) {
                Some(centre) if centre.bounds().meets(near) => visit(centre),
                _ => ControlFlow::Continue(()),
            }
        })
    }

    /// Returns the edges that are not free ([`Outline::is_free`]), sorted. The index before the first edge of a ring stands
    /// for the last edge of the ring.
    pub(super) fn bound_edges(&self, leaf_pairs: &mut LeafPairs) -> Vec<u32> {
        let first = self.rings[0].first;
        let end = self.rings[self.rings.len() - 1].end;
        let marks = vec![Cell::new(false); (end - first) as usize];
        let mark_of = |edge: u32| &marks[(edge - first) as usize];
        let mut compare = |e: u32, f: u32| {
            let is_known = mark_of(e).get() && mark_of(f).get();
            if !is_known && !matches!(segments(self.edge(e), self.edge(f)), Segments::Apart) {
                mark_of(e).set(true);
                mark_of(f).set(true);
            }
            ControlFlow::Continue(())
        };
        let (near, mut patience) = (self.aabb(), Patience::of(&[*self]));
        let visit = |i, j| self.visit_near_edges(i, j, &mut compare);
        let _ = leaf_pairs.within(*self, near, &mut patience, visit);
        if patience.is_over() {
            // If very many edges cross, a search that ends at the first crossing of each edge takes little time.
            let mut mark_all = |mut left: usize| {
                let mut edges = self.rings.iter().flat_map(|ring| ring.first..ring.end);
                edges.try_for_each(|edge| {
                    self.mark_with_partner(edge, &mut left, || mark_of(edge).get(), &mut compare)
                })
            };
            if mark_all(MOST_PARTNER_NODES * marks.len()).is_break()
                && self.sweep_for_edges(near, &mut |edge| mark_of(edge).set(true)) == Swept::TooManyCrossings
            {
                let _ = mark_all(usize::MAX);
            }
        }
        let mut bound = Vec::new();
        for ring in self.rings {
            for edge in self.spikes(ring).flatten() {
                mark_of(edge).set(true);
            }
            if mark_of(ring.end - 1).get() {
                bound.push(ring.first - 1);
            }
            bound.extend((ring.first..ring.end).filter(|&edge| mark_of(edge).get()));
        }
        bound
    }

    /// Marks `edge` if it meets another edge of the outline. Calls `compare` with `edge` and each other edge whose box
    /// meets the box of `edge`, until `is_marked` returns `true`. Does not compare consecutive edges. Subtracts the
    /// number of visited nodes from `left`. Breaks if `left` reaches 0 before the search ends.
    fn mark_with_partner(
        &self,
        edge: u32,
        left: &mut usize,
        is_marked: impl Fn() -> bool,
        compare: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let bounds = edge_box(self.edge(edge));
        let found = self.descend_until(|node, around| {
            if *left == 0 || is_marked() {
                return ControlFlow::Break(());
            }
            *left -= 1;
            let is_near = around.meets(bounds);
            if is_near && node.level == 0 {
                let leaf = self.leaves_under(node)[0];
                for other in leaf.first..leaf.end {
                    let [low, high] = [edge.min(other), edge.max(other)];
                    let is_other = edge != other && !self.are_adjacent(low, high, leaf.ring);
                    if is_other && edge_box(self.edge(other)).meets(bounds) {
                        compare(edge, other)?;
                    }
                }
            }
            ControlFlow::Continue(is_near)
        });
        if is_marked() { ControlFlow::Continue(()) } else { found }
    }

    /// Returns the two lists that [`States`] describes.
    ///
    /// The candidates for the second list are one vertex of each run, and the ends of the edges that are not free. Each
    /// point occurs once.
    ///
    /// On maps, the boxes of only a few edges contain a given vertex, so searches around vertices take the least time.
    /// If many boxes contain each vertex, as on a long spiral, or if many edges overlap, a sweep takes less time and
    /// finds both lists.
    pub(super) fn states(&self) -> States {
        let (edges, vertices) = (self.first_free_edges(), self.candidates());
        let count = (self.rings[self.rings.len() - 1].end - self.rings[0].first) as usize;
        self.states_by_points(&edges, &vertices, MOST_NODES * count)
            .or_else(|| self.surroundings().map(|found| found.states(&edges, &vertices)))
            .or_else(|| self.states_by_points(&edges, &vertices, usize::MAX))
            .unwrap_or_default()
    }

    /// Returns the two lists of [`States`]. The first list has the position of the interior beside each edge of `edges`.
    /// The second list has those vertices of `vertices` that are on the boundary. Runs one search for each edge and each
    /// vertex. Returns `None` if the searches visit more than `most_nodes` nodes.
    pub(super) fn states_by_points(
        &self,
        edges: &[u32],
        vertices: &[u32],
        most_nodes: usize,
    ) -> Option<States> {
        let mut nodes = 0;
        let (mut runs, mut boundary) = (Vec::with_capacity(edges.len()), Vec::new());
        for &edge in edges {
            runs.push((edge, self.counted_interior_beside(edge, &mut nodes)));
            if nodes > most_nodes {
                return None;
            }
        }
        for &vertex in vertices {
            let centre = Centre::Point(self.vertices[vertex as usize]);
            let around = counted_sectors(&centre, [std::slice::from_ref(self), &[]], &mut nodes);
            if place_among(&around) == Place::Boundary {
                boundary.push(vertex);
            }
            if nodes > most_nodes {
                return None;
            }
        }
        Some((runs, boundary))
    }

    /// Returns the first edge of each run of free edges, sorted.
    pub(super) fn first_free_edges(&self) -> Vec<u32> {
        let of_ring = |ring: &Ring| {
            let first = ring.first;
            let is_first =
                move |&edge: &u32| self.is_free(edge) && (edge == first || !self.is_free(edge - 1));
            (first..ring.end).filter(is_first)
        };
        self.rings.iter().flat_map(of_ring).collect()
    }

    /// Returns the candidates for vertices on the boundary, sorted: the first vertex of each ring, and both ends of
    /// each edge that is not free. Of several vertices at one point, only one is returned. Each outermost part of the
    /// boundary has at least one candidate.
    pub(super) fn candidates(&self) -> Vec<u32> {
        let mut found = Vec::new();
        for ring in self.rings {
            let is_candidate =
                |&edge: &u32| !self.is_free(edge - 1) || !self.is_free(edge) || edge == ring.first;
            found.extend((ring.first..ring.end).filter(is_candidate));
        }
        let at = |vertex: u32| self.vertices[vertex as usize];
        sort_by(&mut found, |&u, &v| by_place(at(u), at(v)));
        found.dedup_by(|next, kept| at(*next) == at(*kept));
        sort_unstable(&mut found);
        found
    }

    /// Returns the position of the interior beside an edge. Other edges must meet this edge only at its ends.
    pub(super) fn interior_beside(&self, edge: u32) -> Interior {
        self.counted_interior_beside(edge, &mut 0)
    }

    /// Returns the position of the interior beside an edge, and adds the number of visited nodes to `nodes`. Other
    /// edges must meet this edge only at its ends.
    fn counted_interior_beside(&self, edge: u32, nodes: &mut usize) -> Interior {
        let ends @ [start, end] = self.edge(edge);
        let around = counted_sectors(&Centre::Point(start), [std::slice::from_ref(self), &[]], nodes);
        let leaves = |[from, to]: [DVec2; 2]| from == start && to == end;
        let Some(left) = around.iter().position(|sector| leaves(sector.start)) else {
            debug_assert!(false, "the edge {ends:?} begins no sector");
            return Interior::Other;
        };
        let right = (left + around.len() - 1) % around.len();
        Interior::of([left, right].map(|sector| around[sector].is_inside[0]))
    }
}

impl Interior {
    /// Returns the position of the interior beside an edge, given whether the left side and the right side are inside.
    pub(super) fn of(sides: [bool; 2]) -> Self {
        match sides {
            [true, false] => Self::Left,
            [false, true] => Self::Right,
            _ => Self::Other,
        }
    }

    fn corner(self, next: DVec2, previous: DVec2) -> Nearby {
        match self {
            Self::Left => Nearby::Corner { next, previous },
            Self::Right => Nearby::Corner { next: previous, previous: next },
            Self::Other => Nearby::Sectors,
        }
    }
}
