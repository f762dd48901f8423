//! Stores the edges of rings that may cross, while the edges are cut at their crossings. At first, the edges are stored
//! as closed rings. Where edges overlap, parts of lines replace them, and each part stands for several edges.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use glam::DVec2;

use super::filled::changes_state;
use super::lines::Cuts;
use crate::geometry::Fill;
use crate::geometry::outline::Cut;

/// The edges of rings, stored as chains. A chain is a list of vertices. Each vertex and the next one are the ends of an
/// edge.
pub(super) struct Lines {
    chains: Vec<Vec<DVec2>>,
    /// For each chain, how often the rings traverse it forward, minus how often they traverse it backward. `None` if the
    /// chains are closed rings.
    weights: Option<Vec<i32>>,
}

impl Lines {
    pub(super) fn of_rings(rings: &[Vec<DVec2>]) -> Self {
        let mut lines = Self { chains: rings.to_vec(), weights: None };
        lines.remove_repeated();
        lines
    }

    /// Returns closed rings along all edges. The ring of an open chain goes along the chain and back, so the first
    /// edges of the ring are the edges of the chain.
    pub(super) fn loops(&self) -> Cow<'_, [Vec<DVec2>]> {
        if self.weights.is_none() {
            return Cow::Borrowed(&self.chains);
        }
        let there_and_back = |chain: &Vec<DVec2>| {
            let inner = chain.iter().rev().skip(1).take(chain.len().saturating_sub(2));
            chain.iter().chain(inner).copied().collect()
        };
        Cow::Owned(self.chains.iter().map(there_and_back).collect())
    }

    /// Returns how often the rings of [`Lines::loops`] traverse each edge: once if the chains are closed rings, and
    /// twice if they are open. The rings of open chains go along each chain and back.
    pub(super) fn traversals(&self) -> usize {
        if self.weights.is_some() { 2 } else { 1 }
    }

    /// Returns the number of edges of a chain.
    fn edge_count(&self, chain: &[DVec2]) -> u32 {
        let is_open = self.weights.is_some() || chain.len() < 2;
        (chain.len() - usize::from(is_open && !chain.is_empty())) as u32
    }

    /// Returns the ends of an edge of a ring of [`Lines::loops`].
    pub(super) fn edge(&self, ring: u32, edge: u32) -> [DVec2; 2] {
        let chain = &self.chains[ring as usize];
        let count = self.edge_count(chain);
        if edge < count {
            return [chain[edge as usize], chain[(edge as usize + 1) % chain.len()]];
        }
        let first = (2 * count - 1 - edge) as usize;
        [chain[first + 1], chain[first]]
    }

    /// Cuts the edges of [`Lines::loops`]. The cuts must be sorted by ring, by edge and along the edge. Returns the
    /// largest distance between a cut and the line of the edge that it cuts.
    pub(super) fn cut(&mut self, cuts: &[Cut]) -> f64 {
        let (mut moved, mut rest) = (0.0f64, cuts);
        let mut cut_chains = Vec::with_capacity(self.chains.len());
        for (number, chain) in (0..).zip(&self.chains) {
            let of_chain = rest.iter().take_while(|cut| cut.ring == number).count();
            let (mut here, others) = rest.split_at(of_chain);
            rest = others;
            let count = self.edge_count(chain);
            let mut cut_chain = Vec::with_capacity(chain.len() + of_chain);
            for (edge, &from) in (0..).zip(chain) {
                cut_chain.push(from);
                let of_edge = here.iter().take_while(|cut| cut.edge == edge).count();
                if edge >= count || of_edge == 0 {
                    continue;
                }
                let [_, to] = self.edge(number, edge);
                for cut in &here[..of_edge] {
                    moved = moved.max(distance_to_line(from, to, cut.at));
                    cut_chain.push(cut.at);
                }
                here = &here[of_edge..];
            }
            cut_chains.push(cut_chain);
        }
        self.chains = cut_chains;
        self.remove_repeated();
        moved
    }

    /// Replaces the vertices by `vertices`, which are the vertices of the rounded rings. `vertices` must be sorted by
    /// ring, by edge of [`Lines::loops`] and along the edge.
    pub(super) fn replace(&mut self, vertices: &[Cut]) {
        let mut chains = vec![Vec::new(); self.chains.len()];
        for vertex in vertices {
            let ring = vertex.ring as usize;
            if vertex.edge < self.edge_count(&self.chains[ring]) {
                chains[ring].push(vertex.at);
            }
        }
        self.chains = chains;
        self.remove_repeated();
    }

    /// Removes vertices that equal the next vertex.
    fn remove_repeated(&mut self) {
        for chain in &mut self.chains {
            chain.dedup();
            while self.weights.is_none() && chain.len() > 1 && chain.first() == chain.last() {
                chain.pop();
            }
        }
    }

    /// Returns the points without repetitions, and the edges of all chains with their weights. An edge is a pair of indices of
    /// points. Edges of one point are left out, but equal edges are not merged.
    pub(super) fn steps(&self) -> (Vec<DVec2>, Vec<([u32; 2], i32)>) {
        let (mut points, mut steps) = (Vec::new(), Vec::new());
        let mut numbers = HashMap::with_hasher(RandomState::default());
        for (number, chain) in self.chains.iter().enumerate() {
            let weight = self.weights.as_ref().map_or(1, |weights| weights[number]);
            let mut number = |v: DVec2| {
                // Adding 0 turns -0 into 0, so that equal points have equal bits.
                *numbers.entry((v + 0.0).to_array().map(f64::to_bits)).or_insert_with(|| {
                    points.push(v);
                    points.len() as u32 - 1
                })
            };
            let walk: Vec<u32> = chain.iter().map(|&v| number(v)).collect();
            for edge in 0..self.edge_count(chain) as usize {
                let ends = [walk[edge], walk[(edge + 1) % walk.len()]];
                if ends[0] != ends[1] {
                    steps.push((ends, weight));
                }
            }
        }
        (points, steps)
    }

    /// Replaces the edges of all chains by parts of lines that do not overlap. Leaves out each part across which the
    /// winding number does not change, and under the even-odd rule also each part across which it changes by an even
    /// number. There are fewer parts than ends of edges.
    pub(super) fn without_overlaps(&self, fill: Fill) -> Self {
        let (points, steps) = self.steps();
        let segments: Vec<[u32; 2]> = steps.iter().map(|step| step.0).collect();
        let cuts = Cuts::disjoint(&points, &segments);
        // For each part, its weight minus the weight of the part before it.
        let mut gains = vec![0; cuts.ends.len() + 1];
        for ((&[first, end], &is_forward), &(_, weight)) in
            cuts.spans.iter().zip(&cuts.is_forward).zip(&steps)
        {
            let weight = if is_forward { weight } else { -weight };
            gains[first as usize] += weight;
            gains[end as usize] -= weight;
        }
        let (mut chains, mut weights, mut weight) = (Vec::new(), Vec::new(), 0);
        for (ends, gain) in cuts.ends.iter().zip(gains) {
            weight += gain;
            if changes_state(fill, weight) {
                chains.push(ends.map(|end| points[end as usize]).to_vec());
                weights.push(weight);
            }
        }
        Self { chains, weights: Some(weights) }
    }
}

/// Returns the distance of `point`, a rounded crossing, from the line through `from` and `to`.
fn distance_to_line(from: DVec2, to: DVec2, point: DVec2) -> f64 {
    let way = to - from;
    let length = way.length();
    if length > 0.0 { (way / length).perp_dot(point - from).abs() } else { 0.0 }
}
