//! The data of a pair, shared by the writers of all formats.

use sat2d::glam::DVec2;

use super::IdRef;
use super::text::{push_integer, push_number};
use sat2d::{Closest, Containment, Manifold, Overlap, Penetration, PointRelation, Relation};

/// One row of output: the ids, the relation and the measurements of a pair.
///
/// A writer writes the fields that its [`Column`]s select. A field with the value `None` is an empty field in CSV, and
/// `null` in JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairRow<'a> {
    /// The id of the feature A of the pair.
    pub a: IdRef<'a>,
    /// The id of the feature B of the pair.
    pub b: IdRef<'a>,
    /// The name of the relation of A and B. If one of them is a point, the name says where the point lies.
    pub relation: &'static str,
    /// The position of the point of the pair, or `None` if neither A nor B is a point.
    pub point: Option<DVec2>,
    /// The containment: which of A and B covers the other. `None` if the containment was not computed.
    pub containment: Option<Containment>,
    /// The distance of A and B, in the unit of the coordinates. The distance is 0 if A and B meet. `None` if the
    /// distance was not computed.
    pub distance: Option<f64>,
    /// The closest points of A and B. `None` if A and B meet, or if the closest points were not computed.
    pub closest: Option<Closest>,
    /// The penetration of A and B. `None` if A and B are apart, or if the penetration was not computed.
    pub penetration: Option<Penetration>,
    /// The contact manifold of A and B. `None` if A and B have no contact points, or if the manifold was not computed.
    pub manifold: Option<Manifold>,
    /// The areas of A and B, the area that they have in common, and their intersection over union. `None` if the areas
    /// were not computed.
    pub overlap: Option<Overlap>,
    /// The number of pairs that A is in. `None` if the pairs were not counted.
    pub count: Option<usize>,
}

impl<'a> PairRow<'a> {
    /// Returns a row for a pair of polygons, without measurements.
    #[must_use]
    pub fn new(a: impl Into<IdRef<'a>>, b: impl Into<IdRef<'a>>, relation: Relation) -> Self {
        Self::named(a.into(), b.into(), relation.name())
    }

    /// Returns a row for a point A and a polygon B, without measurements. `point` is the position of A. For a polygon A and a
    /// point B, call [`PairRow::swapped`] on this row.
    #[must_use]
    pub fn of_point(
        a: impl Into<IdRef<'a>>,
        b: impl Into<IdRef<'a>>,
        relation: PointRelation,
        point: DVec2,
    ) -> Self {
        Self { point: Some(point), ..Self::named(a.into(), b.into(), relation.name()) }
    }

    /// Returns the row with the roles of A and B exchanged. The relation and the count stay as they are.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            containment: self.containment.map(Containment::swapped),
            closest: self.closest.map(Closest::swapped),
            penetration: self.penetration.map(Penetration::swapped),
            manifold: self.manifold.map(Manifold::swapped),
            overlap: self.overlap.map(Overlap::swapped),
            ..self
        }
    }

    fn named(a: IdRef<'a>, b: IdRef<'a>, relation: &'static str) -> Self {
        Self {
            a,
            b,
            relation,
            point: None,
            containment: None,
            distance: None,
            closest: None,
            penetration: None,
            manifold: None,
            overlap: None,
            count: None,
        }
    }
}

/// A measurement or containment that a writer adds to each pair, after the ids and the relation. A column has one or
/// more fields in CSV and in the properties of GeoJSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Column {
    /// The field `containment`: which of A and B covers the other.
    Containment,
    /// The field `distance`: the distance of A and B.
    Distance,
    /// The fields `ax`, `ay`, `bx`, `by`: the closest point of A and the closest point of B.
    Closest,
    /// The fields `depth`, `normal_x`, `normal_y`: the length of the least translation that separates A and B, and the
    /// unit vector from A to B. If B moves along the unit vector by the depth, B no longer overlaps A.
    Penetration,
    /// The fields `contacts`, `x1`, `y1`, `separation1`, `x2`, `y2`, `separation2`: the number of contact points, and
    /// the position and the gap of each contact point. A gap is negative if A and B overlap at the contact point.
    Manifold,
    /// The field `area`: the area that A and B have in common, in the square of the unit of the coordinates.
    Area,
    /// The field `iou`: the intersection over union of A and B.
    Iou,
    /// The field `area_a`: the area of A.
    AreaA,
    /// The field `area_b`: the area of B.
    AreaB,
    /// The field `count`: the number of pairs that A is in. If this is the only column, a row has only the fields `a`
    /// and `count`.
    Count,
}

/// Returns true if a row has only the id of A and the count of its pairs, because [`Column::Count`] is the only
/// column.
pub(super) fn are_counts(columns: &[Column]) -> bool {
    columns == [Column::Count]
}

/// The largest number of fields that a [`Column`] has.
const FIELDS: usize = 7;

impl Column {
    /// Returns the names of the column's fields.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Containment => &["containment"],
            Self::Distance => &["distance"],
            Self::Closest => &["ax", "ay", "bx", "by"],
            Self::Penetration => &["depth", "normal_x", "normal_y"],
            Self::Area => &["area"],
            Self::Iou => &["iou"],
            Self::AreaA => &["area_a"],
            Self::AreaB => &["area_b"],
            Self::Count => &["count"],
            Self::Manifold => &["contacts", "x1", "y1", "separation1", "x2", "y2", "separation2"],
        }
    }

    /// Returns the fields of the column in `row`, one for each name in [`Column::names`].
    pub(super) fn fields(self, row: &PairRow<'_>) -> impl Iterator<Item = Field> {
        let mut fields = [Field::Empty; FIELDS];
        let mut put = |start: usize, numbers: &[f64]| {
            for (field, &number) in fields[start..].iter_mut().zip(numbers) {
                *field = Field::Number(number);
            }
        };
        match self {
            Self::Containment => {
                fields[0] = row.containment.map_or(Field::Empty, |known| Field::Word(known.name()));
            }
            Self::Distance => row.distance.iter().for_each(|&distance| put(0, &[distance])),
            Self::Closest => {
                row.closest.iter().for_each(|c| put(0, &[c.point_a.x, c.point_a.y, c.point_b.x, c.point_b.y]))
            }
            Self::Penetration => {
                row.penetration.iter().for_each(|p| put(0, &[p.depth(), p.normal.x, p.normal.y]));
            }
            Self::Area => row.overlap.iter().for_each(|overlap| put(0, &[overlap.area])),
            Self::Iou => row.overlap.iter().for_each(|overlap| put(0, &[overlap.iou])),
            Self::AreaA => row.overlap.iter().for_each(|overlap| put(0, &[overlap.area_a])),
            Self::AreaB => row.overlap.iter().for_each(|overlap| put(0, &[overlap.area_b])),
            Self::Count => fields[0] = row.count.map_or(Field::Empty, Field::Count),
            Self::Manifold => {
                let points = row.manifold.as_ref().map_or(&[][..], Manifold::points);
                for (k, point) in points.iter().enumerate() {
                    put(1 + 3 * k, &[point.position.x, point.position.y, point.separation]);
                }
                fields[0] = if points.is_empty() { Field::Empty } else { Field::Count(points.len()) };
            }
        }
        fields.into_iter().take(self.names().len())
    }
}

/// The value of one field in an output row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    Empty,
    Word(&'static str),
    Count(usize),
    Number(f64),
}

impl Field {
    /// Appends the value to a text: a word unchanged, or a number in the format of JSON.
    pub(super) fn push(self, text: &mut Vec<u8>) {
        match self {
            Self::Empty => {}
            Self::Word(word) => text.extend_from_slice(word.as_bytes()),
            Self::Count(count) => push_integer(text, count),
            Self::Number(number) => push_number(text, number),
        }
    }
}
