//! Decides with few branches whether a ray crosses a chain of edges. For small polygons, a query for many points takes much
//! less time with this code than with the tree, whose branches depend on the points.

use glam::DVec2;

use super::{Outlines, Polygon, Ring, steps};
use crate::geometry::predicates::rounded_side;

/// [`Outlines::chain_of`] returns only rings with at most this many edges. For a longer ring, the tree takes less time.
const FEW_EDGES: u32 = 64;
/// The number of edges that are compared together. The comparisons of their vertices are bits of one integer.
const TOGETHER: usize = 63;

/// Returns whether the ray from `at` to the right crosses an odd number of edges of a chain. Edge `i` goes from vertex `i`
/// to vertex `i + 1`. Returns `None` if an edge needs exact arithmetic, or if `at` is on an edge.
#[inline]
pub(crate) fn crosses_odd_number(chain: &[DVec2], at: DVec2) -> Option<bool> {
    let (mut is_odd, mut first) = (false, 0);
    while first + 1 < chain.len() {
        steps::count();
        let edges = &chain[first..chain.len().min(first + TOGETHER + 1)];
        let (mut above, mut has_level) = (0u64, false);
        for (bit, vertex) in edges.iter().enumerate() {
            above |= u64::from(vertex.y > at.y) << bit;
            has_level |= vertex.y == at.y;
        }
        if has_level && is_on_level_edge(edges, at) {
            return None;
        }
        // Bit `i` is set if edge `i` has one end above the ray and the other end on the ray or below.
        let mut crossed = (above ^ (above >> 1)) & ((1 << (edges.len() - 1)) - 1);
        while crossed != 0 {
            let edge = crossed.trailing_zeros() as usize;
            crossed &= crossed - 1;
            let is_left = is_left(edges[edge], edges[edge + 1], at)?;
            let falls = above >> edge & 1 != 0;
            is_odd ^= is_left != falls;
        }
        first += edges.len() - 1;
    }
    Some(is_odd)
}

/// Returns whether `at` is on an edge that does not cross the horizontal line through `at`. Such an edge starts or ends at
/// `at`, or is horizontal.
#[cold]
fn is_on_level_edge(chain: &[DVec2], at: DVec2) -> bool {
    let is_level = |p: DVec2, q: DVec2| p.y == at.y && q.y == at.y && (p.x <= at.x) == (at.x <= q.x);
    chain.contains(&at) || chain.windows(2).any(|edge| is_level(edge[0], edge[1]))
}

/// Returns whether `at` lies to the left of the line from `p` to `q`, or `None` if f64 cannot decide.
#[inline(always)]
fn is_left(p: DVec2, q: DVec2, at: DVec2) -> Option<bool> {
    let (side, bound) = rounded_side(p, q, at);
    (side.abs() > bound).then_some(side > 0.0)
}

impl Outlines {
    /// Returns the edges of an object as a chain for [`crosses_odd_number`]. Returns `None` if the object has several rings or
    /// many edges, or if its ring is crossed.
    pub(crate) fn chain_of(&self, object: u32) -> Option<&[DVec2]> {
        let polygons = self.polygons_of(object);
        let [block, index] = *self.places.get(polygons.start)?;
        let block = &self.blocks[block as usize];
        let Polygon { ref rings, crossed: None, .. } = block.polygons[index as usize] else { return None };
        let Ring { first, end, .. } = block.rings[rings.start as usize];
        let is_one = polygons.len() == 1 && rings.len() == 1 && end - first <= FEW_EDGES;
        is_one.then(|| &block.vertices[first as usize..=end as usize])
    }
}

#[cfg(all(test, feature = "scenes"))]
mod tests {
    use super::*;
    use crate::geometry::outline::locate::crosses_exactly;
    use crate::kernels::test_scenes::Random;

    /// Compares [`crosses_odd_number`] with exact arithmetic, for random chains and points. Returns the share of the points
    /// for which it has an answer.
    fn decided(
        mut place: impl FnMut(&mut Random) -> DVec2,
        mut at: impl FnMut(&mut Random, [DVec2; 2]) -> DVec2,
    ) -> f64 {
        let (mut random, mut decided) = (Random(7), 0);
        for k in 0..20_000 {
            let edges = if k % 4 == 0 { [62, 63, 64, 65, 126, 127][k / 4 % 6] } else { 1 + k % 12 };
            let chain: Vec<DVec2> = (0..=edges).map(|_| place(&mut random)).collect();
            let point = at(&mut random, [chain[0], chain[1]]);
            if let Some(is_odd) = crosses_odd_number(&chain, point) {
                assert_eq!(crosses_exactly(&chain, point), Some(is_odd), "{chain:?} at {point}");
                decided += 1;
            }
        }
        f64::from(decided) / 20_000.0
    }

    #[test]
    fn an_answer_is_as_in_exact_arithmetic() {
        let unit = |random: &mut Random| DVec2::new(random.unit(), random.unit());
        let on_grid = |random: &mut Random| (unit(random) * 5.0).floor();
        let anywhere = decided(unit, |random, _| unit(random));
        assert!(anywhere > 0.999, "{anywhere} of all points are decided");
        let integers = decided(on_grid, |random, _| on_grid(random));
        assert!((0.3..0.9).contains(&integers), "{integers} of the points on a grid are decided");
        // Points that are on an edge but for a rounding error.
        let beside = decided(unit, |random, [p, q]| {
            let on = p + (q - p) * random.unit();
            let step = |x: f64, by: f64| if by < 0.5 { x } else { x.next_up() };
            DVec2::new(step(on.x, random.unit()), step(on.y, random.unit()))
        });
        assert!(beside < 0.5, "{beside} of the points beside an edge are decided");
    }
}
