//! Static bodies that touch each other. A body that slides over them must not hit an edge or a vertex between two of these bodies.
//!
//! Static bodies that touch form one surface. The edges between two static bodies do not belong to this surface, and the vertices
//! between two bodies in a flat part of the surface do not belong to it either. Each body alone knows only its own edges. A
//! contact with a static body is *hidden* at a point if another static body covers the place from which the contact pushes. There
//! are two cases:
//!
//! - The normal of the contact is the normal of an edge, and the points just outside the edge are inside another static body. An
//!   example is the side of a tile next to another tile. A point at an end of the edge is also hidden if another static body lies
//!   between the edge and the direction from this end to the centre of the other body of the contact. The edge then does not
//!   *face* the other body. An example is a row of triangles whose flat sides form a floor. The slanted sides below the floor do
//!   not face a body on the floor, so they do not stop it.
//! - The normal of the contact lies between the normals of two edges, at their vertex. Another static body contains the vertex,
//!   and reaches beyond the line through the vertex that is perpendicular to the normal. An example is the upper corner of a tile
//!   next to another tile, for any normal except straight up.
//!
//! A contact with an edge changes only if all its points are hidden. If the bodies do not touch yet, the contact is dropped,
//! because the other static body has its own contact. If the bodies touch, the contact gets the normal of an adjacent edge: of
//! the two adjacent edges, the one with the lesser depth along its normal. The depth of the contact becomes the depth along this
//! normal. The contact is also dropped if the adjacent edge is hidden, or if the end between the two edges is farther from the
//! other body than the contact. The contact of a disc is dropped if the depth is greater than a limit.
//!
//! A contact at a vertex changes only if its deepest point is hidden. The contact then gets the normal of an adjacent edge that
//! is not hidden, if the bodies touch or if the two normals hardly differ. Otherwise, the other point of the contact stays if it
//! is not hidden, with the normal of the edge on which it lies. If there is no such point, the contact is dropped.
//!
//! If the contact of a disc gets another normal, it also gets another contact point. A force along the normal cannot rotate a
//! disc, so the new point lies on the line from the centre of the disc along the new normal.
//!
//! Rounded shapes have grooves between them instead of seams. Static bodies with different layers have no seams either, because a
//! body that collides with one of them may pass through the other.

pub(super) use landing::{FLAT, LANDING, Lander, SAME_NORMAL};

use glam::DVec2;

use super::bodies::{Bodies, MOVES, PRESENT};
use super::shapes::Shapes;
use crate::Aabb;
use crate::base::error::{Error, Result};
use crate::broad_phase;
use crate::packed::grid::Grid;
use crate::simd::{difference, dot};

/// The number of words that describe one neighbour in the record of a body. Four words are the box of the neighbour, one is
/// the position of its first vertex, and one is the number of its vertices.
pub(super) const NEIGHBOUR: usize = 6;
/// The number of words at the start of a body's record, before the descriptions of its neighbours. The words are the number of
/// neighbours, an upper bound on the width of the neighbours' boxes, the position of the body's first vertex, and the number of
/// the body's vertices.
pub(super) const HEADER: usize = 4;
/// Two static bodies touch if their gap is at most this fraction of the margin of contacts.
pub(super) const SEAM_WIDTH: f32 = 0.05;
/// If the sine of the angle between a contact normal and an edge normal is at most this number, the two count as the
/// same direction.
pub(super) const SAME_DIRECTION: f32 = 2e-3;
/// A contact normal at a vertex may be replaced by an edge normal only if the cosine of the angle between the two is at
/// least this number.
pub(super) const LEAST_COSINE: f32 = 0.02;
/// The greatest depth at which the contact of a disc in a seam may get the normal of the adjacent edge. The depth is
/// measured along this normal, and the unit is [`Seams::flush`].
pub(super) const MOST_DEPTH: f32 = 100.0;
/// A point of an edge counts as an end of the edge if its distance from this end is at most this number. The unit is
/// [`Seams::flush`]. The position of a contact is uncertain by about this distance, because the predicted path of a body ignores
/// the floor on which the body slides.
pub(super) const AT_END: f32 = 20.0;
/// The limit for a hidden contact at a vertex of bodies that do not touch yet. The contact may get the normal of an edge only if
/// the cosine of the angle between the old and the new normal is at least this number.
pub(super) const NEARLY_ALONG: f32 = 0.999;
/// The broad phase passes on at most this many candidate pairs at once.
const CHUNK: usize = 1 << 14;

/// The seams between the static bodies of a world, as a list of 32-bit words.
///
/// The words are the same on the CPU and on a device. They consist of the number of rows of bodies, the position of the record of
/// each row (0 for a body without neighbours), and the records. A record has a header, the neighbours sorted by the left side of
/// their boxes, and the vertices of the body and of the neighbours. Vertices are counter-clockwise and relative to the body's
/// centre of mass. A number that is not a count or a position is stored as the bits of an f32.
#[derive(Debug, Default)]
pub(super) struct Seams {
    words: Vec<u32>,
    /// The greatest gap between two static bodies that touch each other, in the caller's unit.
    flush: f32,
    /// The value of [`Bodies::statics_revision`] for which the words were computed.
    revision: u64,
}

impl Seams {
    /// Computes the words of the seams again if static bodies changed since the last call. [`Seams`] describes these
    /// words. `margin` is the margin of contacts, in the caller's unit. Returns true if the words may have changed.
    /// Returns [`Error::TooMany`] if there are too many bodies for the broad phase, or too many words for a device.
    pub(super) fn update(
        &mut self,
        bodies: &Bodies,
        shapes: &Shapes,
        grid: &Grid,
        margin: f32,
    ) -> Result<bool> {
        if self.revision == bodies.statics_revision {
            return Ok(false);
        }
        let (had_any, flush) = (!self.words.is_empty(), SEAM_WIDTH * margin);
        let outlines = outlines(bodies, shapes, grid);
        let pairs = touching(&outlines, f64::from(flush))?;
        (self.words, self.flush) = (words(&outlines, &pairs, bodies.states.len(), flush)?, flush);
        self.revision = bodies.statics_revision;
        Ok(had_any || !self.words.is_empty())
    }

    /// Returns the seams as 32-bit words, in the layout that [`Seams`] describes. The list is empty if no body
    /// has seams ([`Seams::has`]).
    #[cfg(feature = "gpu")]
    pub(super) fn words(&self) -> &[u32] {
        &self.words
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns true if a body has seams: it is a static body without rounding, and touches another such body with the
    /// same layers.
    #[inline(always)]
    pub(super) fn has(&self, body: u32) -> bool {
        self.record(body) != 0
    }

    #[inline(always)]
    fn record(&self, body: u32) -> usize {
        match self.words.first() {
            Some(&rows) if body < rows => self.words[1 + body as usize] as usize,
            _ => 0,
        }
    }

    /// Returns the effect of the seams of a static body on one of its contacts.
    pub(super) fn exposure(&self, body: u32, surface: Surface<'_>) -> Exposure {
        let record = self.record(body);
        let own = Outline { first: self.words[record + 2] as usize, count: self.words[record + 3] as usize };
        match self.edge_along(own, surface.normal) {
            Some(edge) => self.over_edge(record, own, edge, surface),
            None => self.at_vertex(record, own, surface),
        }
    }

    fn over_edge(&self, record: usize, own: Outline, edge: usize, surface: Surface<'_>) -> Exposure {
        let Surface { points, normal, other, is_disc } = surface;
        let mut of_edge = [([0.0; 2], 0.0); 2];
        for (to, &(at, separation)) in of_edge.iter_mut().zip(points) {
            *to = (self.within(own, edge, at), separation);
        }
        let points = &of_edge[..points.len()];
        if points.iter().any(|&(at, _)| self.is_exposed(record, own, edge, at, other)) {
            return Exposure::Open;
        }
        if points.iter().all(|&(_, separation)| separation > 0.0) {
            return Exposure::Hidden;
        }
        let ends = [(edge, edge + own.count - 1), (edge + 1, edge + 1)].map(|(end, beside)| {
            let (end, outward) = (self.vertex(own, end), self.outward(own, beside));
            // The distance by which a contact point lies beyond the adjacent edge, along the outward normal of this
            // edge. It is negative inside.
            let depth = |&(point, _): &([f32; 2], f32)| dot(difference(point, end), outward);
            let deepest = (0..points.len()).min_by(|&a, &b| depth(&points[a]).total_cmp(&depth(&points[b])));
            let (point, separation) = deepest.map_or((0, 0.0), |k| (k, depth(&points[k])));
            let is_open = dot(outward, normal) > -0.5
                && (is_disc || self.is_towards(other, end, points[point].0))
                && self.is_open(record, own, beside, end);
            (is_open, outward, (point, separation))
        });
        // The adjacent edge with the lesser depth decides. If this edge is not open, another static body holds the other body.
        let [first, second] = ends;
        let (is_open, normal, (point, separation)) = if second.2.1 > first.2.1 { second } else { first };
        if is_open && (!is_disc || separation >= -MOST_DEPTH * self.flush) {
            Exposure::Turned { normal, point, at: points[point].0, separation }
        } else {
            Exposure::Hidden
        }
    }

    /// Returns true if `end` is not farther from the centre of mass of the other body than `point`, except by [`AT_END`].
    /// Otherwise, the other body is not at the end of the edge, so the adjacent edge cannot push it out.
    fn is_towards(&self, other: [f32; 2], end: [f32; 2], point: [f32; 2]) -> bool {
        let distance = |at: [f32; 2]| {
            let away = difference(at, other);
            dot(away, away).sqrt()
        };
        distance(end) <= distance(point) + AT_END * self.flush
    }

    fn at_vertex(&self, record: usize, own: Outline, surface: Surface<'_>) -> Exposure {
        let Surface { points, normal, .. } = surface;
        let is_hidden = |k: usize| self.is_covered(record, points[k].0, normal);
        let deepest = usize::from(points.len() > 1 && points[1].1 < points[0].1);
        if !is_hidden(deepest) {
            return Exposure::Open;
        }
        let onto_edge = |point: usize| self.onto_edge(record, own, surface, point);
        // If a body is exactly above the seam between two tiles, each tile hides the contact of the other tile, and the
        // body would have no contact. A contact therefore stays if the bodies touch, or if its normal hardly changes.
        let found = onto_edge(deepest);
        match found {
            Exposure::Turned { normal: turned, .. }
                if points[deepest].1 <= 0.0 || dot(turned, normal) >= NEARLY_ALONG =>
            {
                found
            }
            _ if points.len() > 1 && !is_hidden(1 - deepest) => onto_edge(1 - deepest),
            _ => Exposure::Hidden,
        }
    }

    /// Gives the contact point with the index `point` the normal of the edge on which it lies. The edge must be open,
    /// and face the other body. Returns [`Exposure::Hidden`] if there is no such edge, or if its normal differs too much
    /// from the normal of the contact.
    fn onto_edge(&self, record: usize, own: Outline, surface: Surface<'_>, point: usize) -> Exposure {
        let Surface { points, normal, other, .. } = surface;
        let (at, separation) = points[point];
        let (mut along, mut best) = (LEAST_COSINE, None);
        for edge in (0..own.count).filter(|&edge| self.is_on(own, edge, at)) {
            let outward = self.outward(own, edge);
            if dot(outward, normal) > along && self.is_exposed(record, own, edge, at, other) {
                (along, best) = (dot(outward, normal), Some(outward));
            }
        }
        match best {
            Some(normal) => Exposure::Turned { normal, point, at, separation: separation / along },
            None => Exposure::Hidden,
        }
    }

    /// Returns true if another static body contains `point` and has a vertex beyond the line through `point` that is
    /// perpendicular to `normal`.
    fn is_covered(&self, record: usize, point: [f32; 2], normal: [f32; 2]) -> bool {
        self.any_around(record, point, &|other| {
            self.holds(other, point, self.flush) && self.reaches_beyond(other, point, normal)
        })
    }

    /// Returns true if the edge with index `edge` is open near `point` ([`Seams::is_open`]) and faces the position
    /// `other` ([`Seams::faces`]).
    fn is_exposed(&self, record: usize, own: Outline, edge: usize, point: [f32; 2], other: [f32; 2]) -> bool {
        self.is_open(record, own, edge, point) && self.faces(record, own, edge, point, other)
    }

    /// Returns true if an edge faces the position `other` at its point `point`. Away from its ends, an edge faces every
    /// position. At an end, the edge faces `other` if no neighbour lies between the edge and the direction from the end
    /// to `other`. This test covers the outside of the edge, and the neighbours that contain the end. An edge also
    /// faces every position inside its own polygon, so that a body deep in the polygon is pushed out.
    fn faces(&self, record: usize, own: Outline, edge: usize, point: [f32; 2], other: [f32; 2]) -> bool {
        let apart = |a: [f32; 2], b: [f32; 2], limit: f32| {
            let away = difference(a, b);
            dot(away, away) > limit * limit * self.flush * self.flush
        };
        let [a, b] = [self.vertex(own, edge), self.vertex(own, edge + 1)];
        let (end, far) = match [a, b].map(|end| apart(end, point, AT_END)) {
            [true, true] => return true,
            [false, _] => (a, b),
            _ => (b, a),
        };
        if self.holds(own, other, 0.0) {
            return true;
        }
        let (along, outward) = (difference(far, end), self.outward(own, edge));
        // A number from 0 to 4 that grows with the angle from the edge to the direction of `to`, measured through the outside of
        // the edge.
        let angle = |to: [f32; 2]| {
            let way = difference(to, end);
            let [x, y] = [dot(way, along) / dot(along, along).sqrt(), dot(way, outward)];
            let share = x / (x.abs() + y.abs());
            if y >= 0.0 { 1.0 - share } else { 3.0 + share }
        };
        let most = angle(other);
        !self.any_around(record, end, &|neighbour| {
            let is_between = |k| {
                let vertex = self.vertex(neighbour, k);
                apart(vertex, end, 4.0) && (SAME_DIRECTION..most).contains(&angle(vertex))
            };
            self.holds(neighbour, end, self.flush) && (0..neighbour.count).any(is_between)
        })
    }

    /// Returns true if the edge with index `edge` is open near its point `point`: no neighbour covers the points just
    /// outside the edge there.
    fn is_open(&self, record: usize, own: Outline, edge: usize, point: [f32; 2]) -> bool {
        let [a, b] = [self.vertex(own, edge), self.vertex(own, edge + 1)];
        let [x, y] = difference(b, a);
        let length = (x * x + y * y).sqrt();
        // The tested point is away from the end of the edge, because the adjacent edge at an inner corner is not a seam.
        let middle = [0.5 * (a[0] + b[0]) - point[0], 0.5 * (a[1] + b[1]) - point[1]];
        let along = (dot(middle, [x, y]) / length).clamp(-2.0 * self.flush, 2.0 * self.flush) / length;
        let up = 1.5 * self.flush / length;
        let outside = [point[0] + along * x + up * y, point[1] + along * y - up * x];
        !self.any_around(record, outside, &|other| self.holds(other, outside, -0.25 * self.flush))
    }

    /// Returns true if `does` returns true for a neighbour whose box contains `point`. `record` is the position of the
    /// body's record in the words.
    fn any_around(&self, record: usize, point: [f32; 2], does: &dyn Fn(Outline) -> bool) -> bool {
        let count = self.words[record] as usize;
        let least = point[0] - f32::from_bits(self.words[record + 1]);
        let entry = |k: usize| &self.words[record + HEADER + k * NEIGHBOUR..][..NEIGHBOUR];
        let side = |k: usize, side: usize| f32::from_bits(entry(k)[side]);
        // Finds the first neighbour whose left side is near enough that its box can contain the point.
        let (mut first, mut end) = (0, count);
        while first < end {
            let middle = first.midpoint(end);
            if side(middle, 0) < least { first = middle + 1 } else { end = middle }
        }
        (first..count)
            .take_while(|&k| side(k, 0) <= point[0])
            .filter(|&k| point[1] >= side(k, 1) && point[0] <= side(k, 2) && point[1] <= side(k, 3))
            .any(|k| does(Outline { first: entry(k)[4] as usize, count: entry(k)[5] as usize }))
    }
}

/// A contact of a static body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface<'a> {
    /// The contact points on the surface of the static body, relative to its centre of mass, each with its separation.
    pub(super) points: &'a [([f32; 2], f32)],
    /// The unit normal of the contact. It points away from the static body.
    pub(super) normal: [f32; 2],
    /// The centre of mass of the other body, relative to the centre of mass of the static body.
    pub(super) other: [f32; 2],
    /// Whether the other body is a disc.
    pub(super) is_disc: bool,
}

/// The effect of the seams of a static body on a contact of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Exposure {
    /// The seams do not change the contact.
    Open,
    /// The seams hide the whole contact, so there is no contact.
    Hidden,
    /// The contact keeps only its point with the index `point`, which is at the position `at` on the surface of the body. The point
    /// gets the separation `separation`, and the contact gets the normal `normal`, which points away from the body.
    Turned { normal: [f32; 2], point: usize, at: [f32; 2], separation: f32 },
}

/// The vertices of a polygon, as a range in the words of [`Seams`]: the position of the first vertex, and the number of vertices.
#[derive(Clone, Copy)]
struct Outline {
    first: usize,
    count: usize,
}

/// The outline of a static body in the world: a polygon or a segment.
struct Static {
    row: usize,
    centre: DVec2,
    /// The vertices at the rotation of the body, relative to its centre of mass.
    vertices: Vec<DVec2>,
    aabb: Aabb,
    layers: [u32; 2],
}

impl Static {
    fn corner(&self, k: usize) -> DVec2 {
        self.centre + self.vertices[k % self.vertices.len()]
    }

    /// Returns true if the other polygon lies more than `by` beyond the line of an edge of this polygon.
    fn is_apart(&self, other: &Self, by: f64) -> bool {
        (0..self.vertices.len()).any(|k| {
            let (a, b) = (self.corner(k), self.corner(k + 1));
            let outward = -(b - a).perp();
            let gap = |j| (other.corner(j) - a).dot(outward);
            (0..other.vertices.len()).map(gap).fold(f64::INFINITY, f64::min) > by * outward.length()
        })
    }
}

/// Returns all static bodies that are polygons or segments without rounding.
fn outlines(bodies: &Bodies, shapes: &Shapes, grid: &Grid) -> Vec<Static> {
    let all =
        bodies.traits.iter().enumerate().filter(|(_, traits)| traits.flags & (PRESENT | MOVES) == PRESENT);
    let outline = |(row, traits): (usize, &super::bodies::BodyTraits)| {
        let shape = &shapes.all[traits.shape as usize];
        let state = &bodies.states[row];
        if shape.vertex_count < 2 || shape.radius > 0.0 {
            return None;
        }
        let centre = state.centre(grid);
        let core = shapes.core(shape).iter();
        let vertices: Vec<DVec2> = core.map(|&v| state.rotated(v).map(f64::from).into()).collect();
        let grow = |aabb: Aabb, v: &DVec2| Aabb { min: aabb.min.min(*v), max: aabb.max.max(*v) };
        let about = vertices.iter().fold(Aabb::EMPTY, grow);
        let aabb = Aabb { min: centre + about.min, max: centre + about.max };
        Some(Static { row, centre, vertices, aabb, layers: traits.layers })
    };
    all.filter_map(outline).collect()
}

/// Returns the pairs of outlines that touch: they have equal layers, and their gap is at most `flush`. Each pair occurs in both
/// orders, and the list is sorted. Returns the error of the broad phase, [`Error::TooMany`], if there are too many outlines.
fn touching(outlines: &[Static], flush: f64) -> Result<Vec<[u32; 2]>> {
    let grown = |of: &Static| Aabb { min: of.aabb.min - flush, max: of.aabb.max + flush };
    let boxes: Vec<Aabb> = outlines.iter().map(grown).collect();
    let mut candidates = broad_phase::self_join(&boxes, None)?;
    let (mut pairs, mut chunk) = (Vec::new(), Vec::new());
    while candidates.next_chunk(CHUNK, &mut chunk) {
        for &[a, b] in &chunk {
            let [of_a, of_b] = [&outlines[a as usize], &outlines[b as usize]];
            let touch = !of_a.is_apart(of_b, flush) && !of_b.is_apart(of_a, flush);
            if touch && of_a.layers == of_b.layers {
                pairs.extend([[a, b], [b, a]]);
            }
        }
    }
    crate::base::sorting::sort_unstable(&mut pairs);
    Ok(pairs)
}

/// Returns the seams as 32-bit words, in the layout that [`Seams`] describes. `pairs` are the pairs of static bodies
/// that touch each other. If there is no pair, the list is empty. Returns [`Error::TooMany`] if the list has more than
/// `i32::MAX` words, because device kernels could not index them.
fn words(outlines: &[Static], pairs: &[[u32; 2]], rows: usize, flush: f32) -> Result<Vec<u32>> {
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let mut words = vec![0; 1 + rows];
    words[0] = rows as u32;
    for of_one in pairs.chunk_by(|a, b| a[0] == b[0]) {
        let own = &outlines[of_one[0][0] as usize];
        let mut others: Vec<&Static> = of_one.iter().map(|pair| &outlines[pair[1] as usize]).collect();
        others.sort_by(|a, b| a.aabb.min.x.total_cmp(&b.aabb.min.x).then(a.row.cmp(&b.row)));
        let record = words.len();
        words[1 + own.row] = record as u32;
        let mut vertices = record + HEADER + others.len() * NEIGHBOUR;
        let widest = others.iter().map(|other| other.aabb.max.x - other.aabb.min.x).fold(0.0, f64::max);
        words.extend([others.len() as u32, (widest as f32 + 4.0 * flush).to_bits()]);
        words.extend([vertices as u32, own.vertices.len() as u32]);
        vertices += 2 * own.vertices.len();
        for other in &others {
            let Aabb { min, max } = other.aabb;
            for bound in [min - own.centre, max - own.centre].into_iter().zip([-flush, flush]) {
                words.extend(bound.0.to_array().map(|x| (x as f32 + bound.1).to_bits()));
            }
            words.extend([vertices as u32, other.vertices.len() as u32]);
            vertices += 2 * other.vertices.len();
        }
        for of in std::iter::once(own).chain(others.iter().copied()) {
            let corners = (0..of.vertices.len()).map(|k| of.corner(k) - own.centre);
            words.extend(corners.flat_map(|v| v.to_array().map(|x| (x as f32).to_bits())));
        }
    }
    // A device kernel indexes words with i32.
    if words.len() > i32::MAX as usize {
        return Err(Error::TooMany {
            items: "numbers that describe where static bodies touch",
            count: words.len(),
            limit: i32::MAX as usize,
        });
    }
    Ok(words)
}

mod landing;
mod outline;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests;
