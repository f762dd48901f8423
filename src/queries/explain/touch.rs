//! Finds a translation after which two objects touch.

use std::slice;

use glam::DVec2;

use super::objects::share;
use super::{Explanation, ObjectExplanation, dyadic};
use crate::answers::results::Relation;
use crate::base::error::{Error, Result};
use crate::geometry::predicates::exact_sum;
use crate::geometry::{Aabb, PolygonObject, PolygonSet};

/// A search makes at most this many moves. Two convex polygons need one or two moves. Objects of several pieces may
/// need many.
const MOST_MOVES: usize = 64;
/// The number of moves after which the search stops making small moves. It then moves the object out of the bounding box of the
/// other object.
const OUT: usize = 16;

impl PolygonObject {
    /// Returns a translation that moves this object into contact with `other`. The relation is then exactly
    /// [`Relation::Touching`], and no moved vertex is rounded.
    ///
    /// If the objects are apart, the search takes the shortest translation after which the objects touch. If the
    /// objects overlap, this object moves along the axis of least overlap of two overlapping pieces. The search repeats
    /// such moves until no pieces overlap. If these moves do not end, the search first moves this object out of the
    /// bounding box of `other`. The search then moves this object back until the objects touch. In all cases, the
    /// search may shift the point of contact along an edge, so that no moved vertex is rounded. If the vertices have
    /// few significant bits, the shift is at most 2^-25 of the length of the edge. Otherwise the shift may be larger.
    /// The result is `None` if the search finds no translation after which the objects touch exactly. If the vertices
    /// use all bits of f64, there may be no exact translation.
    ///
    /// # Errors
    /// Returns [`Error::NoRegion`] if one of the objects is empty. The index in the error is 0 for this object, and 1
    /// for `other`.
    ///
    /// ```
    /// use sat2d::{PolygonObject, glam::DVec2};
    /// let square = PolygonObject::from_polygon(&[[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]])?;
    /// let triangle = PolygonObject::from_polygon(&[[[1.5, 1.0], [4.0, 0.0], [4.0, 3.0]]])?;
    /// assert_eq!(square.translation_to_touch(&triangle)?, Some(DVec2::new(-0.5, 0.0)));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn translation_to_touch(&self, other: &Self) -> Result<Option<DVec2>> {
        for (index, object) in [self, other].into_iter().enumerate() {
            if object.pieces().is_empty() {
                return Err(Error::NoRegion { index });
            }
        }
        let still = PolygonSet::from_objects(slice::from_ref(other))?;
        let mut way = DVec2::ZERO;
        for k in 0..MOST_MOVES {
            let Some(moved) = self.moved_exactly(way) else { return Ok(None) };
            let moving = PolygonSet::from_objects(&[moved])?;
            let explanation = ObjectExplanation::new(&moving, 0, &still, 0)?.explanation;
            if explanation.relation == Relation::Touching {
                return Ok(Some(way));
            }
            if k == OUT && explanation.relation == Relation::Overlapping {
                let boxes = [moving.object_aabbs()[0], still.object_aabbs()[0]];
                match exact_vector_sum(way, out_of(boxes)) {
                    Some(further) => way = further,
                    None => return Ok(None),
                }
                continue;
            }
            let steps = Contact::of(&explanation).steps();
            let mut ways = steps.filter_map(|step| exact_vector_sum(way, step));
            match ways.find(|&further| further != way && self.moved_exactly(further).is_some()) {
                Some(further) => way = further,
                None => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// A planned contact: a vertex of one object on the line of an edge of the other object.
struct Contact {
    vertex: DVec2,
    edge: [DVec2; 2],
    /// Whether the edge of the contact belongs to A, which moves. Otherwise, it belongs to B.
    edge_moves: bool,
    /// The position of the contact on the edge: 0 at the first end of the edge, 1 at the second end.
    share: f64,
}

impl Contact {
    fn of(explanation: &Explanation) -> Self {
        match explanation.relation {
            Relation::Disjoint => Self::nearest(explanation),
            _ => Self::least_overlap(explanation),
        }
    }

    /// Returns translations of A that lead to the contact, the most precise first.
    fn steps(self) -> impl Iterator<Item = DVec2> {
        let Self { vertex, edge, edge_moves, share } = self;
        dyadic::near(edge, share).filter_map(move |point| {
            let [from, to] = if edge_moves { [point, vertex] } else { [vertex, point] };
            exact_vector_sum(to, -from)
        })
    }

    /// Returns the planned contact on the axis of least overlap. There, an edge of one polygon faces a vertex or an
    /// edge of the other polygon.
    fn least_overlap(explanation: &Explanation) -> Self {
        let axis = explanation.deciding_axis();
        let toward_b = axis.toward_b;
        let faces = |vertices: &[DVec2], edges: &[usize], direction: DVec2| {
            let edges = edges.iter().map(|&i| [vertices[i], vertices[(i + 1) % vertices.len()]]);
            edges.into_iter().find(|[p, q]| (*p - *q).perp().dot(direction) > 0.0)
        };
        let first_in = |vertices: &[DVec2], direction: DVec2| {
            let along = |v: &DVec2| v.dot(direction);
            vertices.iter().copied().max_by(|p, q| along(p).total_cmp(&along(q))).unwrap_or_default()
        };
        let (a, b) = (&explanation.vertices_a, &explanation.vertices_b);
        if let Some(edge) = faces(a, &axis.edges_a, toward_b) {
            let vertex = first_in(b, -toward_b);
            let share = share(vertex + toward_b * axis.overlap, edge);
            return Self { vertex, edge, edge_moves: true, share };
        }
        // The least translation is along the normal of an edge, so if the edge is not of A, it is of B.
        let edge = faces(b, &axis.edges_b, -toward_b).unwrap_or([b[0], b[1]]);
        let vertex = first_in(a, toward_b);
        Self { vertex, edge, edge_moves: false, share: share(vertex - toward_b * axis.overlap, edge) }
    }

    /// Returns the contact of two disjoint polygons: the vertex of one polygon that is nearest to an edge of the other
    /// polygon, and this edge.
    fn nearest(explanation: &Explanation) -> Self {
        let (a, b) = (&explanation.vertices_a, &explanation.vertices_b);
        let contacts = |vertices: &[DVec2], others: &[DVec2], edge_moves: bool| -> Vec<Self> {
            let edges = (0..others.len()).map(|i| [others[i], others[(i + 1) % others.len()]]);
            let of_edge = |edge: [DVec2; 2]| {
                let at = move |&vertex: &DVec2| {
                    let share = share(vertex, edge).clamp(0.0, 1.0);
                    Self { vertex, edge, edge_moves, share }
                };
                vertices.iter().map(at)
            };
            edges.flat_map(of_edge).collect()
        };
        let all = contacts(b, a, true).into_iter().chain(contacts(a, b, false));
        let gap = |contact: &Self| {
            contact.vertex.distance_squared(contact.edge[0].lerp(contact.edge[1], contact.share))
        };
        let nearest = all.min_by(|p, q| gap(p).total_cmp(&gap(q)));
        nearest.unwrap_or_else(|| Self { vertex: a[0], edge: [b[0], b[1]], edge_moves: false, share: 0.0 })
    }
}

/// Returns a translation along one coordinate axis that moves the first box out of the second box. The function chooses
/// the shortest of the four directions, and adds some margin. The coordinates of the translation have few significant
/// bits.
fn out_of([a, b]: [Aabb; 2]) -> DVec2 {
    let [back, forth] = [b.min - a.max, b.max - a.min];
    let (x, y) = ([back.x, forth.x], [back.y, forth.y]);
    let lesser = |[back, forth]: [f64; 2]| if -back < forth { back } else { forth };
    let (x, y) = (lesser(x), lesser(y));
    let greatest = x.abs().max(y.abs());
    let power = f64::from_bits(greatest.to_bits() & f64::INFINITY.to_bits());
    let unit = if power < greatest { power / 32.0 } else { power / 64.0 };
    let beyond = |way: f64| ((way.abs() / unit).ceil() + 1.0) * unit * way.signum();
    if x.abs() < y.abs() { DVec2::new(beyond(x), 0.0) } else { DVec2::new(0.0, beyond(y)) }
}

fn exact_vector_sum(a: DVec2, b: DVec2) -> Option<DVec2> {
    Some(DVec2::new(exact_sum(a.x, b.x)?, exact_sum(a.y, b.y)?))
}
