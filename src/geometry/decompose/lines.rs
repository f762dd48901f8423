//! Cuts overlapping segments of one line into parts that do not overlap.

use std::cmp::Ordering;

use glam::DVec2;
use num_bigint::BigInt;

use crate::geometry::posed_image::{cross, difference, image};
use crate::geometry::predicates::{exact_sum, orientation};

/// The parts into which segments are cut. Here, a cut is a part of a line between two points. (In
/// [`Cut`](crate::geometry::outline::Cut), a cut is a point.) A segment passes one or more consecutive cuts. The cuts
/// of [`Cuts::disjoint`] do not overlap.
pub(super) struct Cuts {
    /// For each cut, the indices of the points at its start and at its end.
    pub(super) ends: Vec<[u32; 2]>,
    /// For each segment, the index of its first cut and the index after its last cut. The segment passes all cuts in this
    /// range.
    pub(super) spans: Vec<[u32; 2]>,
    /// For each segment, whether the segment runs in the direction from its first cut to its last cut.
    pub(super) is_forward: Vec<bool>,
}

impl Cuts {
    /// Makes each segment one cut. The cuts overlap if the segments overlap.
    pub(super) fn whole(segments: &[[u32; 2]]) -> Self {
        Self {
            ends: segments.to_vec(),
            spans: (0..segments.len() as u32).map(|segment| [segment, segment + 1]).collect(),
            is_forward: vec![true; segments.len()],
        }
    }

    /// Cuts the segments where other segments of the same line end. If no segments cross, two cuts have at most one
    /// point in common. There are fewer cuts than ends of segments, however often the segments overlap.
    pub(super) fn disjoint(points: &[DVec2], segments: &[[u32; 2]]) -> Self {
        let at = |point: u32| points[point as usize];
        let along = |&a: &u32, &b: &u32| by_position(at(a), at(b));
        let is_forward: Vec<bool> = segments.iter().map(|[from, to]| along(from, to).is_lt()).collect();
        let rising = |segment: u32| {
            let [from, to] = segments[segment as usize];
            if is_forward[segment as usize] { [from, to] } else { [to, from] }
        };
        let by_line = |&a: &u32, &b: &u32| compare_lines(rising(a).map(at), rising(b).map(at));
        let mut order: Vec<u32> = (0..segments.len() as u32).collect();
        crate::base::sorting::sort_unstable_by(&mut order, by_line);

        let mut cuts = Vec::new();
        let mut spans = vec![[0; 2]; segments.len()];
        // For each point that is a stop of the current line, its index in `stops`. A stop is an end of a segment.
        let mut place = vec![0u32; points.len()];
        for line in order.chunk_by(|a, b| by_line(a, b).is_eq()) {
            let mut stops: Vec<u32> = line.iter().flat_map(|&segment| rising(segment)).collect();
            crate::base::sorting::sort_unstable_by(&mut stops, along);
            stops.dedup();
            stops.iter().zip(0..).for_each(|(&stop, i)| place[stop as usize] = i);
            // For each stop, the number of segments that begin there minus the number of segments that end there.
            let mut change = vec![0i64; stops.len()];
            for &segment in line {
                let [low, high] = rising(segment).map(|stop| place[stop as usize]);
                change[low as usize] += 1;
                change[high as usize] -= 1;
            }
            let mut covering = 0;
            for (i, &stop) in stops.iter().enumerate() {
                // From here on, `place[stop]` is the index of the cut that starts at the stop.
                place[stop as usize] = cuts.len() as u32;
                covering += change[i];
                if covering > 0 {
                    cuts.push([stop, stops[i + 1]]);
                }
            }
            for &segment in line {
                spans[segment as usize] = rising(segment).map(|stop| place[stop as usize]);
            }
        }
        Self { ends: cuts, spans, is_forward }
    }

    /// Returns the index of the first segment that passes a cut.
    pub(super) fn segment_over(&self, cut: usize) -> usize {
        let is_over = |&[from, to]: &[u32; 2]| (from as usize..to as usize).contains(&cut);
        self.spans.iter().position(is_over).unwrap_or(0)
    }
}

/// Orders points from left to right. On a vertical line, it orders them from bottom to top.
pub(super) fn by_position(a: DVec2, b: DVec2) -> Ordering {
    let key = |p: DVec2| [p.x, p.y];
    key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal)
}

/// Orders lines by direction, then by position. Each line is given by two points in the order of [`by_position`]. The
/// result is `Equal` if and only if all four points are exactly on one line.
fn compare_lines([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> Ordering {
    let beside = || orientation(a, b, c).partial_cmp(&0.0).unwrap_or(Ordering::Equal);
    turn([a, b], [c, d]).then_with(beside)
}

/// Compares the direction from `a` to `b` with the direction from `c` to `d`, exactly. Returns `Greater` if a left turn
/// of less than half a turn leads from the first direction to the second, and `Less` if a right turn does. Returns
/// `Equal` if the two directions are the same or opposite.
pub(crate) fn turn([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> Ordering {
    let (u, v) = (b - a, d - c);
    let (left, right) = (u.x * v.y, u.y * v.x);
    // Twice the error bound of the orientation of three points, whose differences are rounded in the same way (Shewchuk
    // 1997).
    let bound = 8.0 * f64::EPSILON * (left.abs() + right.abs());
    if (left - right).abs() > bound {
        return left.total_cmp(&right);
    }
    // If all four differences are exact, the rounding errors of the two products decide. In most cases, the differences
    // are exact.
    let is_exact =
        [(b.x, a.x), (b.y, a.y), (d.x, c.x), (d.y, c.y)].iter().all(|p| exact_sum(p.0, -p.1).is_some());
    if is_exact && left == right {
        let lost = [u.x.mul_add(v.y, -left), u.y.mul_add(v.x, -right)];
        return lost[0].partial_cmp(&lost[1]).unwrap_or(Ordering::Equal);
    }
    let [a, b, c, d] = [image(a), image(b), image(c), image(d)];
    cross(&difference(&b, &a), &difference(&d, &c)).cmp(&BigInt::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_segments_are_cut_where_others_end() {
        // Points 0 to 5 are on one line. Points 6 and 7 are on a parallel line.
        let points: Vec<DVec2> = [0, 1, 2, 4, 7, 9].map(|x| DVec2::new(x.into(), 2.0 * f64::from(x))).into();
        let points = [points, vec![DVec2::new(0.0, 1.0), DVec2::new(1.0, 3.0)]].concat();
        let segments = [[0, 2], [3, 1], [6, 7], [5, 4], [2, 0], [7, 6]];
        let mut cuts = Cuts::disjoint(&points, &segments);
        let covered = |segment: usize| {
            let [from, to] = cuts.spans[segment].map(|cut| cut as usize);
            cuts.ends[from..to].to_vec()
        };
        let expected: [&[[u32; 2]]; 6] =
            [&[[0, 1], [1, 2]], &[[1, 2], [2, 3]], &[[6, 7]], &[[4, 5]], &[[0, 1], [1, 2]], &[[6, 7]]];
        for (segment, expected) in expected.into_iter().enumerate() {
            assert_eq!(covered(segment), expected, "{segment}");
        }
        assert_eq!(cuts.is_forward, [true, false, true, false, false, false]);
        cuts.ends.sort_unstable();
        assert_eq!(cuts.ends, [[0, 1], [1, 2], [2, 3], [4, 5], [6, 7]]);
    }

    #[test]
    fn lines_one_ulp_apart_are_two() {
        let at = |x: f64, y: f64| DVec2::new(x, y);
        let far = 2f64.powi(52);
        for (other, expected) in [
            // Here, the products of the differences round to the same value, so an f64 comparison would fail.
            ([at(1.0, 2.0), at(far + 1.0, far + 3.0)], Ordering::Equal),
            ([at(1.0, 2.0), at(far + 1.0, far + 2.0)], Ordering::Less),
            // One of the differences is rounded.
            ([at(2f64.powi(-60), 2f64.powi(-60)), at(far, far + 1.0)], Ordering::Greater),
        ] {
            assert_eq!(turn([at(0.0, 0.0), at(far, far + 1.0)], other), expected, "{other:?}");
            assert_eq!(turn(other, [at(0.0, 0.0), at(far, far + 1.0)]), expected.reverse(), "{other:?}");
        }
        let line = [at(0.0, 0.0), at(1.0, 0.1)];
        assert_eq!(compare_lines(line, [at(2.0, 0.2), at(4.0, 0.4)]), Ordering::Equal);
        assert_ne!(compare_lines(line, [at(2.0, 0.2), at(4.0, 0.4_f64.next_up())]), Ordering::Equal);
    }
}
