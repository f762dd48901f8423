use glam::DVec2;

use super::clearly_clean::{TURN, box_if_clearly_clean, boxes_if_clearly_clean};
use super::predicates::{exact_sum, orientation};
use super::{Aabb, Cleanup, MAX_COORDINATE, MIN_COORDINATE};
use crate::base::error::{Error, Result};
use crate::simd::DoubleInstructions;

/// A strictly convex polygon with 3 or more vertices in counter-clockwise order, with the y axis up, in the caller's
/// unit.
///
/// The polygon is a closed set and has an interior. [`ConvexPolygon::new`] accepts a ring of vertices that turns in
/// only one direction. [`ConvexPolygon::new`] removes repeated and collinear vertices, and reverses a clockwise ring.
/// [`ConvexPolygon::cleanup`] counts the removed vertices and the reversed rings. [`ConvexPolygon::source_index`] maps
/// each vertex to its index in the input. Exact predicates decide which vertices are removed, without a tolerance.
///
/// ```
/// use sat2d::ConvexPolygon;
/// // Clockwise, the first vertex repeated at the end, and (1, 0) in the middle of an edge.
/// let ring = [[0.0, 0.0], [0.0, 2.0], [2.0, 2.0], [2.0, 0.0], [1.0, 0.0], [0.0, 0.0]];
/// let square = ConvexPolygon::new(&ring)?;
/// assert_eq!(square.vertices().len(), 4);
/// assert_eq!(square.cleanup().reversed_rings, 1);
/// for (i, &vertex) in square.vertices().iter().enumerate() {
///     assert_eq!(vertex.to_array(), ring[square.source_index(i)]);
/// }
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexPolygon {
    vertices: Vec<DVec2>,
    /// For each vertex of the polygon, its index in the caller's ring. `None` if vertex `i` of the polygon is vertex
    /// `i` of the caller's ring.
    source: Option<Box<[u32]>>,
    /// For each edge, whether it is internal: a cut between two pieces of one object. `None` if no edge is internal.
    internal: Option<Box<[bool]>>,
    cleanup: Cleanup,
}

impl ConvexPolygon {
    /// Builds a convex polygon from a ring of vertices. The ring may run clockwise or counter-clockwise. The last
    /// vertex may repeat the first vertex.
    ///
    /// # Errors
    /// Returns [`Error::NotFinite`], [`Error::OutOfRange`], [`Error::TooFewVertices`], [`Error::ZeroArea`] or
    /// [`Error::NotConvex`] for an invalid ring. An error names a vertex by its index in `ring`. The index of the
    /// polygon in the error is 0.
    pub fn new<V: Into<DVec2> + Copy>(ring: &[V]) -> Result<Self> {
        let mut vertices: Vec<DVec2> = Vec::with_capacity(ring.len());
        append_checked(ring, &mut vertices)?;
        if is_clean(&vertices) {
            return Ok(Self { vertices, source: None, internal: None, cleanup: Cleanup::default() });
        }
        Self::cleaned(&vertices)
    }

    /// Cleans up a ring by the rules of [`ConvexPolygon::new`], and writes the vertices of the polygon to the start of
    /// the slice `ring`. Returns the number of vertices of the polygon, and its bounding box. Returns the errors of
    /// [`ConvexPolygon::new`]. After an error, the content of `ring` has no meaning.
    #[inline(always)]
    pub(super) fn tidy(ring: &mut [DVec2]) -> Result<(usize, Aabb)> {
        let mut aabb = Aabb::EMPTY;
        let mut in_range = true;
        for v in &*ring {
            in_range &= is_in_range(v.x) & is_in_range(v.y);
            aabb = Aabb { min: *v, max: *v }.union_without_nan(aabb);
        }
        if in_range && is_clearly_clean(ring) {
            return Ok((ring.len(), aabb));
        }
        Self::tidy_exactly(ring)
    }

    /// Cleans up a ring with vector instructions. Gives the same result and the same errors as [`ConvexPolygon::tidy`].
    #[inline(always)]
    pub(super) fn tidy_by<I: DoubleInstructions>(i: I, ring: &mut [DVec2]) -> Result<(usize, Aabb)> {
        match box_if_clearly_clean(i, ring) {
            Some(aabb) => Ok((ring.len(), aabb)),
            None => Self::tidy_exactly(ring),
        }
    }

    /// Returns the bounding boxes of two rings with four vertices each. Returns `None` if one of the rings may need a
    /// cleanup.
    #[inline(always)]
    pub(super) fn clean_boxes_by<I: DoubleInstructions>(i: I, rings: [&[DVec2; 4]; 2]) -> Option<[Aabb; 2]> {
        boxes_if_clearly_clean(i, rings)
    }

    /// Cleans up a ring with exact predicates. Gives the same result and the same errors as [`ConvexPolygon::tidy`], which
    /// first tries a faster test in f64.
    fn tidy_exactly(ring: &mut [DVec2]) -> Result<(usize, Aabb)> {
        let polygon = Self::new(ring)?;
        ring[..polygon.vertices.len()].copy_from_slice(&polygon.vertices);
        Ok((polygon.vertices.len(), polygon.aabb()))
    }

    fn cleaned(ring: &[DVec2]) -> Result<Self> {
        let mut cleanup = Cleanup::default();
        // Keeps one of several equal consecutive vertices. The ring is closed, so the last vertex is compared with the
        // first vertex.
        let mut kept: Vec<u32> = Vec::with_capacity(ring.len());
        for i in 0..ring.len() {
            let same = kept.last().is_some_and(|&k| ring[k as usize] == ring[i]);
            if same { cleanup.repeated_vertices += 1 } else { kept.push(i as u32) }
        }
        while kept.len() > 1 && ring[kept[0] as usize] == ring[kept[kept.len() - 1] as usize] {
            kept.pop();
            // One last vertex that repeats the first vertex closes the ring, and does not count as repeated. Further
            // such vertices count.
            cleanup.repeated_vertices += 1;
        }
        if cleanup.repeated_vertices > 0 && ring.first() == ring.last() {
            cleanup.repeated_vertices -= 1;
        }
        if kept.len() < 3 {
            return Err(Error::TooFewVertices { polygon: 0, ring: 0, count: kept.len() });
        }
        let at = |k: u32| ring[k as usize];
        // A convex ring turns one way everywhere, so its first turn gives its direction.
        let mut turn_sign = 0.0;
        for i in 0..kept.len() {
            let n = kept.len();
            let turn = orientation(at(kept[(i + n - 1) % n]), at(kept[i]), at(kept[(i + 1) % n]));
            if turn != 0.0 {
                turn_sign = turn.signum();
                break;
            }
        }
        if turn_sign == 0.0 {
            return Err(Error::ZeroArea {
                polygon: 0,
                ring: 0,
                count: ring.len(),
                x: ring[0].x,
                y: ring[0].y,
            });
        }
        // Removes collinear vertices. A vertex at which the ring turns back on itself (a spike) makes the ring concave.
        let mut corners: Vec<u32> = Vec::with_capacity(kept.len());
        for i in 0..kept.len() {
            let n = kept.len();
            let (before, here, after) = (at(kept[(i + n - 1) % n]), at(kept[i]), at(kept[(i + 1) % n]));
            let turn = orientation(before, here, after);
            let turns_back = turn == 0.0 && !is_between(before, here, after);
            if turn * turn_sign < 0.0 || turns_back {
                return Err(not_convex(kept[i], here));
            }
            if turn == 0.0 { cleanup.collinear_vertices += 1 } else { corners.push(kept[i]) }
        }
        if turn_sign < 0.0 {
            corners.reverse();
            cleanup.reversed_rings = 1;
        }
        let vertices: Vec<DVec2> = corners.iter().map(|&k| at(k)).collect();
        if vertices.len() < 3 || !winds_once(&vertices) {
            return Err(not_convex(corners[0], vertices[0]));
        }
        let identity = corners.iter().enumerate().all(|(i, &k)| i as u32 == k);
        Ok(Self { vertices, source: (!identity).then(|| corners.into()), internal: None, cleanup })
    }

    /// Returns the polygon moved by the vector `way`, or `None` if a coordinate would be rounded or would leave the
    /// accepted range.
    pub(super) fn moved_exactly(&self, way: DVec2) -> Option<Self> {
        let moved = self.vertices.iter().enumerate().map(|(i, &v)| {
            let to = v + way;
            let is_exact = exact_sum(v.x, way.x).is_some() && exact_sum(v.y, way.y).is_some();
            (is_exact && check_coordinates(to, i).is_ok()).then_some(to)
        });
        Some(Self { vertices: moved.collect::<Option<_>>()?, ..self.clone() })
    }

    /// Returns the polygon with its internal edges marked, or `None` if the number of marks differs from the number of
    /// edges.
    pub(super) fn with_internal_edges(self, internal: &[bool]) -> Option<Self> {
        let marks = internal.contains(&true).then(|| internal.into());
        (internal.len() == self.vertices.len()).then_some(Self { internal: marks, ..self })
    }

    /// Returns for each edge whether it is internal: a cut between two pieces of one object. Returns `None` if no edge is
    /// internal.
    pub(crate) fn internal_edges(&self) -> Option<&[bool]> {
        self.internal.as_deref()
    }

    /// Returns the vertices, counter-clockwise and strictly convex.
    #[must_use]
    pub fn vertices(&self) -> &[DVec2] {
        &self.vertices
    }

    /// Returns the index that vertex `i` had in the input ring.
    #[must_use]
    pub fn source_index(&self, i: usize) -> usize {
        self.source.as_ref().map_or(i, |s| s[i] as usize)
    }

    /// Returns the counts of removed vertices and reversed rings.
    #[must_use]
    pub fn cleanup(&self) -> Cleanup {
        self.cleanup
    }

    /// Returns the exact bounding box of the polygon.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Aabb::around(&self.vertices)
    }
}

fn append_checked<V: Into<DVec2> + Copy>(ring: &[V], out: &mut Vec<DVec2>) -> Result<()> {
    if u32::try_from(ring.len()).is_err() {
        return Err(Error::TooMany { items: "vertices", count: ring.len(), limit: u32::MAX as usize });
    }
    out.reserve(ring.len());
    for (i, &v) in ring.iter().enumerate() {
        let v = v.into();
        check_coordinates(v, i)?;
        out.push(v);
    }
    Ok(())
}

/// Returns whether a coordinate is accepted: it is 0, or its magnitude is from [`MIN_COORDINATE`] to
/// [`MAX_COORDINATE`].
#[inline(always)]
pub(super) fn is_in_range(x: f64) -> bool {
    (x.abs() >= MIN_COORDINATE) & (x.abs() <= MAX_COORDINATE) | (x == 0.0)
}

/// Returns `true` only if f64 arithmetic proves that a ring is strictly convex and counter-clockwise, and winds once.
/// Compares each turn with a bound on its error, so the result may be `false` for such a ring, too.
#[inline(always)]
fn is_clearly_clean(vertices: &[DVec2]) -> bool {
    let &[.., p, q] = vertices else { return false };
    let (mut before, mut rises_before) = (q, is_less(p, q));
    let mut edge_before = q - p;
    let (mut turns_left, mut maxima) = (true, 0u32);
    for &v in vertices {
        let edge = v - before;
        let (left, right) = (edge_before.x * edge.y, edge_before.y * edge.x);
        turns_left &= left - right > TURN * (left.abs() + right.abs());
        let rises = is_less(before, v);
        maxima += u32::from(rises_before & !rises);
        (before, edge_before, rises_before) = (v, edge, rises);
    }
    turns_left & (vertices.len() >= 3) & (maxima == 1)
}

/// Returns whether `a` is before `b`, in the order by x and then by y.
#[inline(always)]
pub(super) fn is_less(a: DVec2, b: DVec2) -> bool {
    (a.x < b.x) | (a.x == b.x) & (a.y < b.y)
}

/// Returns whether a ring is strictly convex and counter-clockwise, and winds once. Such a ring needs no cleanup.
fn is_clean(vertices: &[DVec2]) -> bool {
    let &[.., before, last] = vertices else { return false };
    let (mut p, mut q) = (before, last);
    let turns_left = vertices.iter().all(|&r| {
        let turn = orientation(p, q, r);
        (p, q) = (q, r);
        turn > 0.0
    });
    turns_left && vertices.len() >= 3 && winds_once(vertices)
}

fn not_convex(vertex: u32, at: DVec2) -> Error {
    Error::NotConvex { polygon: 0, vertex: vertex as usize, x: at.x, y: at.y }
}

/// Returns whether `here` lies on the closed segment from `before` to `after`. All three points must be on one line.
pub(crate) fn is_between(before: DVec2, here: DVec2, after: DVec2) -> bool {
    let within = |a: f64, x: f64, b: f64| (a <= x && x <= b) || (b <= x && x <= a);
    within(before.x, here.x, after.x) && within(before.y, here.y, after.y)
}

/// Returns whether a ring winds once. The ring must turn left at every vertex. Such a ring winds once if exactly one
/// vertex is greater than both of its neighbours, in the order by x and then by y.
fn winds_once(vertices: &[DVec2]) -> bool {
    let &[.., before, last] = vertices else { return false };
    let (mut p, mut q) = (before, last);
    let is_maximum = |&r: &DVec2| {
        let is_maximum = is_less(p, q) && is_less(r, q);
        (p, q) = (q, r);
        is_maximum
    };
    let maxima = vertices.iter().map(is_maximum).filter(|&is| is).count();
    maxima == 1
}

/// Checks a vertex. Returns [`Error::NotFinite`] or [`Error::OutOfRange`] if a coordinate of `v` is not finite or is
/// outside the accepted range. `vertex` is the index of the vertex in the error.
pub(crate) fn check_coordinates(v: DVec2, vertex: usize) -> Result<()> {
    if !v.is_finite() {
        return Err(Error::NotFinite { polygon: 0, vertex, x: v.x, y: v.y });
    }
    for value in [v.x, v.y] {
        if value != 0.0 && !(MIN_COORDINATE..=MAX_COORDINATE).contains(&value.abs()) {
            return Err(Error::OutOfRange { polygon: 0, vertex, value });
        }
    }
    Ok(())
}
