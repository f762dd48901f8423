//! Areas of the intersections of pairs.

/// A measurement of two whole objects.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeasuredObjects<T> {
    /// Index of the object in the first set. In a self-join, the lower of the two indices.
    pub a: u32,
    /// Index of the object in the second set. In a self-join, the higher of the two indices.
    pub b: u32,
    /// The measurement of the two objects.
    pub measurement: T,
}

/// The thresholds of an area query. A kernel may leave out a pair whose common area is below `area`, or whose intersection
/// over union is below `iou`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LeastAreas {
    /// The threshold on the common area of a pair, in the square of the caller's unit.
    pub(crate) area: f64,
    /// The threshold on the intersection over union of a pair.
    pub(crate) iou: f64,
}

/// The area that two regions have in common, and its fraction of the area of their union. Areas are in the square of the
/// caller's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Overlap {
    /// The area that A and B have in common. The area is above 0 if and only if A and B overlap, and at most the area of
    /// A and the area of B. The error is at most [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) (2^-44) times the area
    /// of the smaller of the bounding boxes of A and B.
    pub area: f64,
    /// Intersection over union: `area` divided by the area of the union, from 0 to 1. The value is 1 if and only if A and
    /// B are the same region, and above 0 if and only if A and B overlap. The error is at most 2^-42, unless the polygons of
    /// an object overlap each other ([`IntersectionArea`](crate::IntersectionArea)).
    pub iou: f64,
    /// The area of A, or 0 if A has no region. The relative error is less than 2^-51, unless the polygons of A overlap each
    /// other.
    pub area_a: f64,
    /// The area of B, or 0 if B has no region. The relative error is less than 2^-51, unless the polygons of B overlap each
    /// other.
    pub area_b: f64,
}

impl Overlap {
    /// Returns the areas with the roles of A and B exchanged.
    ///
    /// ```
    /// use sat2d::Overlap;
    ///
    /// let overlap = Overlap { area: 1.0, iou: 0.2, area_a: 2.0, area_b: 4.0 };
    /// assert_eq!(overlap.swapped(), Overlap { area_a: 4.0, area_b: 2.0, ..overlap });
    /// ```
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { area_a: self.area_b, area_b: self.area_a, ..self }
    }

    /// Returns the part of A that B covers: the common area divided by the area of A, from 0 to 1. Returns NaN if the area of A
    /// is 0.
    #[must_use]
    pub fn part_of_a(&self) -> f64 {
        self.area / self.area_a
    }

    /// Returns the part of B that A covers: the common area divided by the area of B, from 0 to 1. Returns NaN if the area of B
    /// is 0.
    #[must_use]
    pub fn part_of_b(&self) -> f64 {
        self.area / self.area_b
    }
}
