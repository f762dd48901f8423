//! Selects pairs of the edges that meet at a stop of a sweep. Through one point, n edges form about n^2 pairs. Some
//! searches therefore visit fewer pairs, or only the point.

use std::ops::ControlFlow;

use super::{Edge, Sweep};
use crate::geometry::outline::{Centre, steps};

/// The greatest number of pairs of edges at one point that a sweep over two outlines visits one by one. More pairs
/// occur only if very many edges meet at one point. The limit is lower in tests, so that few edges reach it.
const MOST_PAIRS: usize = if cfg!(test) { 8 } else { 64 };

/// Selects which pairs of edges a sweep visits, of the edges that meet at one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pairs {
    /// All pairs of edges that have no common point at an earlier stop.
    All,
    /// A selection of the pairs, whose number is proportional to the number of edges. An edge that passes through the
    /// point is paired with one edge that crosses it there, and with one edge that has an end there, if there are such
    /// edges. Pairs of edges that have only an end in common may be left out.
    Few,
}

/// A common point of two outlines at a stop.
pub(crate) enum Common<'c> {
    /// The indices of an edge of the first outline and an edge of the second outline that meet at the stop.
    Edges(u32, u32),
    /// A stop at which the edges form more than [`MOST_PAIRS`] pairs, so that `visit` does not get the pairs. The two
    /// indices name one edge of the first outline and one edge of the second outline that contain the stop.
    Point(&'c Centre, [u32; 2]),
}

/// The edges that contain one stop of the sweep: a vertex, or a point where edges cross.
pub(super) struct Meeting<'m> {
    pub(super) at: &'m Centre,
    pub(super) edges: &'m [Edge],
    /// The number of edges that began before the stop. They come first in `edges`.
    pub(super) through: usize,
}

impl Meeting<'_> {
    /// Calls `visit` with pairs of edges that contain the stop, until `visit` breaks. The sweep must have one outline
    /// only.
    pub(super) fn pairs(
        &self,
        sweep: &Sweep<'_>,
        which: Pairs,
        visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // The branch is left out in WebAssembly, because outlines in a browser have few edges.
        #[cfg(not(target_family = "wasm"))]
        if which == Pairs::Few {
            return self.few_pairs(sweep, visit);
        }
        let _ = which;
        // For each edge, the index of the first edge on the same line. Edges that overlap are consecutive.
        let mut lines = vec![0; self.edges.len()];
        for k in 1..self.edges.len() {
            steps::count();
            let is_along =
                self.through > 2 && k < self.through && sweep.are_along(self.edges[k - 1], self.edges[k]);
            lines[k] = if is_along { lines[k - 1] } else { k };
        }
        for (k, &edge) in self.edges.iter().enumerate() {
            for &other in &self.edges[..lines[k]] {
                steps::count();
                visit(sweep.index(edge), sweep.index(other))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `visit` with a selection of the pairs of edges that contain the stop, until `visit` breaks. [`Pairs::Few`]
    /// describes the selection.
    #[cfg(not(target_family = "wasm"))]
    fn few_pairs(
        &self,
        sweep: &Sweep<'_>,
        visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let passes = |edge: Edge| match *self.at {
            Centre::Crossing(_) => true,
            Centre::Point(at) => sweep.ordered(edge)[1] != at,
        };
        let (before, beginning) = self.edges.split_at(self.through);
        let end = before.iter().copied().find(|&edge| !passes(edge)).or(beginning.first().copied());
        let mut passing = before.iter().copied().filter(|&edge| passes(edge));
        let (first, last) = (passing.clone().next(), passing.clone().next_back());
        passing.try_for_each(|edge| {
            // The edges are sorted by direction. An edge that is on one line with both the first edge and the last edge
            // is on one line with all edges.
            let crosses = |other: &Edge| !sweep.are_along(edge, *other);
            let mut others = [first, last].into_iter().flatten();
            // Without this condition, the pair of the first edge and the last edge would be visited twice.
            let across = if Some(edge) == first { None } else { others.find(crosses) };
            across.into_iter().chain(end).try_for_each(|other| {
                steps::count();
                visit(sweep.index(edge), sweep.index(other))
            })
        })
    }

    /// Calls `visit` with each pair of an edge of the first outline and an edge of the second outline at the stop,
    /// until `visit` breaks. If there are very many pairs, calls `visit` once with the stop instead.
    pub(super) fn common(
        &self,
        sweep: &Sweep<'_>,
        visit: &mut dyn FnMut(Common<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let of_side = |side: usize| self.edges.iter().copied().filter(move |edge| edge.side() == side);
        let [of_a, of_b] = [0, 1].map(|side| of_side(side).count());
        if of_a.saturating_mul(of_b) > MOST_PAIRS {
            self.edges.iter().for_each(|_| steps::count());
            let Some((e, f)) = of_side(0).next().zip(of_side(1).next()) else {
                return ControlFlow::Continue(());
            };
            return visit(Common::Point(self.at, [sweep.index(e), sweep.index(f)]));
        }
        for e in of_side(0) {
            for f in of_side(1) {
                steps::count();
                visit(Common::Edges(sweep.index(e), sweep.index(f)))?;
            }
        }
        ControlFlow::Continue(())
    }
}
