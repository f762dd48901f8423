//! Adds the rings of a polygon to a block. Polygons are checked by comparing their edges. An edge on which a vertex
//! lies is split at the vertex. If edges overlap, or if rings cross at a vertex, the boundary of the region replaces
//! the rings. [`decompose::outline`] finds this boundary, and the remaining errors. It triangulates a polygon only if
//! very many edges meet, if very many rings are nested, or if a ring is one point.

use std::ops::Range;

use glam::DVec2;

use super::crossed::Interior;
use super::hot_pixels::by_way;
use super::simple::Meetings;
use super::{Block, LeafPairs, Outline, Place, Polygon, Ring};
use crate::base::error::{Error, Result};
use crate::base::sorting::sort_by;
use crate::geometry::convex_polygon::{is_between, is_in_range, is_less};
use crate::geometry::predicates::orientation;
use crate::geometry::{Cleanup, Fill, decompose};

/// The largest number of holes that are compared in the given order. More holes are sorted, so that most holes are near
/// the preceding hole.
const FEW_HOLES: usize = 8;

/// The lengths of the lists of a block, to which the block is shortened if a polygon is removed.
pub(super) struct Lengths {
    vertices: usize,
    rings: usize,
    leaves: usize,
    boxes: usize,
    pub(super) witnesses: usize,
    touches: usize,
    crossed: usize,
    given: usize,
}

/// The result of an attempt to take a polygon whose rings meet at vertices only.
enum Simple {
    Taken(Cleanup),
    /// Edges overlap, rings cross at a vertex, or the polygon is invalid. The caller must use a slower method.
    No,
    /// Two edges of the polygon cross, or a hole leaves the shell. The value is the error for the polygon.
    Invalid(Error),
}

/// The counts of the cleanups of a ring that was added to a block.
struct TakenRing {
    repeated: usize,
    collinear: usize,
    is_convex: bool,
}

impl Block {
    /// Adds a polygon of an object to the block. With a fill rule, rings may cross. Returns the counts of cleanups. If
    /// the polygon is valid only under the rule, also returns the error that it has without the rule: crossing segments
    /// or a hole outside its shell.
    ///
    /// # Errors
    /// Returns the errors of [`decompose::polygon`]. With a rule, crossing segments and a hole outside its shell are
    /// not errors.
    pub(crate) fn take_polygon<R: AsRef<[DVec2]>>(
        &mut self,
        object: u32,
        rings: &[R],
        fill: Option<Fill>,
        leaf_pairs: &mut LeafPairs,
    ) -> Result<(Cleanup, Option<Error>)> {
        decompose::check_vertex_count(rings.iter().map(|ring| ring.as_ref().len()).sum())?;
        let before = self.lengths();
        let taken = self.take_valid(object, rings, leaf_pairs);
        let is_crossed =
            matches!(taken, Err(Error::CrossingSegments { .. } | Error::HoleOutsideShell { .. }));
        let (fill, error) = match (fill, taken) {
            (Some(fill), Err(error)) if is_crossed => (fill, Some(error)),
            (Some(Fill::NonZero), Ok(_)) if !self.last_has_opposite_holes() => {
                self.polygons.pop();
                (Fill::NonZero, None)
            }
            // The even-odd interior of the rings is empty, but the rings may have an interior under the non-zero rule.
            (Some(Fill::NonZero), Err(Error::EmptyRegion { .. })) => (Fill::NonZero, None),
            (_, taken) => return taken.map(|cleanup| (cleanup, None)),
        };
        self.truncate(&before);
        let rings: Vec<Vec<DVec2>> = rings.iter().map(|ring| ring.as_ref().to_vec()).collect();
        self.take_crossed(object, &rings, fill, leaf_pairs).map(|cleanup| (cleanup, error))
    }

    /// Returns whether the rings of the last polygon meet at vertices only, and each hole runs opposite to the shell.
    /// The region is then the same under every rule.
    fn last_has_opposite_holes(&self) -> bool {
        self.polygons.last().is_some_and(|polygon| {
            let rings = &self.rings[polygon.rings.start as usize..polygon.rings.end as usize];
            polygon.given.is_empty() && rings.iter().all(|ring| ring.is_reversed == rings[0].is_reversed)
        })
    }

    /// Adds a polygon to the block as if there were no fill rule, and returns the counts of cleanups. Returns the
    /// errors of [`decompose::polygon`].
    fn take_valid<R: AsRef<[DVec2]>>(
        &mut self,
        object: u32,
        rings: &[R],
        leaf_pairs: &mut LeafPairs,
    ) -> Result<Cleanup> {
        let before = self.lengths();
        match self.take_simple(object, rings, leaf_pairs) {
            Simple::Taken(cleanup) => return Ok(cleanup),
            Simple::Invalid(error) => {
                self.truncate(&before);
                return Err(error);
            }
            Simple::No => {}
        }
        self.truncate(&before);
        let rings: Vec<Vec<DVec2>> = rings.iter().map(|ring| ring.as_ref().to_vec()).collect();
        self.take_boundary(object, rings)
    }

    /// Takes a polygon whose edges may overlap, or whose rings may cross at vertices. Returns the errors of
    /// [`decompose::polygon`]. Stores the boundary of the region instead of the rings.
    fn take_boundary(&mut self, object: u32, rings: Vec<Vec<DVec2>>) -> Result<Cleanup> {
        let witness_count = self.witnesses.len();
        let (outline, cleanup) = decompose::outline(&rings)?;
        let first_ring = self.rings.len() as u32;
        for ring in &outline {
            let first = self.add_ring_vertices(ring);
            self.rings.push(Ring { first, end: first + ring.len() as u32, given: 0, is_reversed: false });
            if is_counter_clockwise(ring) != Some(false) {
                self.witnesses.push(first);
            }
        }
        self.add_polygon(object, first_ring..self.rings.len() as u32);
        let boundary = self.outline(self.polygons.len() - 1);
        let touches = boundary.touches(&boundary.repeated_corners()).unwrap_or_default();
        self.touches.extend(touches.touches);
        let first_given = self.given.len() as u32;
        self.given.extend(rings);
        if let Some(polygon) = self.polygons.last_mut() {
            polygon.touches.end = self.touches.len() as u32;
            polygon.witnesses.start = witness_count as u32;
            polygon.given = first_given..self.given.len() as u32;
        }
        Ok(cleanup)
    }

    /// Takes a polygon whose rings meet at vertices only. If the result is not [`Simple::Taken`], a part of the polygon
    /// may be in the block, and the caller must remove it.
    fn take_simple<R: AsRef<[DVec2]>>(
        &mut self,
        object: u32,
        rings: &[R],
        leaf_pairs: &mut LeafPairs,
    ) -> Simple {
        let (before, first_ring) = (self.lengths(), self.rings.len() as u32);
        let (mut cleanup, mut is_convex) = (Cleanup::default(), true);
        for given in near_each_other(rings) {
            let ring = rings[given].as_ref();
            // The shell is not skipped if it is empty, because an empty shell is an error.
            if ring.is_empty() && given > 0 {
                continue;
            }
            let Some(taken) = self.take_ring(ring, given) else { return Simple::No };
            cleanup.repeated_vertices += taken.repeated;
            cleanup.collinear_vertices += taken.collinear;
            is_convex &= taken.is_convex && given == 0;
        }
        let added = first_ring..self.rings.len() as u32;
        let added_rings = &self.rings[added.start as usize..];
        cleanup.reversed_rings = added_rings.iter().filter(|ring| ring.is_reversed).count();
        self.witnesses.push(added_rings[0].first);
        self.add_polygon(object, added);
        if is_convex {
            return Simple::Taken(cleanup);
        }
        let mut meetings = self.outline(self.polygons.len() - 1).meetings(leaf_pairs);
        if let Meetings::OnEdges(on_edges) = meetings {
            self.split_edges(&before, object, on_edges);
            meetings = self.outline(self.polygons.len() - 1).meetings(leaf_pairs);
        }
        let outline = self.outline(self.polygons.len() - 1);
        let corners = match meetings {
            Meetings::AtCorners(corners) if outline.has_holes_in_place() => corners,
            Meetings::AtCorners(_) => {
                let stray = outline.stray_hole(rings);
                self.polygons.pop();
                return stray.map_or(Simple::No, Simple::Invalid);
            }
            Meetings::OnEdges(_) | Meetings::Unknown => return self.give_up(),
            Meetings::Crossing(edges) => {
                let error = outline.crossing_error(edges, rings);
                self.polygons.pop();
                return Simple::Invalid(error);
            }
        };
        if !corners.is_empty() {
            let Some(touches) = outline.touches(&corners) else { return self.give_up() };
            cleanup.touching_vertices = touches.point_count;
            self.touches.extend(touches.touches);
            if let Some(polygon) = self.polygons.last_mut() {
                polygon.touches.end = self.touches.len() as u32;
            }
        }
        Simple::Taken(cleanup)
    }

    fn give_up(&mut self) -> Simple {
        self.polygons.pop();
        Simple::No
    }

    /// Adds the last polygon of the block again, with the vertices `on_edges` inserted into some of its edges. `before`
    /// has the lengths of the lists of the block without the polygon.
    fn split_edges(&mut self, before: &Lengths, object: u32, mut on_edges: Vec<(u32, DVec2)>) {
        let first_ring = before.rings;
        let rings = self.rings[first_ring..].to_vec();
        let outline = self.outline(self.polygons.len() - 1);
        sort_by(&mut on_edges, |a, b| {
            let [from, to] = outline.edge(a.0);
            a.0.cmp(&b.0).then_with(|| by_way(from, to, a.1, b.1))
        });
        on_edges.dedup();
        let mut next = on_edges.into_iter().peekable();
        // For each ring, its vertices and the indices of the new vertices. Edges are numbered in the order of the
        // rings.
        let mut split: Vec<(Vec<DVec2>, Vec<u32>)> = Vec::with_capacity(rings.len());
        for ring in &rings {
            let (mut vertices, mut places) = (Vec::new(), Vec::new());
            for edge in ring.first..ring.end {
                vertices.push(self.vertices[edge as usize]);
                while let Some((_, at)) = next.next_if(|split| split.0 == edge) {
                    places.push(vertices.len() as u32);
                    vertices.push(at);
                }
            }
            split.push((vertices, places));
        }
        self.polygons.pop();
        self.truncate(before);
        for (ring, (vertices, places)) in rings.into_iter().zip(split) {
            let first = self.add_ring_vertices(&vertices);
            self.rings.push(Ring { first, end: first + vertices.len() as u32, ..ring });
            self.added.extend(places.iter().map(|place| first + place));
        }
        self.witnesses.push(self.rings[first_ring].first);
        self.add_polygon(object, first_ring as u32..self.rings.len() as u32);
    }

    /// Adds a ring to the block: the shell counter-clockwise, a hole clockwise. Returns `None` if a coordinate is
    /// invalid, if the ring has fewer than three different vertices, or if two consecutive edges lie on top of each
    /// other. Also returns `None` if the ring visits its least vertex twice.
    fn take_ring(&mut self, ring: &[DVec2], given: usize) -> Option<TakenRing> {
        let mut in_range = true;
        for v in ring {
            in_range &= is_in_range(v.x) & is_in_range(v.y);
        }
        if !in_range {
            return None;
        }
        // The last vertex is also stored before the first one. That copy is written later.
        let first = self.vertices.len() + 1;
        self.vertices.push(DVec2::ZERO);
        let (last, others) = ring.split_last()?;
        self.vertices.extend(others.iter().zip(&ring[1..]).filter(|(v, next)| v != next).map(|(&v, _)| v));
        if *last != ring[0] {
            self.vertices.push(*last);
        }
        let kept = self.vertices.len() - first;
        if kept < 3 {
            return None;
        }
        let closing = usize::from(*last == ring[0]);
        let repeated = ring.len() - kept - closing;
        let is_reversed = is_counter_clockwise(&self.vertices[first..])? != (given == 0);
        if is_reversed {
            self.vertices[first..].reverse();
        }
        self.vertices[first - 1] = self.vertices[first + kept - 1];
        self.vertices.push(self.vertices[first]);
        let (mut collinear, mut is_convex, mut turns) = (0, true, 0);
        let corners = &self.vertices[first - 1..];
        // Along a convex ring, the order of the vertices rises once and falls once.
        let mut was_less = is_less(corners[0], corners[1]);
        for corner in corners.windows(3) {
            let &[before, here, after] = corner else { unreachable!("windows of three") };
            let side = orientation(before, here, after);
            if side <= 0.0 {
                is_convex = false;
                if side == 0.0 {
                    if !is_between(before, here, after) {
                        return None;
                    }
                    collinear += 1;
                }
            }
            let less = is_less(here, after);
            turns += u32::from(less != was_less);
            was_less = less;
        }
        self.rings.push(Ring {
            first: first as u32,
            end: (first + kept) as u32,
            given: given as u32,
            is_reversed,
        });
        Some(TakenRing { repeated, collinear, is_convex: is_convex && turns == 2 })
    }

    /// Adds the vertices of a ring to the block: a copy of the last vertex, all vertices, and a copy of the first
    /// vertex. Returns the index of the first vertex.
    pub(super) fn add_ring_vertices(&mut self, ring: &[DVec2]) -> u32 {
        self.vertices.push(ring[ring.len() - 1]);
        let first = self.vertices.len() as u32;
        self.vertices.extend_from_slice(ring);
        self.vertices.push(ring[0]);
        first
    }

    /// Adds a polygon to the block. The rings of the polygon and one witness must already be in the block.
    pub(super) fn add_polygon(&mut self, object: u32, rings: Range<u32>) {
        let (leaves, first_box) = self.add_tree(rings.clone());
        let (witness_count, touch_count) = (self.witnesses.len() as u32, self.touches.len() as u32);
        self.polygons.push(Polygon {
            object,
            rings,
            leaves,
            first_box,
            witnesses: witness_count - 1..witness_count,
            touches: touch_count..touch_count,
            given: 0..0,
            crossed: None,
        });
    }

    pub(super) fn lengths(&self) -> Lengths {
        Lengths {
            vertices: self.vertices.len(),
            rings: self.rings.len(),
            leaves: self.leaves.len(),
            boxes: self.boxes.len(),
            witnesses: self.witnesses.len(),
            touches: self.touches.len(),
            crossed: self.crossed.len(),
            given: self.given.len(),
        }
    }

    pub(super) fn truncate(&mut self, lengths: &Lengths) {
        self.vertices.truncate(lengths.vertices);
        self.rings.truncate(lengths.rings);
        self.leaves.truncate(lengths.leaves);
        self.boxes.truncate(lengths.boxes);
        self.witnesses.truncate(lengths.witnesses);
        self.touches.truncate(lengths.touches);
        self.crossed.truncate(lengths.crossed);
        self.given.truncate(lengths.given);
        let kept = self.added.partition_point(|&vertex| (vertex as usize) < lengths.vertices);
        self.added.truncate(kept);
    }

    /// Removes the polygons of the last object, which is invalid.
    pub(crate) fn remove_last_object(&mut self, object: u32) {
        let count = self.polygons.iter().rev().take_while(|polygon| polygon.object == object).count();
        let first = self.polygons.len() - count;
        let Some(polygon) = self.polygons.get(first) else { return };
        let ring = polygon.rings.start as usize;
        let first_crossed = self.polygons[first..].iter().find_map(|polygon| polygon.crossed);
        let given = self.polygons[first..].iter().find(|polygon| !polygon.given.is_empty());
        let lengths = Lengths {
            vertices: self.rings[ring].first as usize - 1,
            rings: ring,
            leaves: polygon.leaves.start as usize,
            boxes: polygon.first_box as usize,
            witnesses: polygon.witnesses.start as usize,
            touches: polygon.touches.start as usize,
            crossed: first_crossed.map_or(self.crossed.len(), |index| index as usize),
            given: given.map_or(self.given.len(), |polygon| polygon.given.start as usize),
        };
        self.polygons.truncate(first);
        self.truncate(&lengths);
    }
}

impl Outline<'_> {
    /// Returns the error of two edges that cross. `given` are the rings as the caller gave them.
    pub(crate) fn crossing_error<R: AsRef<[DVec2]>>(&self, edges: [u32; 2], given: &[R]) -> Error {
        let [[p, q], [r, s]] = edges.map(|edge| self.edge(edge));
        let ring = self.ring_of(edges[0]);
        let given = given[ring.given as usize].as_ref();
        let [from, to] = if ring.is_reversed { [q, p] } else { [p, q] };
        let (count, position) = (ring.end - ring.first, edges[0] - ring.first);
        let position = if ring.is_reversed { (2 * count - 2 - position) % count } else { position };
        // The outline has no vertices that equal the next vertex, so such vertices of the given ring are skipped.
        let next = |i: usize| given[(i + 1) % given.len()];
        let mut kept = (0..given.len()).filter(|&i| given[i] != next(i));
        Error::CrossingSegments {
            polygon: 0,
            ring: ring.given as usize,
            segment: kept.nth(position as usize).unwrap_or_default(),
            from: from.into(),
            to: to.into(),
            near: decompose::near_crossing(from, to, r, s).into(),
        }
    }

    /// Returns the error of the first hole with a vertex outside the shell, or `None` if no hole is found. `given` are
    /// the rings as the caller gave them. Edges must meet at their ends only. The method tests the vertices of each
    /// hole in order, up to the first vertex that is not on the shell.
    fn stray_hole<R: AsRef<[DVec2]>>(&self, given: &[R]) -> Option<Error> {
        let holes = given.iter().enumerate().skip(1);
        holes.into_iter().find_map(|(ring, hole)| {
            let places = hole.as_ref().iter().map(|&at| (at, self.locate_in(at, self.first_ring)));
            let (at, place) = places.into_iter().find(|&(_, place)| place != Place::Boundary)?;
            let is_outside = place == Place::Outside;
            is_outside.then_some(Error::HoleOutsideShell { polygon: 0, ring, x: at.x, y: at.y })
        })
    }

    /// Returns whether each hole is inside the shell and outside the other holes. The rings must not cross.
    ///
    /// The method counts the other rings around each hole. The answer is yes if all counts are odd:
    ///
    /// - If a hole is in another hole, some hole is in exactly one other hole. It has two rings around it: this other
    ///   hole and the shell.
    /// - If a hole is outside the shell, some hole has no ring around it.
    ///
    /// If all vertices of a hole are on other rings, the method tests an edge of the hole. Other rings touch this edge
    /// at its ends only. The interior of the polygon must then be on the side of the edge that is outside the hole.
    fn has_holes_in_place(&self) -> bool {
        (1..self.rings.len()).all(|number| {
            let Ring { first, end, .. } = self.rings[number];
            let index = self.first_ring + number as u32;
            let places = (first..end).map(|v| self.locate_without(self.vertices[v as usize], index));
            match places.into_iter().find(|&place| place != Place::Boundary) {
                Some(place) => place == Place::Inside,
                None => self.interior_beside(first) == Interior::Left,
            }
        })
    }
}

/// Returns an order of the rings, as indices: the shell first, then the holes. Most holes are near the hole before
/// them.
fn near_each_other<R: AsRef<[DVec2]>>(rings: &[R]) -> Vec<usize> {
    let first = |ring: &R| ring.as_ref().first().copied().unwrap_or_default();
    let places: Vec<DVec2> = rings.iter().skip(1).map(first).collect();
    if places.len() <= FEW_HOLES || places.iter().any(|place| place.is_nan()) {
        return (0..rings.len()).collect();
    }
    let holes = decompose::along_curve(&places);
    std::iter::once(0).chain(holes.into_iter().map(|hole| hole as usize + 1)).collect()
}

/// Returns whether a ring is counter-clockwise. The ring must not cross itself, and no two consecutive edges may lie on
/// top of each other. The corner at the least vertex is then convex. Returns `None` if the ring visits its least vertex
/// twice.
fn is_counter_clockwise(ring: &[DVec2]) -> Option<bool> {
    let (mut least, mut is_unique) = (0, true);
    for (i, &v) in ring.iter().enumerate().skip(1) {
        is_unique &= v != ring[least];
        if is_less(v, ring[least]) {
            (least, is_unique) = (i, true);
        }
    }
    let at = |i: usize| ring[i % ring.len()];
    is_unique.then(|| orientation(at(least + ring.len() - 1), ring[least], at(least + 1)) > 0.0)
}
