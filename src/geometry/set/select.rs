//! Sets of some objects of another set.

use std::sync::{Arc, OnceLock};

use super::outlined::{Outlined, Pieces};
use super::{PolygonSet, check_count};
use crate::base::error::{Error, Result};

impl PolygonSet {
    /// Builds the set of the given objects. Object `i` of the result is object `objects[i]` of this set. An object may be
    /// named several times.
    ///
    /// The time depends on the sizes of the named objects, and only slightly on the size of this set. A query of few objects
    /// of a large set is therefore fast, once a [`BoxIndex`](crate::broad_phase::BoxIndex) has found these objects. If the
    /// set has poses, each piece of the result has a shape of its own. A selection of large concave polygons shares their
    /// outlines with the whole set, so the outlines of the whole set stay in memory.
    ///
    /// # Errors
    /// - [`Error::UnknownObject`] if the set has no object with a given index.
    /// - [`Error::TooMany`] if there are too many objects, pieces or vertices for 32-bit indices.
    ///
    /// ```
    /// use sat2d::PolygonSet;
    /// let square = |x: f64| vec![[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
    /// let squares = PolygonSet::from_convex_rings(&[square(0.0), square(5.0), square(9.0)])?;
    /// let some = squares.select(&[2, 0])?;
    /// assert_eq!(some.object_aabbs(), [squares.object_aabbs()[2], squares.object_aabbs()[0]]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn select(&self, objects: &[u32]) -> Result<Self> {
        objects.iter().try_for_each(|&object| self.check_object(object as usize))?;
        check_count("objects", objects.len())?;
        match &self.outlined {
            Some(outlined) => Ok(Self::of_outlines(Outlined {
                outlines: outlined.outlines.select(objects),
                object_count: objects.len(),
                pieces: OnceLock::new(),
                selection: Some(Selection { whole: outlined.clone(), objects: objects.to_vec() }),
            })),
            None => self.select_pieces(objects),
        }
    }

    /// Returns [`Error::UnknownObject`] if the set has no object with the given index.
    pub(crate) fn check_object(&self, index: usize) -> Result<()> {
        let count = self.object_count;
        if index < count { Ok(()) } else { Err(Error::UnknownObject { index, count }) }
    }

    /// Builds the set of the given objects, whose indices must be valid, from the pieces of this set. Returns
    /// [`Error::TooMany`] if there are too many pieces or vertices.
    pub(super) fn select_pieces(&self, objects: &[u32]) -> Result<Self> {
        let mut set = Self { shape_offsets: vec![0], object_count: objects.len(), ..Self::default() };
        let (mut piece_objects, mut internal) = (Vec::with_capacity(objects.len()), Vec::new());
        for (index, &object) in (0u32..).zip(objects) {
            for piece in self.object_pieces(object as usize) {
                set.vertices.extend_from_slice(self.piece_vertices(piece));
                check_count("vertices", set.vertices.len())?;
                set.shape_offsets.push(set.vertices.len() as u32);
                set.shape_boxes.push(self.shape_aabb(self.piece_shape(piece)));
                set.poses.extend(self.poses.get(piece));
                piece_objects.push(index);
                internal.extend(self.internal_edges(piece).into_iter().flatten());
            }
        }
        check_count("pieces", piece_objects.len())?;
        let are_objects = piece_objects.len() == objects.len() && piece_objects.is_sorted_by(|a, b| a < b);
        set.piece_objects = (!are_objects).then_some(piece_objects);
        set.internal_edges = internal.contains(&true).then_some(internal);
        Ok(set)
    }
}

impl PolygonSet {
    /// Groups the pieces of a set without outlines into `count` objects. `objects` has the object of each piece, sorted.
    /// Returns [`Error::TooMany`] if there are too many objects.
    pub(in crate::geometry) fn group(&mut self, objects: Vec<u32>, count: usize) -> Result<()> {
        check_count("objects", count)?;
        let are_pieces = objects.len() == count && objects.is_sorted_by(|a, b| a < b);
        self.piece_objects = (!are_pieces).then_some(objects);
        self.object_count = count;
        Ok(())
    }
}

/// The objects of a selection, and the set that they were selected from.
#[derive(Debug)]
pub(super) struct Selection {
    whole: Arc<Outlined>,
    objects: Vec<u32>,
}

impl Selection {
    /// Returns the pieces of the selected objects from the pieces of the whole set. Returns `None` if the whole set has no
    /// pieces yet, or if one of its polygons was not split.
    pub(super) fn pieces(&self) -> Option<Pieces> {
        let pieces = self.whole.pieces.get().filter(|pieces| pieces.failure.is_none())?;
        let set = pieces.set.select_pieces(&self.objects).ok()?;
        Some(Pieces { set, displacement: pieces.displacement, failure: None })
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::{
        Aabb, Backend, Containments, Coordinates, Distances, Engine, Fill, PolygonColumns, PolygonObject,
        Pose, Relations,
    };

    /// Returns a star with 5 points, or a comb with a hole, as the rings of a polygon.
    fn rings(kind: usize, [x, y]: [f64; 2]) -> Vec<Vec<[f64; 2]>> {
        let at = |points: &[[f64; 2]]| points.iter().map(|p| [x + p[0], y + p[1]]).collect();
        if kind == 0 {
            let star = (0..5).map(|k| {
                let (s, c) = (f64::from(k) * 0.8 * std::f64::consts::PI).sin_cos();
                [2.0 * c, 2.0 * s]
            });
            return vec![at(&star.collect::<Vec<_>>())];
        }
        let comb = [
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 3.0],
            [3.5, 3.0],
            [3.5, 1.0],
            [3.0, 1.0],
            [3.0, 3.0],
            [2.0, 3.0],
            [2.0, 1.0],
            [1.5, 1.0],
            [1.5, 3.0],
            [0.0, 3.0],
        ];
        let hole = [[0.25, 0.25], [0.25, 0.75], [1.25, 0.75], [1.25, 0.25]];
        vec![at(&comb), at(&hole)]
    }

    /// Returns sets of each kind: of pieces, of convex polygons, with poses, and of outlines, some of them crossed.
    fn sets() -> Vec<PolygonSet> {
        let place = |k: usize| [(k * 7 % 12) as f64 * 1.7, (k * 5 % 9) as f64 * 1.3];
        let mut columns = (Vec::new(), vec![0i64], vec![0i64], vec![0i64]);
        let mut objects = Vec::new();
        for k in 0..40 {
            let multi = if k % 9 == 4 { 0 } else { 1 + usize::from(k % 7 == 2) };
            let mut object = PolygonObject::empty();
            for part in 0..multi {
                let [x, y] = place(k);
                let rings = rings(if part == 1 { 1 } else { k % 2 }, [x, y + 6.0 * part as f64]);
                for ring in &rings {
                    columns.0.extend_from_slice(ring);
                    columns.1.push(columns.0.len() as i64);
                }
                columns.2.push(columns.1.len() as i64 - 1);
                let rings: Vec<Vec<DVec2>> =
                    rings.iter().map(|ring| ring.iter().map(|&vertex| vertex.into()).collect()).collect();
                object.append(PolygonObject::from_filled(&rings, Fill::NonZero).unwrap().0);
            }
            columns.3.push(columns.2.len() as i64 - 1);
            objects.push(object);
        }
        let outlines = PolygonColumns::new(Coordinates::Interleaved(&columns.0), columns.1.as_slice())
            .polygons(columns.2.as_slice())
            .objects(columns.3.as_slice())
            .fill(Fill::NonZero);
        let outlined = || PolygonSet::from_columns(&outlines).unwrap();
        let with_pieces = outlined();
        with_pieces.check_pieces().unwrap();
        let pieces = PolygonSet::from_objects(&objects).unwrap();
        let convex: Vec<Vec<[f64; 2]>> = (0..40)
            .map(|k| {
                let [x, y] = place(k);
                vec![[x, y], [x + 2.0, y], [x + 2.5, y + 1.0], [x, y + 2.0]]
            })
            .collect();
        let convex = PolygonSet::from_convex_rings(&convex).unwrap();
        let mut posed = pieces.clone();
        // Each object rotates about its place.
        let pose = |k: usize| {
            let ([x, y], angle) = (place(k), 0.1 * k as f64);
            let (s, c) = angle.sin_cos();
            Pose::new(angle, [x - (c * x - s * y), y - (s * x + c * y)]).unwrap()
        };
        posed.set_poses(&(0..40).map(pose).collect::<Vec<_>>()).unwrap();
        vec![pieces, convex, posed, outlined(), with_pieces]
    }

    #[test]
    fn a_selection_answers_as_its_objects_do() {
        let engine = Engine::new(Backend::Cpu).unwrap();
        let selected: Vec<u32> = vec![31, 4, 5, 17, 5, 2, 39, 0];
        for (number, set) in sets().iter().enumerate() {
            let other = &sets()[1];
            let some = set.select(&selected).unwrap();
            let boxes = set.object_aabbs();
            let expected: Vec<Aabb> = selected.iter().map(|&object| boxes[object as usize]).collect();
            assert_eq!(some.object_aabbs(), expected, "{number}");
            let expect = |whole: Vec<(u32, u32, String)>| {
                let mut expected = Vec::new();
                for (index, &object) in (0u32..).zip(&selected) {
                    let of_object = whole.iter().filter(|(a, ..)| *a == object);
                    expected.extend(of_object.map(|(_, b, answer)| (index, *b, answer.clone())));
                }
                expected
            };
            let related = |set: &PolygonSet| -> Vec<(u32, u32, String)> {
                let found = engine.join(set, other).query(Relations).unwrap();
                found.iter().map(|pair| (pair.a, pair.b, format!("{:?}", pair.relation))).collect()
            };
            let contained = |set: &PolygonSet| -> Vec<(u32, u32, String)> {
                let found = engine.join(set, other).query(Containments).unwrap();
                found.iter().map(|pair| (pair.a, pair.b, format!("{:?}", pair.containment))).collect()
            };
            let distant = |set: &PolygonSet| -> Vec<(u32, u32, String)> {
                let found = engine.join(set, other).within(1.5).query(Distances).unwrap();
                found
                    .iter()
                    .map(|pair| (pair.a, pair.b, format!("{:?}", pair.measurement.distance)))
                    .collect()
            };
            let count = expect(related(set)).len();
            assert!(count >= 10, "{number}: {count} pairs are too few for this test");
            assert_eq!(related(&some), expect(related(set)), "{number}");
            assert_eq!(distant(&some), expect(distant(set)), "{number}");
            if set.is_static() {
                assert_eq!(contained(&some), expect(contained(set)), "{number}");
            }
            let crossed: Vec<u32> = (0u32..)
                .zip(&selected)
                .filter(|(_, object)| set.crossed_objects().contains(object))
                .map(|(index, _)| index)
                .collect();
            assert_eq!(some.crossed_objects(), crossed, "{number}");
            assert_eq!(some.ring_parts().is_some(), set.ring_parts().is_some(), "{number}");
            // A selection of a selection is a selection, too.
            let again = some.select(&[3, 0]).unwrap();
            assert_eq!(again.object_aabbs(), [expected[3], expected[0]], "{number}");
        }
    }

    #[test]
    fn unknown_objects_are_errors() {
        for set in sets() {
            let error = set.select(&[3, 40]).unwrap_err();
            assert!(matches!(error, Error::UnknownObject { index: 40, count: 40 }), "{error}");
            assert_eq!(set.select(&[]).unwrap().object_count(), 0);
        }
    }
}
