//! The columns of a set. They are for storing a set and building an equal set later.

use std::borrow::Cow;

use glam::DVec2;

use super::{Aabb, PolygonSet, check_count};
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::geometry::{ConvexPolygon, Fill};

/// The columns of a static set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetParts<'a> {
    /// Vertices of all pieces, piece after piece, each piece counter-clockwise and strictly convex.
    pub vertices: Cow<'a, [DVec2]>,
    /// The index of the first vertex of each piece, then the number of vertices. The list is empty if the set has no
    /// pieces.
    pub piece_offsets: Cow<'a, [u32]>,
    /// The object of each piece, in ascending order. `None` if piece `i` is object `i` and there are no other objects.
    pub piece_objects: Option<Cow<'a, [u32]>>,
    /// For each vertex, whether the edge that starts there is internal. `None` if no edge is internal.
    pub internal_edges: Option<Cow<'a, [bool]>>,
    /// The number of objects.
    pub object_count: usize,
}

/// The rings of a set that keeps outlines, as the arguments of [`PolygonColumns`](crate::PolygonColumns).
/// [`set_of_outlines`](super::set_of_outlines) builds an equal set from them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RingParts {
    /// The vertices of all rings, in the directions that the caller gave.
    pub coordinates: Vec<[f64; 2]>,
    /// The index of the first vertex of each ring, then the number of all vertices.
    pub rings: Vec<i64>,
    /// The index of the first ring of each polygon, then the number of all rings.
    pub polygons: Vec<i64>,
    /// The index of the first polygon of each object, then the number of all polygons.
    pub objects: Vec<i64>,
    /// The fill rule of the crossed polygons: the polygons whose rings cross, or whose region depends on the rule. `None` if there
    /// are no such polygons.
    pub fill: Option<Fill>,
}

impl PolygonSet {
    /// Returns the rings of a set that keeps outlines, or `None` if the set does not keep outlines.
    #[doc(hidden)]
    #[must_use]
    pub fn ring_parts(&self) -> Option<RingParts> {
        let outlines = &self.outlined()?.outlines;
        let mut parts =
            RingParts { rings: vec![0], polygons: vec![0], objects: vec![0], ..RingParts::default() };
        let mut polygon = 0;
        for object in 0..self.object_count {
            while outlines.objects().get(polygon).is_some_and(|&of| of as usize == object) {
                for ring in outlines.given_rings(polygon) {
                    parts.coordinates.extend(ring.iter().map(|vertex| vertex.to_array()));
                    parts.rings.push(parts.coordinates.len() as i64);
                }
                parts.polygons.push(parts.rings.len() as i64 - 1);
                parts.fill = parts.fill.or(outlines.fill(polygon));
                polygon += 1;
            }
            parts.objects.push(polygon as i64);
        }
        Some(parts)
    }

    /// Returns the columns of a static set, or `None` if the set has poses.
    #[doc(hidden)]
    #[must_use]
    pub fn parts(&self) -> Option<SetParts<'_>> {
        let set = self.made();
        set.is_static().then(|| SetParts {
            vertices: set.vertices.as_slice().into(),
            piece_offsets: set.shape_offsets.as_slice().into(),
            piece_objects: set.piece_objects.as_deref().map(Cow::Borrowed),
            internal_edges: set.internal_edges.as_deref().map(Cow::Borrowed),
            object_count: set.object_count,
        })
    }

    /// Builds a set from its columns. Checks every column, because the columns may come from a file.
    ///
    /// # Errors
    /// - [`Error::Column`] for an entry that does not fit the other columns.
    /// - The errors of [`ConvexPolygon::new`] for a piece that is not strictly convex, with the index of the piece.
    /// - [`Error::TooMany`] if there are too many items for 32-bit indices.
    #[doc(hidden)]
    pub fn from_parts(parts: SetParts<'_>) -> Result<Self> {
        let SetParts { vertices, piece_offsets, piece_objects, internal_edges, object_count } = parts;
        check_count("vertices", vertices.len())?;
        check_count("objects", object_count)?;
        let wrong = |column, index, value: usize, problem| {
            let value = value as i64;
            Error::Column { column, index, value, problem }
        };
        // Returns the index and the value of the first entry that is less than the entry before it.
        let descent = |entries: &[u32]| -> Option<(usize, usize)> {
            let index = entries.windows(2).position(|pair| pair[1] < pair[0])? + 1;
            Some((index, entries[index] as usize))
        };
        let piece_count = piece_offsets.len().saturating_sub(1);
        if let Some(&first) = piece_offsets.first().filter(|&&first| first != 0) {
            return Err(wrong("piece_offsets", 0, first as usize, "is not 0"));
        }
        if let Some((index, value)) = descent(&piece_offsets) {
            return Err(wrong("piece_offsets", index, value, "is less than the offset before it"));
        }
        let end = piece_offsets.last().map_or(0, |&end| end as usize);
        if end != vertices.len() {
            return Err(wrong("piece_offsets", piece_count, end, "is not the number of vertices"));
        }
        if piece_objects.is_none() && piece_count != object_count {
            let problem = "is the number of pieces, but there are more objects";
            return Err(wrong("piece_objects", 0, piece_count, problem));
        }
        if let Some(objects) = piece_objects.as_deref() {
            if objects.len() != piece_count {
                let problem = "is not the number of pieces";
                return Err(wrong("piece_objects", piece_count, objects.len(), problem));
            }
            if let Some((index, value)) = descent(objects) {
                return Err(wrong("piece_objects", index, value, "is less than the entry before it"));
            }
            if let Some(&last) = objects.last().filter(|&&last| last as usize >= object_count) {
                let problem = "exceeds the number of objects";
                return Err(wrong("piece_objects", piece_count - 1, last as usize, problem));
            }
        }
        if let Some(internal) = internal_edges.as_deref().filter(|internal| internal.len() != vertices.len())
        {
            let problem = "is not the number of vertices";
            return Err(wrong("internal_edges", vertices.len(), internal.len(), problem));
        }
        let checked = |piece: usize| -> Result<Aabb> {
            let ring = &vertices[piece_offsets[piece] as usize..piece_offsets[piece + 1] as usize];
            let polygon = ConvexPolygon::new(ring).map_err(|error| error.at_polygon(piece))?;
            if polygon.vertices() != ring {
                let problem = "starts a piece with vertices that are collinear, repeated or clockwise";
                return Err(wrong("piece_offsets", piece, piece_offsets[piece] as usize, problem));
            }
            Ok(polygon.aabb())
        };
        let boxes: Vec<Result<Aabb>> =
            (0..piece_count).into_par_iter().with_min_len(256).map(checked).collect();
        Ok(Self {
            shape_boxes: boxes.into_iter().collect::<Result<_>>()?,
            vertices: vertices.into_owned(),
            shape_offsets: piece_offsets.into_owned(),
            piece_objects: piece_objects.map(Cow::into_owned),
            internal_edges: internal_edges.map(Cow::into_owned),
            object_count,
            ..Self::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coordinates, PolygonColumns, PolygonObject, Pose};

    /// Returns a set of a square, an empty object, and an L of two pieces.
    fn set() -> Result<PolygonSet> {
        let square = [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]];
        let corner = [[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]]];
        let objects = [
            PolygonObject::from_polygon(&square)?,
            PolygonObject::empty(),
            PolygonObject::from_polygon(&corner)?,
        ];
        PolygonSet::from_objects(&objects)
    }

    #[test]
    fn a_set_equals_its_parts() -> Result<()> {
        for set in [set()?, PolygonSet::default(), PolygonSet::from_objects(&[PolygonObject::empty()])?] {
            let parts = set.parts().expect("no poses");
            let again = PolygonSet::from_parts(parts.clone())?;
            assert_eq!(again.parts().as_ref(), Some(&parts));
            assert_eq!(again.piece_aabbs(), set.piece_aabbs());
        }
        let mut posed = set()?;
        posed.set_poses(&[Pose::IDENTITY; 3])?;
        assert_eq!(posed.parts(), None);
        Ok(())
    }

    #[test]
    #[cfg(not(target_family = "wasm"))]
    fn a_set_of_outlines_equals_its_rings() -> Result<()> {
        // A bow tie, an empty object, and a square with a hole in the direction of its shell, beside a clockwise
        // triangle.
        let xy = [
            [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]].as_slice(),
            &[[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0]],
            &[[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]],
            &[[20.0, 0.0], [20.0, 1.0], [21.0, 0.0]],
        ]
        .concat();
        let (rings, polygons, objects) = ([0, 4, 8, 12, 15], [0, 1, 3, 4], [0, 1, 1, 3]);
        let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), rings.as_slice())
            .polygons(polygons.as_slice())
            .objects(objects.as_slice());
        for fill in [Fill::EvenOdd, Fill::NonZero] {
            let set = PolygonSet::from_columns(&columns.fill(fill))?;
            let parts = set.ring_parts().expect("the set has a rule");
            assert_eq!((parts.coordinates.as_slice(), parts.fill), (xy.as_slice(), Some(fill)));
            assert_eq!(
                (parts.rings, parts.polygons, parts.objects),
                (
                    rings.map(i64::from).to_vec(),
                    polygons.map(i64::from).to_vec(),
                    objects.map(i64::from).to_vec(),
                )
            );
        }
        assert_eq!(self::set()?.ring_parts(), None);
        Ok(())
    }

    #[test]
    fn damaged_parts_are_errors() -> Result<()> {
        let set = set()?;
        type Damage = fn(&mut SetParts<'_>);
        let damages: [Damage; 9] = [
            |parts| parts.object_count = 2,
            |parts| parts.piece_objects = Some(vec![0, 2, 1].into()),
            |parts| parts.piece_objects = Some(vec![0].into()),
            |parts| parts.piece_offsets.to_mut()[1] = 100,
            |parts| parts.piece_offsets.to_mut()[0] = 1,
            |parts| parts.vertices.to_mut().truncate(5),
            |parts| parts.vertices.to_mut().swap(1, 2),
            |parts| parts.vertices.to_mut()[0].x = f64::NAN,
            |parts| parts.internal_edges = Some(vec![true].into()),
        ];
        for (k, damage) in damages.iter().enumerate() {
            let mut parts = set.parts().expect("no poses");
            damage(&mut parts);
            assert!(PolygonSet::from_parts(parts).is_err(), "damage {k}");
        }
        Ok(())
    }
}
