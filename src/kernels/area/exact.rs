//! Computes the area of the intersection of two pieces in integers, for the few pairs for which floating-point
//! arithmetic is not precise enough.

use num_bigint::{BigInt, Sign};

use crate::geometry::Piece;
use crate::geometry::posed_image::{self, BigPoint};

/// The number of bits after the binary point in the terms of the area. The unit of the terms is the square of the unit
/// of the integer coordinates. A box has an area of at least one such square, so the error of each term is at most
/// 2^-160 of the area of the box.
const FRACTION_BITS: u64 = 160;

/// The coefficients `[a, b, c]` of the line `a x + b y + c = 0` through an edge. The value `a x + b y + c` is positive to
/// the left of the edge, where the interior of the polygon is.
type Line = [BigInt; 3];

/// A vertex in homogeneous coordinates, whose third coordinate is positive, and the line of the edge that begins at
/// this vertex.
struct Corner {
    place: [BigInt; 3],
    line: Line,
}

/// Returns the common area of two pieces. The error is at most 2^-150 of the area of either piece's box, plus 0.51 ulp.
#[cold]
pub(super) fn intersection(subject: Piece<'_>, clip: Piece<'_>) -> f64 {
    let is_posed = subject.pose != clip.pose || subject.pose != crate::geometry::Pose::IDENTITY;
    let image = |piece: Piece<'_>| -> Vec<BigPoint> {
        if is_posed {
            posed_image::posed_image(piece)
        } else {
            piece.vertices.iter().map(|&v| posed_image::image(v)).collect()
        }
    };
    let unit_bits = if is_posed { posed_image::UNIT_BITS } else { posed_image::VERTEX_BITS };
    let (subject, clip) = (image(subject), image(clip));
    let origin = subject[0].clone();
    let local = |ring: Vec<BigPoint>| -> Vec<BigPoint> {
        ring.iter().map(|v| posed_image::difference(v, &origin)).collect()
    };
    let (subject, clip) = (local(subject), local(clip));
    let mut corners: Vec<Corner> = lines(&subject)
        .zip(&subject)
        .map(|(line, [x, y])| Corner { place: [x.clone(), y.clone(), BigInt::from(1)], line })
        .collect();
    for line in lines(&clip) {
        corners = cut(corners, &line);
    }
    let doubled = doubled_area(&corners);
    posed_image::to_f64(&doubled, 2 * unit_bits + 1 + FRACTION_BITS as i32)
}

/// Returns the line of each edge of a counter-clockwise ring, in the order of the edges.
fn lines(ring: &[BigPoint]) -> impl Iterator<Item = Line> {
    (0..ring.len()).map(|k| {
        let (p, q) = (&ring[k], &ring[if k + 1 == ring.len() { 0 } else { k + 1 }]);
        let [x, y] = posed_image::difference(q, p);
        let c = &y * &p[0] - &x * &p[1];
        [-y, x, c]
    })
}

/// Returns the part of a convex polygon that is on the inside of a line.
fn cut(corners: Vec<Corner>, line: &Line) -> Vec<Corner> {
    let sign = |corner: &Corner| {
        let [x, y, w] = &corner.place;
        (x * &line[0] + y * &line[1] + w * &line[2]).sign()
    };
    let signs: Vec<Sign> = corners.iter().map(sign).collect();
    if signs.iter().all(|&sign| sign != Sign::Minus) {
        return corners;
    }
    if signs.iter().all(|&sign| sign != Sign::Plus) {
        return Vec::new();
    }
    let mut kept = Vec::new();
    let count = corners.len();
    for (k, corner) in corners.into_iter().enumerate() {
        let next = signs[(k + 1) % count];
        match (signs[k], next) {
            // The polygon leaves the half-plane at this vertex, and continues along the line.
            (Sign::NoSign, Sign::Minus) => kept.push(Corner { place: corner.place, line: line.clone() }),
            (Sign::Plus, Sign::Minus) => {
                let place = meeting(&corner.line, line);
                kept.push(corner);
                kept.push(Corner { place, line: line.clone() });
            }
            (Sign::Minus, Sign::Plus) => {
                kept.push(Corner { place: meeting(&corner.line, line), line: corner.line });
            }
            (Sign::Minus, _) => {}
            _ => kept.push(corner),
        }
    }
    kept
}

/// Returns the common point of two lines that are not parallel.
fn meeting(one: &Line, other: &Line) -> [BigInt; 3] {
    let minor = |i: usize, j: usize| &one[i] * &other[j] - &one[j] * &other[i];
    let (x, y, w) = (minor(1, 2), minor(2, 0), minor(0, 1));
    if w.sign() == Sign::Minus { [-x, -y, -w] } else { [x, y, w] }
}

/// Returns twice the area of a polygon times 2^[`FRACTION_BITS`], in the square of the unit of the coordinates.
fn doubled_area(corners: &[Corner]) -> BigInt {
    let term = |k: usize| {
        let [[x, y, w], [next_x, next_y, next_w]] =
            [&corners[k].place, &corners[(k + 1) % corners.len()].place];
        ((x * next_y - next_x * y) << FRACTION_BITS) / (w * next_w)
    };
    (0..corners.len()).map(term).sum()
}
