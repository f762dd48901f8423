//! Computes the exact answer by a method that no contender uses: it counts the edges to the right of a point, with exact
//! predicates.

use geo::Coord;
use geo::kernels::{Kernel, Orientation, RobustKernel};
use rayon::prelude::*;

use crate::Rings;
use crate::whole_join::rstar_geo::tree;

/// The points inside each polygon. Points on a boundary are not inside.
#[derive(Debug)]
pub(super) struct Exact {
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) counts: Vec<u32>,
    pub(super) first: Vec<Option<u32>>,
}

pub(super) fn exact(points: &[[f64; 2]], rings: &Rings) -> Exact {
    let tree = tree(rings);
    let of_point = |(index, point): (usize, &[f64; 2])| {
        let near = tree.locate_all_at_point(*point).map(|leaf| leaf.data);
        let mut inside: Vec<u32> = near.filter(|&ring| is_inside(*point, &rings[ring as usize])).collect();
        inside.sort_unstable();
        inside.into_iter().map(move |ring| [index as u32, ring])
    };
    let pairs: Vec<[u32; 2]> = points.par_iter().enumerate().flat_map_iter(of_point).collect();
    let mut counts = vec![0; rings.len()];
    let mut first = vec![None; points.len()];
    for &[point, ring] in &pairs {
        counts[ring as usize] += 1;
        first[point as usize].get_or_insert(ring);
    }
    Exact { pairs, counts, first }
}

/// Returns whether a point is in the interior of a simple ring.
fn is_inside(point: [f64; 2], ring: &[[f64; 2]]) -> bool {
    let coordinates = |[x, y]: [f64; 2]| Coord { x, y };
    let mut crossings = 0;
    for (i, &p) in ring.iter().enumerate() {
        let q = ring[(i + 1) % ring.len()];
        let (low, high) = if p[1] <= q[1] { (p, q) } else { (q, p) };
        if point[1] < low[1] || point[1] > high[1] {
            continue;
        }
        let side = RobustKernel::orient2d(coordinates(low), coordinates(high), coordinates(point));
        let between = low[0].min(high[0]) <= point[0] && point[0] <= low[0].max(high[0]);
        if side == Orientation::Collinear && between {
            return false;
        }
        // If two edges meet on the ray, only an edge that rises from the ray counts.
        if point[1] < high[1] && side == Orientation::CounterClockwise {
            crossings += 1;
        }
    }
    crossings % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::is_inside;

    #[test]
    fn borders_are_not_inside() {
        let ring = [[0.0, 0.0], [4.0, 0.0], [2.0, 1.0], [4.0, 4.0], [0.0, 4.0]];
        for (point, expected) in [
            ([1.0, 1.0], true),
            ([2.0, 1.0], false),
            ([3.0, 1.0], false),
            ([1.0, 0.0], false),
            ([1.0, 4.0], false),
            ([0.0, 4.0], false),
            ([3.5, 3.9], true),
            ([-1.0, 1.0], false),
            ([5.0, 4.0], false),
        ] {
            assert_eq!(is_inside(point, &ring), expected, "{point:?}");
        }
    }
}
