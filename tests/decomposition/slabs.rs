//! An oracle for areas of regions on a small integer grid. It uses vertical slabs and exact 64-bit integers, and no
//! triangulation.

use super::exact::Ring;

/// The greatest coordinate of a vertex. All coordinates are integers from 0 to this number.
pub(crate) const GRID: i64 = 12;
/// The number of units of height in one step of the grid. It is a multiple of every integer from 1 to [`GRID`]. The
/// height of a segment at each integer x is therefore a whole number of units.
const UNIT: i64 = 27_720;

type Segment = [[i64; 2]; 2];

fn segments(ring: &[[f64; 2]]) -> Vec<Segment> {
    let at = |i: usize| ring[i % ring.len()].map(|x| x as i64);
    (0..ring.len()).map(|i| [at(i), at(i + 1)]).filter(|[p, q]| p != q).collect()
}

fn cross(p: [i64; 2], q: [i64; 2], r: [i64; 2]) -> i64 {
    ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])).signum()
}

/// Returns whether two segments of the rings cross in the interior of both.
pub(crate) fn any_crossing(rings: &[Ring]) -> bool {
    let all: Vec<Segment> = rings.iter().flat_map(|r| segments(r)).collect();
    all.iter().enumerate().any(|(i, &[a, b])| {
        all[..i]
            .iter()
            .any(|&[c, d]| cross(a, b, c) * cross(a, b, d) < 0 && cross(c, d, a) * cross(c, d, b) < 0)
    })
}

/// Returns twice the area of the points for which `chosen` returns `true`, times [`UNIT`]. `chosen` gets one flag for
/// each ring: whether the point is in the ring's even-odd interior. Segments may cross only at grid points.
pub(crate) fn twice_area_where(rings: &[Ring], chosen: impl Fn(&[bool]) -> bool) -> i64 {
    let all: Vec<(usize, Segment)> = rings
        .iter()
        .enumerate()
        .flat_map(|(r, ring)| segments(ring).into_iter().map(move |s| (r, s)))
        .collect();
    let height = |[p, q]: Segment, x: i64| p[1] * UNIT + (q[1] - p[1]) * (UNIT / (q[0] - p[0])) * (x - p[0]);
    let mut sum = 0;
    for x in 0..GRID {
        // Segments do not cross inside the slab. Their heights at both ends therefore determine their order.
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

/// Returns twice the area of the even-odd interior of all rings, times [`UNIT`].
pub(crate) fn twice_even_odd_area(rings: &[Ring]) -> i64 {
    twice_area_where(rings, |within| within.iter().filter(|&&w| w).count() % 2 == 1)
}

/// Returns whether a part of a hole is outside of the shell.
pub(crate) fn any_hole_outside(rings: &[Ring]) -> bool {
    twice_area_where(rings, |within| !within[0] && within[1..].contains(&true)) > 0
}

/// Asserts that the pieces cover exactly the even-odd interior: both areas are equal, and the area of the difference
/// is 0.
pub(crate) fn assert_covers(pieces: &[Ring], rings: &[Ring]) {
    let of_pieces: i64 = pieces.iter().map(|p| twice_even_odd_area(std::slice::from_ref(p))).sum();
    assert_eq!(of_pieces, twice_even_odd_area(rings), "{pieces:?}");
    let both: Vec<Ring> = rings.iter().chain(pieces).cloned().collect();
    assert_eq!(twice_even_odd_area(&both), 0, "{pieces:?}");
}
