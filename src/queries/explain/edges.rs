//! Finds the edges that show the relation of two objects.

use glam::DVec2;

use crate::answers::results::Relation;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::PolygonSet;
use crate::geometry::outline::{Centre, LeafPairs, Single};
use crate::kernels::edges::{Evidence, relation_with_evidence};
use crate::queries::outline_join::EdgePairs;

/// The edges, or the vertex, that show the relation of two objects of which at least one keeps its edges. An object keeps its
/// edges if it is in a set of large concave polygons, or in a set with a [`Fill`](crate::Fill) rule.
///
/// ```
/// use sat2d::{Coordinates, EdgeExplanation, Fill, PolygonColumns, PolygonSet, Relation, glam::DVec2};
/// // A bow tie and a square over its centre.
/// let xy = [[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0], [1.5, 2.0], [2.5, 2.0], [2.5, 5.0], [1.5, 5.0]];
/// let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), [0, 4, 8].as_slice());
/// let set = PolygonSet::from_columns(&columns.fill(Fill::EvenOdd))?;
/// let found = EdgeExplanation::new(&set, 0, &set, 1)?.expect("the set keeps edges");
/// assert_eq!(found.relation, Relation::Overlapping);
/// assert_eq!(found.points, [DVec2::new(2.0, 2.0)]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EdgeExplanation {
    /// The exact relation of the two objects.
    pub relation: Relation,
    /// An edge of A and an edge of B that show the relation, each from its start to its end. `None` if the objects are
    /// disjoint, or if a vertex of one object in the interior of the other object shows the relation.
    pub edges: Option<[[DVec2; 2]; 2]>,
    /// The common points of the two edges in the caller's coordinates: their crossing, rounded to f64, or the ends of one
    /// edge on the other edge. If `edges` is `None` and the objects meet, the list has the vertex that is in the interior of
    /// the other object. If the objects are disjoint, the list is empty.
    pub points: Vec<DVec2>,
}

impl EdgeExplanation {
    /// Explains the relation of two objects: the object with index `object_a` in `a`, and the object with index `object_b` in `b`.
    /// `a` and `b` may be the same set. Returns `None` if neither set keeps edges, or if a set has poses.
    ///
    /// # Errors
    /// Returns [`Error::UnknownObject`] if a set has no object with the given index.
    pub fn new(a: &PolygonSet, object_a: usize, b: &PolygonSet, object_b: usize) -> Result<Option<Self>> {
        a.check_object(object_a)?;
        b.check_object(object_b)?;
        let Some(pairs) = EdgePairs::of([a, b]) else { return Ok(None) };
        let [side_a, side_b] = pairs.sides();
        let (mut leaf_pairs, mut singles) = (LeafPairs::default(), [Single::default(), Single::default()]);
        let [single_a, single_b] = &mut singles;
        let mut strongest = Self { relation: Relation::Disjoint, edges: None, points: Vec::new() };
        let mut near = Vec::new();
        side_a.near(object_a as u32, side_b.bounds_of(object_b as u32), |polygon| near.push(polygon));
        for polygon in near {
            let outline = side_a.outline(polygon, single_a);
            side_b.near(object_b as u32, side_a.box_of(polygon), |other| {
                if strongest.relation == Relation::Overlapping {
                    return;
                }
                let other = side_b.outline(other, single_b);
                let (relation, evidence) = relation_with_evidence(outline, other, &mut leaf_pairs);
                if relation <= strongest.relation {
                    return;
                }
                let (edges, points) = match evidence {
                    Evidence::Nothing => (None, Vec::new()),
                    Evidence::Vertex(vertex) => (None, vec![vertex]),
                    Evidence::Edges([e, f]) => {
                        let (e, f) = (outline.edge(e), other.edge(f));
                        let mut points: Vec<DVec2> = Vec::new();
                        for point in Centre::common_points(e, f).iter().map(Centre::rounded) {
                            if !points.contains(&point) {
                                points.push(point);
                            }
                        }
                        (Some([e, f]), points)
                    }
                };
                strongest = Self { relation, edges, points };
            });
        }
        Ok(Some(strongest))
    }
}
