//! Computes the relation of two regions in rational arithmetic, from an arrangement of all edges. It uses neither a
//! triangulation nor sectors.
//!
//! Vertical lines through all vertices and all crossings of edges cut the plane into slabs. Edges do not meet within a
//! slab. The part of a slab between two neighbouring edges is therefore completely inside a region, or completely
//! outside.

use std::cmp::Ordering;

use sat2d::{Containment, Fill, PointRelation, Relation};

/// The rings of a polygon, with integer coordinates below 2,000 in magnitude. An object is a list of polygons.
pub(super) type Polygon = Vec<Vec<[i64; 2]>>;

/// The limit for a fraction that is not reduced: its numerator and its denominator are below this magnitude.
const SMALL: i128 = 1 << 62;

/// A fraction with a positive denominator.
#[derive(Clone, Copy, Debug)]
struct Fraction(i128, i128);

impl Fraction {
    /// Returns a fraction. A small fraction is not reduced, because reducing takes far longer than comparing. The
    /// products in a comparison of small fractions do not overflow.
    fn new(numerator: i128, denominator: i128) -> Self {
        let sign = denominator.signum();
        if numerator.abs().max(denominator.abs()) < SMALL {
            return Self(sign * numerator, sign * denominator);
        }
        let (mut a, mut b) = (numerator.abs(), denominator.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self(sign * numerator / a.max(1), sign * denominator / a.max(1))
    }

    fn halfway(self, other: Self) -> Self {
        Self::new(self.0 * other.1 + other.0 * self.1, 2 * self.1 * other.1)
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }
}

/// An edge that is not vertical, from left to right, and the index of its polygon.
struct Edge {
    left: [i128; 2],
    right: [i128; 2],
    /// The direction of the ring along this edge: 1 if it runs from left to right, and -1 if it runs from right to left.
    step: i32,
    polygon: usize,
}

impl Edge {
    fn height(&self, x: Fraction) -> Fraction {
        let ([x0, y0], [x1, y1]) = (self.left, self.right);
        Fraction::new(y0 * (x1 - x0) * x.1 + (y1 - y0) * (x.0 - x0 * x.1), (x1 - x0) * x.1)
    }

    fn is_over(&self, x: Fraction) -> bool {
        Fraction(self.left[0], 1) <= x && x <= Fraction(self.right[0], 1)
    }

    fn range(&self, axis: usize) -> [i128; 2] {
        let [p, q] = [self.left[axis], self.right[axis]];
        [p.min(q), p.max(q)]
    }

    /// Returns the x coordinate where the lines of two edges cross, or `None` if they do not cross at a point of both
    /// edges.
    fn crossing(&self, other: &Self) -> Option<Fraction> {
        if (0..2).any(|axis| {
            self.range(axis)[1] < other.range(axis)[0] || other.range(axis)[1] < self.range(axis)[0]
        }) {
            return None;
        }
        let ([x0, y0], [u0, v0]) = (self.left, other.left);
        let (dx, dy) = (self.right[0] - x0, self.right[1] - y0);
        let (du, dv) = (other.right[0] - u0, other.right[1] - v0);
        let slope = dy * du - dv * dx;
        if slope == 0 {
            return None;
        }
        let x = Fraction::new((v0 - y0) * dx * du + dy * du * x0 - dv * dx * u0, slope);
        (self.is_over(x) && other.is_over(x)).then_some(x)
    }
}

fn is_inside(fill: Fill, winding: i32) -> bool {
    match fill {
        Fill::EvenOdd => winding % 2 != 0,
        _ => winding != 0,
    }
}

/// Returns the edges of polygons that are not vertical, and the x coordinates of all slab borders.
fn edges_and_slabs(polygons: &[&Polygon]) -> (Vec<Edge>, Vec<Fraction>) {
    let (mut edges, mut xs) = (Vec::new(), Vec::new());
    for (polygon, rings) in polygons.iter().enumerate() {
        for ring in *rings {
            for (i, p) in ring.iter().enumerate() {
                let (p, q) = (p.map(i128::from), ring[(i + 1) % ring.len()].map(i128::from));
                xs.push(Fraction(p[0], 1));
                if p[0] != q[0] {
                    let ([left, right], step) = if p[0] < q[0] { ([p, q], 1) } else { ([q, p], -1) };
                    edges.push(Edge { left, right, step, polygon });
                }
            }
        }
    }
    for (i, edge) in edges.iter().enumerate() {
        xs.extend(edges[..i].iter().filter_map(|other| edge.crossing(other)));
    }
    xs.sort();
    xs.dedup();
    (edges, xs)
}

/// The closed intervals of a region on a vertical line.
type Intervals = Vec<[Fraction; 2]>;

/// The relation of two objects and the covering between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) relation: Relation,
    pub(super) containment: Containment,
}

/// Compares two objects. The region of a polygon is the interior of its rings by a rule. The region of an object is
/// the union of its polygons' regions.
pub(super) fn compare(a: &[Polygon], b: &[Polygon], fill: Fill) -> Comparison {
    let polygons: Vec<&Polygon> = a.iter().chain(b).collect();
    let (edges, xs) = edges_and_slabs(&polygons);
    let mut touches = false;
    // Whether some point is in both regions, only in A, and only in B.
    let (mut in_both, mut in_one) = (false, [false; 2]);
    // The intervals of both regions at the right end of the previous slab.
    let mut before: [Intervals; 2] = Default::default();
    for slab in xs.windows(2) {
        let (mut starts, mut ends): ([Intervals; 2], [Intervals; 2]) = Default::default();
        let slab =
            Slab { edges: &edges, ends: [slab[0], slab[1]], split: a.len(), count: polygons.len(), fill };
        slab.visit(|sides, earlier, at| {
            in_both |= sides == [true, true];
            in_one = [in_one[0] | (sides == [true, false]), in_one[1] | (sides == [false, true])];
            touches |= earlier[0] && sides[1] || earlier[1] && sides[0];
            for side in 0..2 {
                for (lists, at) in [(&mut starts, at[0]), (&mut ends, at[1])] {
                    extend(&mut lists[side], earlier[side], sides[side], at);
                }
            }
        });
        touches |= meet(&starts[0], &starts[1]) || meet(&ends[0], &ends[1]);
        touches |= meet(&starts[0], &before[1]) || meet(&before[0], &starts[1]);
        before = ends;
        if in_both && in_one == [true; 2] {
            break;
        }
    }
    let relation = match (in_both, touches) {
        (true, _) => Relation::Overlapping,
        (_, true) => Relation::Touching,
        _ => Relation::Disjoint,
    };
    let has_regions = in_both || in_one == [true; 2];
    let containment = match in_one {
        [true, true] => Containment::Neither,
        _ if !has_regions => Containment::Neither,
        [true, false] => Containment::Covers,
        [false, true] => Containment::CoveredBy,
        [false, false] => Containment::Equal,
    };
    Comparison { relation, containment }
}

/// Returns the relation of two objects.
pub(super) fn relation(a: &[Polygon], b: &[Polygon], fill: Fill) -> Relation {
    compare(a, b, fill).relation
}

/// Returns the relation of a point to an object.
pub(super) fn locate(object: &[Polygon], point: [i64; 2], fill: Fill) -> PointRelation {
    let polygons: Vec<&Polygon> = object.iter().collect();
    let (edges, mut xs) = edges_and_slabs(&polygons);
    let [x, y] = point.map(|c| Fraction(c.into(), 1));
    xs.push(x);
    xs.sort();
    xs.dedup();
    // The intervals of the region next to the vertical line through the point, on its left and on its right.
    let mut beside: [Intervals; 2] = Default::default();
    for ends in xs.windows(2) {
        for (side, list) in beside.iter_mut().enumerate() {
            // For the left side, the slab must end at the point's x coordinate. For the right side, it must begin
            // there.
            if ends[1 - side] == x {
                let slab = Slab {
                    edges: &edges,
                    ends: [ends[0], ends[1]],
                    split: object.len(),
                    count: object.len(),
                    fill,
                };
                slab.visit(|sides, earlier, at| extend(list, earlier[0], sides[0], at[1 - side]));
            }
        }
    }
    if beside.iter().all(|list| list.iter().any(|[low, high]| *low < y && y < *high)) {
        PointRelation::Inside
    } else if beside.iter().flatten().any(|[low, high]| *low <= y && y <= *high) {
        PointRelation::Boundary
    } else {
        PointRelation::Outside
    }
}

/// Extends the intervals of a region by an edge at a height. `is_below` and `is_above` say whether the region is just
/// below and just above the edge.
fn extend(intervals: &mut Intervals, is_below: bool, is_above: bool, at: Fraction) {
    if is_above && !is_below {
        intervals.push([at, at]);
    } else if let (true, Some(last)) = (is_below, intervals.last_mut()) {
        last[1] = at;
    }
}

/// The part of the plane between two neighbouring vertical lines, with its edges. The first `split` of `count` polygons belong
/// to A.
struct Slab<'a> {
    edges: &'a [Edge],
    ends: [Fraction; 2],
    split: usize,
    count: usize,
    fill: Fill,
}

impl Slab<'_> {
    /// Visits the edges of the slab from bottom to top. `visit` gets three arguments. The first says whether the points
    /// just above the edge are in A, and whether they are in B. The second says the same of the points just below the
    /// edge. The third has the heights of the edge at the left and the right end of the slab.
    fn visit(&self, mut visit: impl FnMut([bool; 2], [bool; 2], [Fraction; 2])) {
        let middle = self.ends[0].halfway(self.ends[1]);
        let over = self.edges.iter().filter(|edge| edge.is_over(middle));
        let mut over: Vec<(Fraction, &Edge)> = over.map(|edge| (edge.height(middle), edge)).collect();
        over.sort_by_key(|(height, _)| *height);
        let mut windings = vec![0; self.count];
        let mut sides = [false; 2];
        for group in over.chunk_by(|p, q| p.0 == q.0) {
            let below = sides;
            for (_, edge) in group {
                windings[edge.polygon] += edge.step;
            }
            sides = [&windings[..self.split], &windings[self.split..]]
                .map(|side| side.iter().any(|&winding| is_inside(self.fill, winding)));
            visit(sides, below, self.ends.map(|x| group[0].1.height(x)));
        }
    }
}

fn meet(a: &Intervals, b: &Intervals) -> bool {
    a.iter().any(|[low, high]| b.iter().any(|[from, to]| low <= to && from <= high))
}

/// Returns the area of a polygon's region by a rule, up to the rounding of the sum.
pub(super) fn area(rings: &Polygon, fill: Fill) -> f64 {
    let (edges, xs) = edges_and_slabs(&[rings]);
    let to_f64 = |x: Fraction| x.0 as f64 / x.1 as f64;
    let mut area = 0.0;
    for slab in xs.windows(2) {
        let middle = slab[0].halfway(slab[1]);
        let mut over: Vec<(Fraction, i32)> =
            edges.iter().filter(|e| e.is_over(middle)).map(|e| (e.height(middle), e.step)).collect();
        over.sort();
        let mut winding = 0;
        let mut height = 0.0;
        for pair in over.windows(2) {
            winding += pair[0].1;
            if is_inside(fill, winding) {
                height += to_f64(pair[1].0) - to_f64(pair[0].0);
            }
        }
        area += height * (to_f64(slab[1]) - to_f64(slab[0]));
    }
    area
}
