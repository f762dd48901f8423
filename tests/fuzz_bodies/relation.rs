//! The relation of two convex polygons from arbitrary bytes: the body of a fuzz target and of a test on fixed inputs.

use sat2d::{ConvexPolygon, Relation};

use crate::support::oracle;

/// Two accepted polygons and the relation that exact arithmetic finds.
#[derive(Debug)]
pub(crate) struct Decoded {
    /// The first polygon.
    pub(crate) a: ConvexPolygon,
    /// The second polygon.
    pub(crate) b: ConvexPolygon,
    /// The relation by exact arithmetic.
    pub(crate) expected: Relation,
}

/// Decodes two polygons. Returns `None` if there are too few bytes, or if the library rejects a polygon.
///
/// The lowest 2 bits of the first byte select the coding of the coordinates:
///
/// - whole numbers within ±15, one byte each,
/// - the same numbers, moved by 2^20,
/// - the same numbers, with a second byte for a step of some ulps,
/// - raw f64.
///
/// The first byte also has three bits for each polygon, which give the number of vertices, from 3 to 10. The vertices
/// follow. If the library rejects a ring, the triangle of its first three vertices replaces it.
pub(crate) fn relation_from_bytes(data: &[u8]) -> Option<Decoded> {
    let (&head, mut rest) = data.split_first()?;
    let counts = [head >> 2 & 7, head >> 5].map(|bits| usize::from(bits) + 3);
    let mut rings = counts.map(Vec::with_capacity);
    for (ring, count) in rings.iter_mut().zip(counts) {
        for _ in 0..count {
            ring.push([coordinate(head & 3, &mut rest)?, coordinate(head & 3, &mut rest)?]);
        }
    }
    let [a, b] = rings.map(|ring: Vec<[f64; 2]>| {
        ConvexPolygon::new(&ring).or_else(|_| ConvexPolygon::new(&ring[..3])).ok()
    });
    let (a, b) = (a?, b?);
    let vertices = |p: &ConvexPolygon| p.vertices().iter().map(|v| v.to_array()).collect::<Vec<_>>();
    let expected = oracle::relation(&vertices(&a), &vertices(&b));
    Some(Decoded { a, b, expected })
}

/// Decodes two polygons, and calls `library` for their relation in both orders.
///
/// # Panics
/// Panics if an answer differs from the exact one.
pub(crate) fn check(
    data: &[u8],
    library: impl Fn(&ConvexPolygon, &ConvexPolygon) -> Relation,
) -> Option<Relation> {
    let Decoded { a, b, expected } = relation_from_bytes(data)?;
    assert_eq!(library(&a, &b), expected, "{a:?} and {b:?}");
    assert_eq!(library(&b, &a), expected, "{b:?} and {a:?}");
    Some(expected)
}

fn coordinate(coding: u8, rest: &mut &[u8]) -> Option<f64> {
    let mut byte = || {
        let (&first, others) = rest.split_first()?;
        *rest = others;
        Some(first)
    };
    // There are few values, so that polygons often share lines and vertices.
    let whole = |byte: u8| f64::from(byte.cast_signed() % 16);
    Some(match coding {
        0 => whole(byte()?),
        1 => whole(byte()?) + 1_048_576.0,
        2 => {
            let (x, step) = (whole(byte()?), byte()?.cast_signed());
            // 0 stays unchanged, because the library refuses the f64 numbers next to 0.
            if x == 0.0 { x } else { f64::from_bits(x.to_bits().wrapping_add_signed(i64::from(step))) }
        }
        _ => {
            let mut bytes = [0; 8];
            for slot in &mut bytes {
                *slot = byte()?;
            }
            f64::from_le_bytes(bytes)
        }
    })
}
