//! Relations of rounded shapes, from measured gaps.

use super::{Answers, Penetrations};
use crate::Engine;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::geometry::{Rounded, Shapes};
#[cfg(not(target_family = "wasm"))]
use crate::join::block_on;
use crate::narrow_phase::cpu::exact;
use crate::narrow_phase::figures::size_of_pair;
use crate::results::Relation;

/// Rounded shapes that are no farther apart, nor deeper in each other, than this part of the pair's size touch. 2^-40.
const TOUCHING: f64 = 1.0 / (1u64 << 40) as f64;

impl Engine {
    /// Decides the relation of each given pair of shapes. `pairs[i]` is the index of a piece of `a` and the index of a
    /// piece of `b`. The relation of two polygons is exact. If one of the two shapes is a rounded shape, a point or a
    /// segment, the gap or the depth is computed in f64. The pair is then touching if the gap or the depth is at most
    /// 2^-40 times the size of the pair. Points, and segments of radius 0, have no interior. If a shape contains a
    /// point or a segment of radius 0, the relation is therefore touching.
    ///
    /// # Errors
    /// - [`Error::UnknownPolygon`] if an index names a piece that does not exist.
    /// - [`Error::TooMany`] if the two sets together have too many items for 32-bit indices.
    /// - On a GPU, an error of the device, such as [`Error::DeviceLost`].
    ///
    /// ```
    /// use sat2d::{Backend, Engine, PolygonSet, Relation, RoundedSet, RoundedShape};
    ///
    /// let wall = PolygonSet::from_convex_rings(&[[[2.0, -5.0], [3.0, -5.0], [3.0, 5.0], [2.0, 5.0]]])?;
    /// let balls = RoundedSet::new(&[
    ///     RoundedShape::circle([0.0, 0.0], 1.5)?,
    ///     RoundedShape::circle([0.0, 0.0], 2.0)?,
    ///     RoundedShape::capsule([0.0, 0.0], [0.0, 9.0], 2.5)?,
    /// ])?;
    /// let pairs = [[0, 0], [1, 0], [2, 0]];
    /// let found = Engine::new(Backend::Cpu)?.shape_relations(&balls, &wall, &pairs)?;
    /// assert_eq!(found.figures, [Relation::Disjoint, Relation::Touching, Relation::Overlapping]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn shape_relations<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
    ) -> Result<Answers<Relation>> {
        block_on(self.shape_relations_async(a, b, pairs))
    }

    /// Async form of [`Engine::shape_relations`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::shape_relations`].
    pub async fn shape_relations_async<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
    ) -> Result<Answers<Relation>> {
        let sides = [Rounded::of(a), Rounded::of(b)];
        let found = self.figures(Penetrations, sides, pairs).await?;
        let relation = |(&[i, j], separation): (&[u32; 2], f64)| {
            let sides = [(sides[0], i as usize), (sides[1], j as usize)];
            let has_interior = sides.map(|(side, i)| side.radius(i) > 0.0 || is_polygon(side, i));
            if sides.iter().all(|&(side, i)| side.radius(i) == 0.0 && is_polygon(side, i)) {
                let [a, b] = sides.map(|(side, i)| side.cores.piece(i));
                return exact::relation(a, b);
            }
            let radii = sides.map(|(side, i)| side.radius(i));
            let size = size_of_pair(sides.map(|(side, i)| side.cores.piece_aabb(i)));
            let touching = TOUCHING * (size + radii[0] + radii[1]);
            if separation > touching {
                Relation::Disjoint
            } else if separation >= -touching || has_interior.contains(&false) {
                Relation::Touching
            } else {
                Relation::Overlapping
            }
        };
        let separations = found.figures.iter().map(|figure| figure.separation);
        let relations = pairs.iter().zip(separations).map(relation).collect();
        Ok(Answers { figures: relations, choice: found.choice, refined: found.refined, time: found.time })
    }
}

fn is_polygon(side: Rounded<'_>, piece: usize) -> bool {
    side.cores.piece_vertices(piece).len() > 2
}
