//! Decides the exact relation of two objects after a translation.

use std::ops::Range;

use glam::DVec2;

use crate::answers::results::Relation;
use crate::base::error::Result;
use crate::broad_phase;
use crate::geometry::posed_image::{UNIT_BITS, posed_image, scaled};
use crate::geometry::{Aabb, Piece, PolygonSet, Pose};
use crate::kernels::cpu::{exact, reference};

type Side<'a> = (&'a PolygonSet, Range<usize>);

/// The pieces of two objects, of which the first object moves.
pub(super) struct Moved<'a> {
    a: Side<'a>,
    b: Side<'a>,
    boxes_a: Vec<Aabb>,
    boxes_b: Vec<Aabb>,
}

impl<'a> Moved<'a> {
    pub(super) fn new(a: Side<'a>, b: Side<'a>) -> Self {
        let boxes = |(set, range): &Side<'_>| range.clone().map(|piece| set.piece_aabb(piece)).collect();
        Self { boxes_a: boxes(&a), boxes_b: boxes(&b), a, b }
    }

    /// Returns whether the world coordinates of vertices are rounded, because a set has poses.
    pub(super) fn is_rounded(&self) -> bool {
        [&self.a, &self.b].into_iter().any(|(set, _)| !set.is_static())
    }

    /// Returns the greatest magnitude of a coordinate of either object.
    pub(super) fn magnitude(&self) -> f64 {
        let boxes = self.boxes_a.iter().chain(&self.boxes_b);
        boxes.map(|aabb| aabb.min.abs().max(aabb.max.abs()).max_element()).fold(0.0, f64::max)
    }

    /// Returns the relation of A and B after A moves by `way`, or the error of the broad phase. If no pose can represent `way`, the
    /// relation is `Overlapping`.
    pub(super) fn after(&self, way: DVec2) -> Result<Relation> {
        let Ok(pose) = Pose::from_translation(way) else { return Ok(Relation::Overlapping) };
        // The boxes are enlarged by more than the rounding error of the sums.
        let moved = |aabb: &Aabb| {
            let [min, max] = [aabb.min + way, aabb.max + way];
            Aabb {
                min: DVec2::new(min.x.next_down(), min.y.next_down()),
                max: DVec2::new(max.x.next_up(), max.y.next_up()),
            }
        };
        let boxes: Vec<Aabb> = self.boxes_a.iter().map(moved).collect();
        let mut pairs = broad_phase::join(&boxes, &self.boxes_b)?;
        let (mut strongest, mut chunk) = (Relation::Disjoint, Vec::new());
        while pairs.next_chunk(CHUNK, &mut chunk) {
            for &[i, j] in &chunk {
                let a = self.a.0.piece(self.a.1.start + i as usize);
                let b = self.b.0.piece(self.b.1.start + j as usize);
                strongest = strongest.max(relation(a, pose, b));
                if strongest == Relation::Overlapping {
                    return Ok(strongest);
                }
            }
        }
        Ok(strongest)
    }
}

/// The number of candidate pairs of pieces that are tested at a time.
const CHUNK: usize = 4096;

/// Returns the relation of two pieces after `a` moves by the translation `way`.
fn relation(a: Piece<'_>, way: Pose, b: Piece<'_>) -> Relation {
    if a.pose == Pose::IDENTITY {
        return exact::relation(Piece { pose: way, ..a }, b);
    }
    if way == Pose::IDENTITY {
        return exact::relation(a, b);
    }
    // The sum of two translations may have more bits than f64, so the vertices are moved exactly.
    let by = way.translation().to_array().map(|t| scaled(t, UNIT_BITS));
    let mut image = posed_image(a);
    for vertex in &mut image {
        for (coordinate, by) in vertex.iter_mut().zip(&by) {
            *coordinate += by;
        }
    }
    reference::relation_of_images(&image, &posed_image(b))
}
