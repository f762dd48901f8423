//! The contact points of eight pairs of small polygons at once, one pair in each lane. The contact points have the
//! same bits as the points that [`super::manifold::record_of`] computes pair by pair.

use super::closest::{confirms, guess};
use super::edges::{BestEdge, best_edge};
use super::manifold::incident_edge;
use super::size_of_pair;
use crate::answers::bounds::FIGURE_BOUND;
use crate::kernels::cpu::simd::offset;
use crate::packed::records::{LANES, Small};
use crate::simd::{Instructions, Lanes, negated};

/// Returns the edge of `a` or `b` with the greatest gap to the other polygon. Both polygons must have at least 2
/// vertices.
#[inline(always)]
pub(crate) fn greatest_gap<I: Instructions>(i: I, a: &Small, b: &Small) -> BestEdge {
    best_edge::<I, LANES>(i, a.view(), b.view())
}

/// Returns true if one of the closest points is proven to be an inner point of the edge `best`. [`Clips`] computes the
/// contact points of such a pair, and of a pair that overlaps. In other pairs, the closest features may be two
/// vertices.
#[inline(always)]
pub(crate) fn is_over_edge<I: Instructions>(i: I, a: &Small, b: &Small, best: &BestEdge) -> bool {
    let o = offset(&a.head, &b.head);
    let tolerance = 0.5 * FIGURE_BOUND as f32 * size_of_pair(&a.head, &b.head, o);
    let (p, q, to_q) = if best.of_b { (b, a, negated(o)) } else { (a, b, o) };
    confirms(&guess::<I, LANES>(i, p.view(), best.edge, q.view(), to_q), best, tolerance)
}

/// Returns the index of the polygon's edge whose outward normal is most opposed to `normal`.
#[inline(always)]
pub(crate) fn opposed_edge<I: Instructions>(i: I, polygon: &Small, normal: [f32; 2]) -> usize {
    incident_edge::<I, LANES>(i, polygon.view(), normal) as usize
}

/// Returns the outward unit normals of eight edges, from the starts and the ends of the edges.
#[inline(always)]
pub(crate) fn unit_normals<L: Lanes>(start: [L; 2], end: [L; 2]) -> [L; 2] {
    let [x, y] = [end[1].sub(start[1]), start[0].sub(end[0])];
    let length = x.mul(x).add(y.mul(y)).sqrt();
    [x.div(length), y.div(length)]
}

/// The reference edges and the incident edges of eight pairs.
#[derive(Clone, Copy)]
pub(crate) struct Edges<L> {
    /// The outward unit normal of the reference edge.
    pub(crate) normal: [L; 2],
    /// The start of the reference edge, relative to the anchor of its polygon.
    pub(crate) start: [L; 2],
    /// The end of the reference edge, relative to the anchor of its polygon.
    pub(crate) end: [L; 2],
    /// The start and the end of the incident edge, relative to the anchor of its polygon.
    pub(crate) incident: [[L; 2]; 2],
    /// The vector from the anchor of the polygon with the reference edge to the anchor of the polygon with the incident
    /// edge.
    pub(crate) offset: [L; 2],
}

/// The ends of eight incident edges, after clipping at the ends of the reference edges.
pub(crate) struct Clips<L> {
    /// The positions of the two contact points, relative to the anchor of the polygon with the reference edge.
    pub(crate) positions: [[L; 2]; 2],
    /// The gaps at the two contact points. If there is only one point, the gap at the second point is infinite.
    pub(crate) gaps: [L; 2],
    /// A mask with one bit for each pair. The bit is set if no part of the incident edge lies over the reference edge.
    /// The only contact point is then the deeper end of the incident edge.
    pub(crate) is_single: u32,
    /// A mask with one bit for each pair, used only where `is_single` is set. The bit is set if the only contact point is
    /// the start of the incident edge.
    pub(crate) is_at_start: u32,
    /// A mask with one bit for each pair. The bit is set if the incident edge extends beyond the start of the reference
    /// edge. Unless `is_single` is set, the first contact point is then at this start.
    pub(crate) cuts_first: u32,
    /// A mask with one bit for each pair. The bit is set if the incident edge extends beyond the end of the reference
    /// edge. Unless `is_single` is set, the second contact point is then at this end.
    pub(crate) cuts_last: u32,
}

impl<L: Lanes> Clips<L> {
    /// Clips eight incident edges at once. The operations are in the same order as in [`super::manifold`], so the
    /// results have the same bits.
    #[inline(always)]
    pub(crate) fn new<I: Instructions<Lanes = L>>(i: I, edges: &Edges<L>) -> Self {
        let (zero, one) = (i.splat(0.0), i.splat(1.0));
        let Edges { normal, start: p, end: q, incident, offset: o } = *edges;
        let (v, w) = (minus(plus(incident[0], o), p), minus(plus(incident[1], o), p));
        // The multiplication by -1 changes 0 to -0, like the negation in [`super::manifold`].
        let tangent = [normal[1].mul(i.splat(-1.0)), normal[0]];
        let length = dot(tangent, minus(q, p));
        let (along_v, along_w) = (dot(tangent, v), dot(tangent, w));
        let (gap_v, gap_w) = (dot(normal, v), dot(normal, w));
        let run = along_v.sub(along_w);
        let single = one.where_less(along_v, zero, zero);
        let single = one.where_less(length, along_w, single);
        let single = single.where_less(zero, run, one);
        let slope = gap_v.sub(gap_w).div(run);
        let along_first = zero.where_less(along_w, zero, along_w);
        let along_last = length.where_less(length, along_v, along_v);
        let gap_first = gap_w.sub(along_w.mul(slope)).where_less(along_w, zero, gap_w);
        let gap_last = gap_v.sub(along_v.sub(length).mul(slope)).where_less(length, along_v, gap_v);
        let along_deepest = along_v.where_less(gap_v, gap_w, along_w);
        let gap_deepest = gap_v.where_less(gap_v, gap_w, gap_w);
        let first = [
            along_deepest.where_less(zero, single, along_first),
            gap_deepest.where_less(zero, single, gap_first),
        ];
        let last = [
            along_deepest.where_less(zero, single, along_last),
            gap_deepest.where_less(zero, single, gap_last),
        ];
        Self {
            positions: [position(i, p, normal, tangent, first), position(i, p, normal, tangent, last)],
            gaps: [first[1], i.splat(f32::INFINITY).where_less(zero, single, last[1])],
            is_single: single.at_least(one),
            is_at_start: below(i, gap_v, gap_w),
            cuts_first: below(i, along_w, zero),
            cuts_last: below(i, length, along_v),
        }
    }
}

// These are functions instead of closures, because the compiler would not compile closures for the machine's vectors.

#[inline(always)]
fn plus<L: Lanes>(a: [L; 2], b: [L; 2]) -> [L; 2] {
    [a[0].add(b[0]), a[1].add(b[1])]
}

#[inline(always)]
fn minus<L: Lanes>(a: [L; 2], b: [L; 2]) -> [L; 2] {
    [a[0].sub(b[0]), a[1].sub(b[1])]
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 2], b: [L; 2]) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1]))
}

/// Returns a mask with one bit for each lane. The bit is set if `a` is less than `b` in the lane.
#[inline(always)]
fn below<I: Instructions>(i: I, a: I::Lanes, b: I::Lanes) -> u32 {
    i.splat(1.0).where_less(a, b, i.splat(0.0)).at_least(i.splat(1.0))
}

/// Returns a contact point: the middle of a segment that starts on the reference edge and has the direction of its normal.
/// `p` is the start of the reference edge, `along` is the distance from `p` to the start of the segment, and `gap` is the
/// length of the segment.
#[inline(always)]
fn position<I: Instructions>(
    i: I,
    p: [I::Lanes; 2],
    normal: [I::Lanes; 2],
    tangent: [I::Lanes; 2],
    [along, gap]: [I::Lanes; 2],
) -> [I::Lanes; 2] {
    let half_gap = i.splat(0.5).mul(gap);
    let on_edge = plus(p, [along.mul(tangent[0]), along.mul(tangent[1])]);
    plus(on_edge, [half_gap.mul(normal[0]), half_gap.mul(normal[1])])
}

#[cfg(all(test, feature = "sim", feature = "scenes"))]
mod tests {
    use super::*;
    use crate::kernels::cpu::figures::edges::unit_normal;
    use crate::kernels::cpu::figures::manifold::Clip;
    use crate::kernels::test_scenes::Random;
    use crate::packed::records::Head;
    use crate::simd::{Vectorised, vectorised_alike};

    /// Clips eight pairs of edges of triangles at once, and compares the result with the clips of the single pairs. Edge 0
    /// of the first triangle of a pair is the reference edge, and edge 1 of the second triangle is the incident edge.
    struct Compare([[Small; 2]; LANES]);

    impl Vectorised for Compare {
        /// Three counts of pairs: the pairs whose single contact point is the start of the incident edge, the pairs
        /// whose single contact point is the end of the incident edge, and the pairs with two contact points.
        type Output = [usize; 3];

        #[inline(always)]
        fn run<I: Instructions>(self, i: I) -> [usize; 3] {
            let load = |polygon: usize, vertex: usize| {
                let column = |of: fn(&Small) -> &[f32; LANES + 1]| {
                    i.load(
                        &std::array::from_fn::<f32, LANES, _>(|lane| of(&self.0[lane][polygon])[vertex]),
                        0,
                    )
                };
                [column(|small| &small.x), column(|small| &small.y)]
            };
            let (start, end) = (load(0, 0), load(0, 1));
            let offset = [i.splat(1.5), i.splat(-0.25)];
            let normal = unit_normals(start, end);
            let clips =
                Clips::new(i, &Edges { normal, start, end, incident: [load(1, 1), load(1, 2)], offset });
            let mut counts = [0; 3];
            for (lane, [reference, incident]) in self.0.iter().enumerate() {
                let normal = unit_normal(reference.view(), 0);
                let clip = Clip::new(reference.view(), 0, normal, incident.view(), 1, [1.5, -0.25]);
                let is = |bits: u32| bits >> lane & 1 != 0;
                let is_single = clip.points[1].separation == f32::INFINITY;
                assert_eq!(is(clips.is_single), is_single);
                for (k, point) in clip.points.iter().enumerate() {
                    assert_eq!(clips.gaps[k].to_array()[lane].to_bits(), point.separation.to_bits());
                    if k == 0 || !is_single {
                        let position = [0, 1].map(|axis| clips.positions[k][axis].to_array()[lane].to_bits());
                        assert_eq!(position, point.position.map(f32::to_bits));
                        let is_cut = !is_single && is([clips.cuts_first, clips.cuts_last][k]);
                        assert_eq!(is_cut, point.is_vertex_of_reference);
                    }
                }
                assert!(!is_single || is(clips.is_at_start) == (clip.points[0].incident == 1));
                counts[if is_single { usize::from(clip.points[0].incident != 1) } else { 2 }] += 1;
            }
            counts
        }
    }

    #[test]
    fn eight_clips_at_once_are_those_of_single_pairs() {
        let mut random = Random(21);
        let mut counts = [0; 3];
        for round in 0..2000 {
            // With whole coordinates, some edges are perpendicular, and some gaps are equal.
            let mut number = || {
                let x = 8.0 * random.unit() as f32 - 4.0;
                if round % 2 == 0 { x.round() } else { x }
            };
            let mut triangle = || {
                let head = Head { vertex_count: 3, ..Head::default() };
                let mut ring = || {
                    let [a, b, c] = [number(), number(), number()];
                    let mut row = [a; LANES + 1];
                    (row[1], row[2]) = (b, c);
                    row
                };
                let (x, mut y) = (ring(), ring());
                if (x[0], y[0]) == (x[1], y[1]) {
                    y[1] += 1.0;
                }
                Small::new(head, x, y)
            };
            let pairs = std::array::from_fn(|_| [triangle(), triangle()]);
            for (sum, count) in counts.iter_mut().zip(vectorised_alike(Compare(pairs))) {
                *sum += count;
            }
        }
        assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
    }
}
