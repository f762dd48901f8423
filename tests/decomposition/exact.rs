//! Exact arithmetic that checks pieces. It does not use the crate's predicates.

use num_bigint::{BigInt, Sign};
use sat2d::glam::DVec2;
use sat2d::{ConvexPolygon, PolygonObject, Relation};

pub(crate) type Ring = Vec<[f64; 2]>;

/// Returns a coordinate as a whole number of units of 2^-200.
fn integer(value: f64) -> BigInt {
    let (bits, mut exponent) = (value.abs().to_bits(), 200 - 1075i64);
    let mut mantissa = bits & ((1 << 52) - 1);
    exponent += (bits >> 52).max(1) as i64;
    if bits >> 52 != 0 {
        mantissa |= 1 << 52;
    }
    let magnitude =
        if exponent >= 0 { BigInt::from(mantissa) << exponent } else { BigInt::from(mantissa) >> -exponent };
    if value < 0.0 { -magnitude } else { magnitude }
}

fn exact(p: DVec2) -> [BigInt; 2] {
    [integer(p.x), integer(p.y)]
}

/// Returns twice the signed area, in units of 2^-400.
pub(crate) fn twice_area(ring: &[[f64; 2]]) -> BigInt {
    let ring: Vec<[BigInt; 2]> = ring.iter().map(|v| v.map(integer)).collect();
    let mut sum = BigInt::ZERO;
    for (i, [x, y]) in ring.iter().enumerate() {
        let [next_x, next_y] = &ring[(i + 1) % ring.len()];
        sum += x * next_y - next_x * y;
    }
    sum
}

pub(crate) fn piece_rings(object: &PolygonObject) -> Vec<Ring> {
    object.pieces().iter().map(|p| p.vertices().iter().map(|v| v.to_array()).collect()).collect()
}

/// Returns twice the sum of the areas of all pieces, in units of 2^-400.
pub(crate) fn twice_area_of_pieces(object: &PolygonObject) -> BigInt {
    piece_rings(object).iter().map(|ring| twice_area(ring)).sum()
}

/// Returns the side of the line from `p` to `q` on which the point `r` lies. Plus means left.
fn side(p: DVec2, q: DVec2, r: DVec2) -> Sign {
    let ([px, py], [qx, qy], [rx, ry]) = (exact(p), exact(q), exact(r));
    ((qx - &px) * (ry - &py) - (qy - py) * (rx - px)).sign()
}

/// Returns the relation of two convex polygons by the separating axis theorem, in exact arithmetic.
pub(crate) fn relation(a: &ConvexPolygon, b: &ConvexPolygon) -> Relation {
    let mut relation = Relation::Overlapping;
    for (a, b) in [(a.vertices(), b.vertices()), (b.vertices(), a.vertices())] {
        for (i, &p) in a.iter().enumerate() {
            let q = a[(i + 1) % a.len()];
            let greatest = b.iter().map(|&r| side(p, q, r)).max();
            relation = relation.min(match greatest {
                Some(Sign::Minus) => Relation::Disjoint,
                Some(Sign::NoSign) => Relation::Touching,
                _ => Relation::Overlapping,
            });
        }
    }
    relation
}

/// Returns the strongest relation between a piece of A and a piece of B.
pub(crate) fn object_relation(a: &PolygonObject, b: &PolygonObject) -> Relation {
    let pairs = a.pieces().iter().flat_map(|p| b.pieces().iter().map(move |q| (p, q)));
    pairs.map(|(p, q)| relation(p, q)).max().unwrap_or(Relation::Disjoint)
}

/// Asserts the properties that the pieces of every input have: they use only input vertices, are strictly convex, and have no
/// common interior with each other.
pub(crate) fn assert_sound(object: &PolygonObject, rings: &[Ring]) {
    let bits = |v: [f64; 2]| v.map(|x| (x + 0.0).to_bits());
    let input: std::collections::HashSet<[u64; 2]> = rings.iter().flatten().map(|&v| bits(v)).collect();
    let pieces = object.pieces();
    for piece in pieces {
        // A piece reports a clean-up only if it is the whole polygon.
        assert!(pieces.len() == 1 || piece.cleanup() == Default::default(), "{piece:?}");
        let v = piece.vertices();
        for i in 0..v.len() {
            assert!(input.contains(&bits(v[i].to_array())), "{:?} is no input vertex", v[i]);
            let turn = side(v[i], v[(i + 1) % v.len()], v[(i + 2) % v.len()]);
            assert_eq!(turn, Sign::Plus, "{piece:?}");
        }
    }
    for (i, a) in pieces.iter().enumerate() {
        for b in pieces[..i].iter().filter(|b| a.aabb().meets(b.aabb())) {
            assert_ne!(relation(a, b), Relation::Overlapping, "{a:?} {b:?}");
        }
    }
}
