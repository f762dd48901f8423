//! Decides whether one region covers another, in rational arithmetic, by a different method than the library.
//!
//! The library splits regions into convex pieces and compares them along their edges. The oracle uses only the rings.
//! It cuts the plane into slabs at the vertices and at the crossings of edges. Edges do not cross inside a slab, so
//! they cut the slab into trapezoids. Every trapezoid is completely inside or completely outside each region, like its
//! middle. The parity of the edges below the middle decides. A covers B if and only if no trapezoid is inside B and
//! outside A.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// A fraction with a positive denominator.
#[derive(Clone, Debug)]
pub(crate) struct Rational(BigInt, BigInt);

impl Rational {
    fn new(numerator: BigInt, denominator: BigInt) -> Self {
        assert_ne!(denominator.sign(), Sign::NoSign);
        // Most denominators are powers of two. Without their common factors, the numbers stay short.
        let Some(zeros) = numerator.trailing_zeros() else { return Self(BigInt::ZERO, 1.into()) };
        let zeros = zeros.min(denominator.trailing_zeros().unwrap_or(0));
        let [numerator, denominator] =
            [numerator, denominator].map(|n| if zeros == 0 { n } else { n >> zeros });
        if denominator.sign() == Sign::Minus {
            Self(-numerator, -denominator)
        } else {
            Self(numerator, denominator)
        }
    }

    fn plus(&self, other: &Self) -> Self {
        if self.1 == other.1 {
            return Self(&self.0 + &other.0, self.1.clone());
        }
        Self::new(&self.0 * &other.1 + &other.0 * &self.1, &self.1 * &other.1)
    }

    fn minus(&self, other: &Self) -> Self {
        self.plus(&Self(-&other.0, other.1.clone()))
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        Self::new(&self.0 * &other.0, &self.1 * &other.1)
    }

    fn over(&self, other: &Self) -> Self {
        Self::new(&self.0 * &other.1, &self.1 * &other.0)
    }

    fn halved(&self) -> Self {
        Self::new(self.0.clone(), &self.1 * 2)
    }

    /// Returns the number in units of `2^exponent`, rounded towards 0.
    pub(crate) fn in_units(&self, exponent: i64) -> BigInt {
        let [up, down] = [(-exponent).max(0), exponent.max(0)];
        (&self.0 << up) / (&self.1 << down)
    }

    fn is_zero(&self) -> bool {
        self.0.sign() == Sign::NoSign
    }

    fn compare(&self, other: &Self) -> Ordering {
        (&self.0 * &other.1).cmp(&(&other.0 * &self.1))
    }
}

impl From<f64> for Rational {
    fn from(x: f64) -> Self {
        assert!(x.is_finite());
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i64;
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let (mantissa, exponent) =
            if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        if mantissa == 0 {
            return Self(BigInt::ZERO, 1.into());
        }
        let zeros = i64::from(mantissa.trailing_zeros());
        let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros);
        let mantissa = BigInt::from(if x < 0.0 { -mantissa } else { mantissa });
        if exponent >= 0 {
            Self(mantissa << exponent, 1.into())
        } else {
            Self(mantissa, BigInt::from(1) << -exponent)
        }
    }
}

pub(crate) type Point = [Rational; 2];

/// A list of polygons, each of which is a list of rings. The region is the union of the even-odd interiors of the
/// polygons.
pub(crate) type Region = Vec<Vec<Vec<Point>>>;

/// Returns the exact image of a region of f64 rings, turned by (cos, sin) and moved by (x, y).
pub(crate) fn region(polygons: &[Vec<Vec<[f64; 2]>>], [cos, sin, x, y]: [f64; 4]) -> Region {
    let [cos, sin, x, y] = [cos, sin, x, y].map(Rational::from);
    let image = |v: &[f64; 2]| {
        let [vx, vy] = v.map(Rational::from);
        [cos.times(&vx).minus(&sin.times(&vy)).plus(&x), sin.times(&vx).plus(&cos.times(&vy)).plus(&y)]
    };
    let ring = |ring: &Vec<[f64; 2]>| ring.iter().map(image).collect();
    polygons.iter().map(|rings| rings.iter().map(ring).collect()).collect()
}

/// Returns whether the closed region `a` contains every point of the closed region `b`.
pub(crate) fn covers(a: &Region, b: &Region) -> bool {
    all_trapezoids([a, b], |_, _, [in_a, in_b]| !in_b || in_a)
}

/// Cuts the plane into slabs and trapezoids, at the vertices and at the crossings of the edges of both regions. Calls `each` with
/// the width of each trapezoid, its height in the middle, and whether it is inside each of the regions. Returns false as soon as
/// `each` returns false.
pub(super) fn all_trapezoids(
    regions: [&Region; 2],
    mut each: impl FnMut(&Rational, &Rational, [bool; 2]) -> bool,
) -> bool {
    // Each polygon has the index of its region, and each edge has the index of its polygon.
    let polygons: Vec<(usize, &Vec<Vec<Point>>)> = (regions.iter().enumerate())
        .flat_map(|(side, region)| region.iter().map(move |rings| (side, rings)))
        .collect();
    let edges: Vec<(usize, [&Point; 2])> = (polygons.iter().enumerate())
        .flat_map(|(k, (_, rings))| edges_of(rings).into_iter().map(move |e| (k, e)))
        .collect();
    let mut stops: Vec<Rational> = edges.iter().flat_map(|(_, e)| e.map(|v| v[0].clone())).collect();
    for (k, (_, e)) in edges.iter().enumerate() {
        stops.extend(edges[..k].iter().filter_map(|(_, f)| crossing(*e, *f)));
    }
    stops.sort_by(Rational::compare);
    stops.dedup_by(|p, q| p.compare(q).is_eq());
    stops.windows(2).all(|slab| {
        let x = slab[0].plus(&slab[1]).halved();
        let width = slab[1].minus(&slab[0]);
        let height_at = |(k, e): &(usize, [&Point; 2])| Some((height(*e, &x)?, *k));
        let mut heights: Vec<(Rational, usize)> = edges.iter().filter_map(height_at).collect();
        heights.sort_by(|(p, _), (q, _)| p.compare(q));
        // A place is inside a polygon if an odd number of the polygon's edges is below it.
        let mut is_in = vec![false; polygons.len()];
        heights.windows(2).all(|between| {
            let [(below, polygon), (above, _)] = between else { unreachable!("two heights") };
            is_in[*polygon] ^= true;
            if below.compare(above).is_eq() {
                return true;
            }
            let is_inside =
                |side: usize| polygons.iter().zip(&is_in).any(|((of, _), is_in)| *of == side && *is_in);
            each(&width, &above.minus(below), [is_inside(0), is_inside(1)])
        })
    })
}

/// Returns the edges of a polygon.
fn edges_of(rings: &[Vec<Point>]) -> Vec<[&Point; 2]> {
    let of_ring =
        |ring: &'_ Vec<Point>| (0..ring.len()).map(|i| (i, (i + 1) % ring.len())).collect::<Vec<_>>();
    rings.iter().flat_map(|ring| of_ring(ring).into_iter().map(move |(i, j)| [&ring[i], &ring[j]])).collect()
}

/// Returns the height of an edge at the x coordinate `x`, or `None` if the edge does not reach this coordinate. No vertex may
/// be at `x`.
fn height([p, q]: [&Point; 2], x: &Rational) -> Option<Rational> {
    if p[0].compare(x).is_lt() == q[0].compare(x).is_lt() {
        return None;
    }
    let share = x.minus(&p[0]).over(&q[0].minus(&p[0]));
    Some(p[1].plus(&share.times(&q[1].minus(&p[1]))))
}

/// Returns the x coordinate at which the edge from `p` to `q` meets the line of the edge from `r` to `s`. Returns `None` if it
/// does not reach the line, or if the edges are parallel.
fn crossing([p, q]: [&Point; 2], [r, s]: [&Point; 2]) -> Option<Rational> {
    let ([dx, dy], [ex, ey]) = ([0, 1].map(|k| q[k].minus(&p[k])), [0, 1].map(|k| s[k].minus(&r[k])));
    let cross = dx.times(&ey).minus(&dy.times(&ex));
    if cross.is_zero() {
        return None;
    }
    let away = [0, 1].map(|k| r[k].minus(&p[k]));
    let t = away[0].times(&ey).minus(&away[1].times(&ex)).over(&cross);
    let (zero, one) = (Rational::from(0.0), Rational::from(1.0));
    // A crossing beyond the end of the other edge only adds a slab, which is harmless.
    (t.compare(&zero).is_ge() && t.compare(&one).is_le()).then(|| p[0].plus(&t.times(&dx)))
}
