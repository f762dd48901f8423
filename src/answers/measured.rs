//! Measurements of pairs of objects.

use crate::answers::distance::{Closest, Distance};

/// A measurement of two objects: the measurement of one pair of their pieces. The documentation of each query says
/// which pair of pieces is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeasuredPair<T> {
    /// Index of the object in the first set. In a self-join, the lower of the two indices. In a self-join with
    /// [`Nearest`](crate::Nearest), the index of the object whose nearest objects are listed.
    pub a: u32,
    /// Index of the object in the second set. In a self-join, the higher of the two indices. With
    /// [`Nearest`](crate::Nearest), the index of one of the nearest objects.
    pub b: u32,
    /// Index of the piece of A that was measured.
    pub piece_a: u32,
    /// Index of the piece of B that was measured.
    pub piece_b: u32,
    /// The measurement of the two pieces.
    pub measurement: T,
}

impl MeasuredPair<Distance> {
    /// Returns the pair with the roles of A and B exchanged.
    ///
    /// ```
    /// use sat2d::{Backend, Distances, Engine, PolygonSet};
    /// let square = |x: f64| vec![[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
    /// let left = PolygonSet::from_convex_rings(&[square(0.0)])?;
    /// let right = PolygonSet::from_convex_rings(&[square(9.0), square(3.0)])?;
    /// let pair = Engine::new(Backend::Cpu)?.join(&left, &right).within(2.0).query(Distances)?.items[0];
    /// assert_eq!((pair.a, pair.b, pair.measurement.distance), (0, 1, 2.0));
    /// let swapped = pair.swapped();
    /// assert_eq!((swapped.a, swapped.b, swapped.measurement.distance), (1, 0, 2.0));
    /// assert_eq!(swapped.measurement.closest.unwrap().point_a.x, 3.0);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[must_use]
    pub fn swapped(self) -> Self {
        let Distance { closest, .. } = self.measurement;
        let measurement = Distance { closest: closest.map(Closest::swapped), ..self.measurement };
        Self { a: self.b, b: self.a, piece_a: self.piece_b, piece_b: self.piece_a, measurement }
    }
}
