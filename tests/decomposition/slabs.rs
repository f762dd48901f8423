//! Areas of regions on a small integer grid by vertical slabs, exact in 64-bit integers: an oracle that knows
//! nothing of triangulations.

use super::exact::Ring;

/// Coordinates are integers from 0 to this.
pub(crate) const GRID: i64 = 12;
/// Divisible by every difference of coordinates, so that no division leaves a remainder.
const UNIT: i64 = 27_720;

type Segment = [[i64; 2]; 2];

fn segments(ring: &[[f64; 2]]) -> Vec<Segment> {
    let at = |i: usize| ring[i % ring.len()].map(|x| x as i64);
    (0..ring.len()).map(|i| [at(i), at(i + 1)]).filter(|[p, q]| p != q).collect()
}

fn cross(p: [i64; 2], q: [i64; 2], r: [i64; 2]) -> i64 {
    ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])).signum()
}

/// Whether two segments of the rings cross in the interior of both.
pub(crate) fn any_crossing(rings: &[Ring]) -> bool {
    let all: Vec<Segment> = rings.iter().flat_map(|r| segments(r)).collect();
    all.iter().enumerate().any(|(i, &[a, b])| {
        all[..i]
            .iter()
            .any(|&[c, d]| cross(a, b, c) * cross(a, b, d) < 0 && cross(c, d, a) * cross(c, d, b) < 0)
    })
}

/// Twice the area, in 1 / `UNIT`, of where `chosen` holds of which rings have a place in their even-odd interior.
/// No two segments may cross, except at grid points.
pub(crate) fn twice_area_where(rings: &[Ring], chosen: impl Fn(&[bool]) -> bool) -> i64 {
    let all: Vec<(usize, Segment)> = rings
        .iter()
        .enumerate()
        .flat_map(|(r, ring)| segments(ring).into_iter().map(move |s| (r, s)))
        .collect();
    let height = |[p, q]: Segment, x: i64| p[1] * UNIT + (q[1] - p[1]) * (UNIT / (q[0] - p[0])) * (x - p[0]);
    let mut sum = 0;
    for x in 0..GRID {
        // Heights at both ends order the segments over the slab, as they do not cross within.
        let mut over: Vec<(i64, i64, usize)> = all
            .iter()
            .filter(|(_, [p, q])| p[0].min(q[0]) <= x && x < p[0].max(q[0]))
            .map(|&(r, s)| (height(s, x), height(s, x + 1), r))
            .collect();
        over.sort_by_key(|&(left, right, _)| left + right);
        let mut within = vec![false; rings.len()];
        for pair in over.windows(2) {
            within[pair[0].2] ^= true;
            if chosen(&within) {
                sum += pair[1].0 + pair[1].1 - pair[0].0 - pair[0].1;
            }
        }
    }
    sum
}

/// Twice the area of the even-odd interior of all rings.
pub(crate) fn twice_even_odd_area(rings: &[Ring]) -> i64 {
    twice_area_where(rings, |within| within.iter().filter(|&&w| w).count() % 2 == 1)
}

/// Whether a hole has a part outside the shell.
pub(crate) fn any_hole_outside(rings: &[Ring]) -> bool {
    twice_area_where(rings, |within| !within[0] && within[1..].contains(&true)) > 0
}

/// Asserts that the pieces are the even-odd interior: equal areas, and nothing where the two differ.
pub(crate) fn assert_covers(pieces: &[Ring], rings: &[Ring]) {
    let of_pieces: i64 = pieces.iter().map(|p| twice_even_odd_area(std::slice::from_ref(p))).sum();
    assert_eq!(of_pieces, twice_even_odd_area(rings), "{pieces:?}");
    let both: Vec<Ring> = rings.iter().chain(pieces).cloned().collect();
    assert_eq!(twice_even_odd_area(&both), 0, "{pieces:?}");
}
