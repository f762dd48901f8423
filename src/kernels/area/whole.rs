//! Computes the areas of pieces and of whole objects.

use num_bigint::BigInt;

use super::number::{Double, Real};
use crate::base::parallel::prelude::*;
use crate::geometry::posed_image::{VERTEX_BITS, area, image, to_f64};
use crate::geometry::{Piece, PolygonSet};

/// The area of an object, in the square of the caller's unit, and the number of its pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ObjectArea {
    pub(crate) area: f64,
    pub(crate) pieces: u32,
    /// Whether the pieces belong to a union. The vertices of a union may be rounded.
    pub(crate) is_rounded: bool,
}

/// Returns the area of each object. The relative error of an area is less than 2^-51.
pub(crate) fn object_areas(set: &PolygonSet) -> Vec<ObjectArea> {
    let of_pieces: Vec<f64> = (0..set.piece_count())
        .into_par_iter()
        .with_min_len(256)
        .map(|piece| piece_area(set.piece(piece)))
        .collect();
    let mut objects = vec![ObjectArea::default(); set.object_count()];
    let mut rests = Double::of(0.0);
    let mut before = None;
    // The pieces of an object are consecutive, and the objects are in order.
    for (piece, &area) in of_pieces.iter().enumerate() {
        let object = set.piece_object(piece);
        let sum = if before == Some(object) { rests } else { Double::of(0.0) }.plus(Double::of(area));
        let entry = &mut objects[object];
        (entry.area, entry.pieces) = (sum.head(), entry.pieces + 1);
        (rests, before) = (sum, Some(object));
    }
    objects
}

/// Returns the area of a piece, which is above 0. The relative error is less than 2^-52.
///
/// A pose multiplies the area of the shape by `cos² + sin²`. Twice the area of the shape is the sum of the cross products
/// of the vectors from its first vertex. The vectors are exact. Let `n` be the number of vertices, and `M` the sum of the
/// magnitudes of all products.
///
/// - The error of the sum is at most `n 2^-99 M`.
/// - If the sum is at least `n 2^-45 M`, its relative error is therefore at most 2^-54.
/// - Otherwise, integers give the area of the shape.
pub(crate) fn piece_area(piece: Piece<'_>) -> f64 {
    let first = piece.vertices[0];
    let way = |k: usize| [0, 1].map(|axis| Double::difference(piece.vertices[k][axis], first[axis]));
    let (mut doubled, mut magnitude) = (Double::of(0.0), 0.0);
    let mut from = way(1);
    for k in 2..piece.vertices.len() {
        let to = way(k);
        let (plus, minus) = (from[0].times(to[1]), from[1].times(to[0]));
        doubled = doubled.plus(plus.minus(minus));
        magnitude += plus.head().abs() + minus.head().abs();
        from = to;
    }
    let least = piece.vertices.len() as f64 / (1u64 << 45) as f64;
    let shape = if doubled.head() >= least * magnitude { doubled } else { Double::of(exactly(piece)) };
    let (cos, sin) = (piece.pose.cos(), piece.pose.sin());
    let scale = Double::product(cos, cos).plus(Double::product(sin, sin));
    0.5 * shape.times(scale).head()
}

/// Returns twice the area of a piece's shape, without its pose. The code computes it with integers.
#[cold]
fn exactly(piece: Piece<'_>) -> f64 {
    let ring: Vec<_> = piece.vertices.iter().map(|&v| image(v)).collect();
    let doubled: BigInt = (2..ring.len()).map(|k| area(&ring[0], &ring[k - 1], &ring[k])).sum();
    to_f64(&doubled, 2 * VERTEX_BITS)
}
