//! Relations and containment of rounded shapes.

use super::Engine;
use crate::answers::containment::Containment;
use crate::answers::measured::Answers;
use crate::answers::results::Relation;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::{Rounded, Shapes};
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;
use crate::queries::shape_containments::shape_containments;

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
        self.backends.shape_relations([Rounded::of(a), Rounded::of(b)], pairs).await
    }

    /// Decides for each given pair of shapes whether one shape covers the other. `pairs[i]` is the index of a piece of
    /// `a` and the index of a piece of `b`. The query computes in f64, on the CPU. A shape also counts as covered if it
    /// extends beyond the other shape by at most 2^-40 times the size of the pair.
    ///
    /// A covers B if A contains every point of B's border. Let r be the radius of A, and q the radius of B. The core of
    /// a shape is a point, a segment or a convex polygon. The shape consists of all points within the radius of its
    /// core.
    ///
    /// - If r is at least q, A covers B if and only if every vertex of B's core is at most r - q away from A's core.
    /// - Otherwise, A covers B if and only if every vertex of B's core lies inside A's core, at least q - r away from
    ///   the line of every edge of A's core. The points of A's core that are at least q - r away from these lines form
    ///   a convex polygon, so it is enough to test the vertices of B's core.
    ///
    /// # Errors
    /// [`Error::UnknownPolygon`] if an index names a piece that does not exist.
    ///
    /// ```
    /// use sat2d::{Backend, Containment, Engine, RoundedSet, RoundedShape};
    ///
    /// let shapes = RoundedSet::new(&[
    ///     RoundedShape::circle([0.0, 0.0], 3.0)?,
    ///     RoundedShape::capsule([-1.0, 0.0], [1.0, 0.0], 2.0)?,
    ///     RoundedShape::circle([2.5, 0.0], 1.0)?,
    /// ])?;
    /// let found = Engine::new(Backend::Cpu)?.shape_containments(&shapes, &shapes, &[[0, 1], [0, 2], [2, 2]])?;
    /// assert_eq!(found, [Containment::Covers, Containment::Neither, Containment::Equal]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn shape_containments<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
    ) -> Result<Vec<Containment>> {
        shape_containments([Rounded::of(a), Rounded::of(b)], pairs)
    }
}
