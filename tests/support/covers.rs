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
        if denominator.sign() == Sign::Minus {
            Self(-numerator, -denominator)
        } else {
            Self(numerator, denominator)
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        if self.1 == other.1 {
            return Self(&self.0 + &other.0, self.1.clone());
        }
        Self::new(&self.0 * &other.1 + &other.0 * &self.1, &self.1 * &other.1)
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.plus(&Self(-&other.0, other.1.clone()))
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        Self::new(&self.0 * &other.0, &self.1 * &other.1)
    }

    pub(super) fn over(&self, other: &Self) -> Self {
        Self::new(&self.0 * &other.1, &self.1 * &other.0)
    }

    pub(super) fn halved(&self) -> Self {
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

    pub(super) fn compare(&self, other: &Self) -> Ordering {
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
    let edges: Vec<[&Point; 2]> = [a, b].into_iter().flat_map(edges_of).collect();
    let mut stops: Vec<Rational> = edges.iter().flatten().map(|v| v[0].clone()).collect();
    for (k, e) in edges.iter().enumerate() {
        stops.extend(edges[..k].iter().filter_map(|f| crossing(*e, *f)));
    }
    stops.sort_by(Rational::compare);
    stops.dedup_by(|p, q| p.compare(q).is_eq());
    stops.windows(2).all(|slab| {
        let x = slab[0].plus(&slab[1]).halved();
        let mut heights: Vec<Rational> = edges.iter().filter_map(|e| height(*e, &x)).collect();
        heights.sort_by(Rational::compare);
        heights.dedup_by(|p, q| p.compare(q).is_eq());
        heights.windows(2).all(|between| {
            let middle = [x.clone(), between[0].plus(&between[1]).halved()];
            !contains(b, &middle) || contains(a, &middle)
        })
    })
}

pub(super) fn edges_of(region: &Region) -> Vec<[&Point; 2]> {
    let of_ring =
        |ring: &'_ Vec<Point>| (0..ring.len()).map(|i| (i, (i + 1) % ring.len())).collect::<Vec<_>>();
    let rings = region.iter().flatten();
    rings.flat_map(|ring| of_ring(ring).into_iter().map(move |(i, j)| [&ring[i], &ring[j]])).collect()
}

/// Returns whether a point is inside a region. The point must not be on an edge. A point is inside a polygon if an odd number
/// of the polygon's edges is below the point.
pub(super) fn contains(region: &Region, point: &Point) -> bool {
    region.iter().any(|rings| {
        let one = vec![rings.clone()];
        let below = edges_of(&one)
            .into_iter()
            .filter(|e| height(*e, &point[0]).is_some_and(|y| y.compare(&point[1]).is_lt()));
        below.count() % 2 == 1
    })
}

/// Returns the height of an edge at the x coordinate `x`, or `None` if the edge does not reach this coordinate. No vertex may
/// be at `x`.
pub(super) fn height([p, q]: [&Point; 2], x: &Rational) -> Option<Rational> {
    if p[0].compare(x).is_lt() == q[0].compare(x).is_lt() {
        return None;
    }
    let share = x.minus(&p[0]).over(&q[0].minus(&p[0]));
    Some(p[1].plus(&share.times(&q[1].minus(&p[1]))))
}

/// Returns the x coordinate at which the edge from `p` to `q` meets the line of the edge from `r` to `s`. Returns `None` if it
/// does not reach the line, or if the edges are parallel.
pub(super) fn crossing([p, q]: [&Point; 2], [r, s]: [&Point; 2]) -> Option<Rational> {
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
