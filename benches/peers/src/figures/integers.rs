//! Measures a pair with integers. Coordinates are multiples of a power of two, so every product and every sign is
//! exact. The results are rounded once, at the end.

use sat2d::FIGURE_BOUND;

use super::truth::Truth;

type Point = [i128; 2];

/// The measurements of a pair. They are exact except for two roots and two quotients, each with a relative error of at
/// most 2^-50.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub(super) meets: bool,
    pub(super) separation: f64,
    pub(super) distance: f64,
}

impl Exact {
    /// Measures a pair of rings. Let the unit be the greatest power of two of which all coordinates are multiples. The
    /// magnitudes of the coordinates must be less than 2^61 units.
    pub(super) fn new(a: &[[f64; 2]], b: &[[f64; 2]]) -> Self {
        let all = || a.iter().chain(b).flatten().copied();
        let scale = all().map(places).max().unwrap_or(0);
        let unit = 2f64.powi(-scale);
        let integer = |x: f64| {
            let scaled = x / unit;
            assert!(scaled.abs() < 2f64.powi(61), "the scene fits integers");
            scaled as i128
        };
        let of = |ring: &[[f64; 2]]| -> Vec<Point> { ring.iter().map(|v| v.map(integer)).collect() };
        let (a, b) = (of(a), of(b));
        let gaps: Vec<(i128, i128)> = gaps(&a, &b).chain(gaps(&b, &a)).collect();
        // The polygons meet if no edge has the whole other polygon on its outer side.
        let meets = gaps.iter().all(|(gap, _)| *gap <= 0);
        let separation = gaps.iter().map(|&(gap, square)| gap as f64 / (square as f64).sqrt());
        let squares = squares(&a, &b).chain(squares(&b, &a));
        let distance = if meets { 0.0 } else { squares.fold(f64::INFINITY, f64::min).sqrt() };
        let separation = separation.fold(f64::NEG_INFINITY, f64::max);
        Self { meets, separation: separation * unit, distance: distance * unit }
    }

    /// Returns whether the values of `truth`, which were computed in f64, differ from the exact values by at most a millionth
    /// of the bound.
    pub(super) fn confirms(&self, truth: &Truth) -> bool {
        let within = 1e-6 * FIGURE_BOUND * truth.size;
        self.meets == truth.meets
            && (self.separation - truth.separation).abs() <= within
            && (self.distance - truth.distance).abs() <= within
    }
}

/// Returns the number of binary places that `x` has after the point.
fn places(x: f64) -> i32 {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    if exponent == 0 {
        assert!(x == 0.0, "subnormal coordinates are none of a scene");
        return i32::MIN;
    }
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    52 - mantissa.trailing_zeros() as i32 - (exponent - 1023)
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: Point, b: Point) -> i128 {
    let product = |k: usize| a[k].checked_mul(b[k]).expect("the scene fits integers");
    product(0).checked_add(product(1)).expect("the scene fits integers")
}

fn edges(ring: &[Point]) -> impl Iterator<Item = (Point, Point)> + '_ {
    (0..ring.len()).map(|k| (ring[k], minus(ring[(k + 1) % ring.len()], ring[k])))
}

/// Returns, for each edge of `a`, the gap between the edge and `b` times the edge's length, and the square of this length.
fn gaps<'a>(a: &'a [Point], b: &'a [Point]) -> impl Iterator<Item = (i128, i128)> + 'a {
    edges(a).map(move |(p, edge)| {
        let normal = [edge[1], -edge[0]];
        let gap = b.iter().map(|&v| dot(normal, minus(v, p))).min();
        (gap.unwrap_or(0), dot(edge, edge))
    })
}

/// Returns the square of the distance between each vertex of `b` and each edge of `a`.
fn squares<'a>(a: &'a [Point], b: &'a [Point]) -> impl Iterator<Item = f64> + 'a {
    edges(a).flat_map(move |(p, edge)| {
        b.iter().map(move |&v| {
            let (to_v, square) = (minus(v, p), dot(edge, edge));
            let along = dot(to_v, edge);
            if along <= 0 {
                return dot(to_v, to_v) as f64;
            }
            if along >= square {
                let to_end = minus(to_v, edge);
                return dot(to_end, to_end) as f64;
            }
            let beside = dot([edge[1], -edge[0]], to_v) as f64;
            beside * beside / square as f64
        })
    })
}

#[test]
fn triangles_are_measured() {
    let a = [[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]];
    let exact = Exact::new(&a, &[[5.0, 3.5], [7.0, 4.0], [6.0, 5.0]]);
    // The separation is measured from the long side, 3 x + 4 y = 12, which has length 5.
    assert!(!exact.meets && (exact.separation - 17.0 / 5.0).abs() < 1e-15);
    let exact = Exact::new(&a, &[[5.0, -0.75], [6.0, -2.0], [7.0, -1.0]]);
    assert!((exact.distance - 1.25).abs() < 1e-15, "{exact:?}");
    assert_eq!(Exact::new(&a, &a).separation, -2.4);
    assert!(Exact::new(&a, &[[2.0, 1.5], [4.0, 3.0], [2.0, 3.0]]).meets);
}
