//! Containment of given pairs, and of all pairs of one set or two.

use super::Engine;
use crate::answers::containment::{ContainmentJoin, Containments};
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::PolygonSet;
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;
use crate::queries::options::Progress;

impl Engine {
    /// Decides for each given pair of objects which object covers the other. `pairs[i]` is the index of an object of
    /// `a` and the index of an object of `b`. The two objects may be near each other or far apart.
    ///
    /// # Errors
    /// - [`Error::UnknownObject`] if an index names an object that does not exist.
    /// - [`Error::TooMany`] if the two sets together have too many items for 32-bit indices.
    /// - On a GPU, an error of the device, such as [`Error::DeviceLost`].
    ///
    /// ```
    /// use sat2d::{Backend, Containment, Engine, PolygonObject, PolygonSet};
    ///
    /// let square = |x: f64, side: f64| [[x, 0.0], [x + side, 0.0], [x + side, side], [x, side]];
    /// // Two squares that share an edge, and one that lies across it: neither covers it alone.
    /// let two = PolygonObject::from_multi_polygon(&[[square(0.0, 2.0)], [square(2.0, 2.0)]])?;
    /// let across = PolygonObject::from_polygon(&[square(1.0, 2.0)])?;
    /// let set = PolygonSet::from_objects(&[two, across])?;
    /// let found = Engine::new(Backend::Cpu)?.containments(&set, &set, &[[0, 1], [1, 0], [0, 0]])?;
    /// assert_eq!(found.containments, [Containment::Covers, Containment::CoveredBy, Containment::Equal]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn containments(&self, a: &PolygonSet, b: &PolygonSet, pairs: &[[u32; 2]]) -> Result<Containments> {
        block_on(self.containments_async(a, b, pairs))
    }

    /// Finds the pairs of objects of one set in which one object covers the other. The result has each pair once, with
    /// `a < b`, sorted by `a`, then `b`.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`] if the set has too many items for 32-bit indices. Returns [`Error::OutOfMemory`] if
    /// the pairs found do not fit in memory. On a GPU, may return an error of the device, such as
    /// [`Error::DeviceLost`].
    #[cfg(not(target_family = "wasm"))]
    pub fn containment_self_join(
        &self,
        set: &PolygonSet,
        progress: Option<&dyn Progress>,
    ) -> Result<ContainmentJoin> {
        block_on(self.containment_join_async(set, None, progress))
    }

    /// Finds the pairs of an object of `a` and an object of `b` in which one object covers the other. The pairs are
    /// sorted by `a`, then `b`.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::containment_self_join`].
    ///
    /// ```
    /// use sat2d::{Backend, Containment, Engine, PolygonSet};
    ///
    /// let square = |x: f64, side: f64| [[x, 0.0], [x + side, 0.0], [x + side, side], [x, side]];
    /// let parcels = PolygonSet::from_convex_rings(&[square(0.0, 4.0), square(4.0, 4.0)])?;
    /// let houses = PolygonSet::from_convex_rings(&[square(1.0, 1.0), square(3.5, 1.0), square(7.0, 1.0)])?;
    /// let found = Engine::new(Backend::Cpu)?.containment_join(&parcels, &houses, None)?;
    /// // The second house lies across the border.
    /// assert_eq!(found.join.pairs.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>(), [(0, 0), (1, 2)]);
    /// assert_eq!(found.containments, [Containment::Covers, Containment::Covers]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn containment_join(
        &self,
        a: &PolygonSet,
        b: &PolygonSet,
        progress: Option<&dyn Progress>,
    ) -> Result<ContainmentJoin> {
        block_on(self.containment_join_async(a, Some(b), progress))
    }

    /// Async form of [`Engine::containments`]. On native targets, polling the future blocks the calling thread while
    /// the device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::containments`].
    pub async fn containments_async(
        &self,
        a: &PolygonSet,
        b: &PolygonSet,
        pairs: &[[u32; 2]],
    ) -> Result<Containments> {
        self.backends.containments(a, b, pairs).await
    }

    /// Async form of [`Engine::containment_join`], or of [`Engine::containment_self_join`] if `other` is `None`. On
    /// native targets, polling the future blocks the calling thread while the device or the thread pool works. Poll the
    /// future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::containment_self_join`].
    pub async fn containment_join_async(
        &self,
        a: &PolygonSet,
        other: Option<&PolygonSet>,
        progress: Option<&dyn Progress>,
    ) -> Result<ContainmentJoin> {
        self.backends.containment_join(a, other, progress).await
    }
}
