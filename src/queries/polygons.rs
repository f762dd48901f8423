//! Provides the sets of a query as polygons, for queries that compare the edges of polygons.

use std::borrow::Cow;

use crate::answers::backend::{Backend, Choice};
use crate::geometry::outline::{Outline, Outlines, PolygonTrees, Single};
use crate::geometry::{Aabb, PolygonSet};
use crate::kernels::backends::Backends;

/// The reported reason for the choice of the CPU, if an engine that has a GPU compares edges.
const REASON: &str = "the CPU compares large polygons by their edges, without splitting them into pieces";
/// The reported reason for the choice of the CPU, if a set has a crossed object ([`PolygonSet::crossed_objects`]).
const CROSSED: &str =
    "the CPU compares polygons whose rings cross by their edges, because their pieces are rounded";

/// The polygons of a set: the outlines of its objects, or its convex pieces.
#[derive(Clone, Copy, Debug)]
pub(super) enum Polygons<'a> {
    Outlines(&'a Outlines),
    /// The convex pieces of a set without outlines. Each object is the union of its pieces.
    Pieces(&'a PolygonSet),
}

impl<'a> Polygons<'a> {
    pub(super) fn of(set: &'a PolygonSet) -> Self {
        set.outlined().map_or(Self::Pieces(set), |outlined| Self::Outlines(&outlined.outlines))
    }

    /// Returns both sides of a query as polygons, for a comparison of their edges. Returns `None` if no side has
    /// outlines, or if a side has poses. Also returns `None` if the caller requested a GPU, because its kernels need
    /// pieces. If a set has a crossed object, the request for a GPU has no effect, because the pieces of this object
    /// are rounded.
    pub(super) fn of_both(sides: [&'a PolygonSet; 2], backends: &Backends) -> Option<[Self; 2]> {
        // In WebAssembly, sets have no outlines.
        if cfg!(target_family = "wasm") {
            return None;
        }
        let has_outlines = sides.iter().any(|set| set.outlined().is_some());
        let wants_pieces = backends.is_gpu_requested() && !have_crossings(sides);
        let on_edges = has_outlines && sides.iter().all(|set| set.is_static()) && !wants_pieces;
        on_edges.then(|| sides.map(Self::of))
    }

    pub(super) fn boxes(self) -> Cow<'a, [Aabb]> {
        match self {
            Self::Outlines(outlines) => outlines.boxes().into(),
            Self::Pieces(set) => set.piece_boxes(),
        }
    }

    /// Returns the object of each polygon, or `None` if each object has at most one polygon.
    pub(super) fn groups(self) -> Option<&'a [u32]> {
        match self {
            Self::Outlines(outlines) => (!outlines.has_one_polygon_an_object()).then(|| outlines.objects()),
            Self::Pieces(set) => set.piece_objects().filter(|_| !set.has_one_piece_an_object()),
        }
    }

    /// Returns the range of the polygons of an object.
    pub(super) fn polygons_of(self, object: u32) -> std::ops::Range<u32> {
        let polygons = match self {
            Self::Outlines(outlines) => outlines.polygons_of(object),
            Self::Pieces(set) => set.object_pieces(object as usize),
        };
        polygons.start as u32..polygons.end as u32
    }

    pub(super) fn object(self, polygon: u32) -> u32 {
        match self {
            Self::Outlines(outlines) => outlines.objects()[polygon as usize],
            Self::Pieces(set) => set.piece_object(polygon as usize) as u32,
        }
    }

    pub(super) fn outline<'s>(self, polygon: u32, single: &'s mut Single) -> Outline<'s>
    where
        'a: 's,
    {
        match self {
            Self::Outlines(outlines) => outlines.outline(polygon as usize),
            Self::Pieces(set) => single.outline(set.piece_vertices(polygon as usize)),
        }
    }

    /// Returns the trees over the boxes of the pieces, for the objects with many pieces. Returns `None` if the polygons
    /// are outlines, because outlines have their own trees. Also returns `None` if each piece `i` is object `i`, and
    /// always in WebAssembly.
    pub(super) fn trees(self) -> Option<&'a PolygonTrees> {
        match self {
            Self::Outlines(_) => None,
            Self::Pieces(set) => set.piece_trees(),
        }
    }
}

/// A side of a query, with trees that find the polygons of an object near a box.
#[derive(Debug)]
pub(super) struct Searched<'a> {
    polygons: Polygons<'a>,
    boxes: Cow<'a, [Aabb]>,
    trees: Option<&'a PolygonTrees>,
}

impl<'a> Searched<'a> {
    pub(super) fn of(polygons: Polygons<'a>) -> Self {
        Self { polygons, boxes: polygons.boxes(), trees: polygons.trees() }
    }

    /// Returns the box of an object.
    pub(super) fn bounds_of(&self, object: u32) -> Aabb {
        match self.polygons {
            Polygons::Outlines(outlines) => outlines.bounds_of(object),
            Polygons::Pieces(set) => {
                let pieces = &self.boxes[set.object_pieces(object as usize)];
                self.trees.unwrap_or(PolygonTrees::NONE).bounds(object, pieces)
            }
        }
    }

    /// Calls `visit` with the index of each polygon of an object if the box of the polygon meets `around`.
    pub(super) fn near(&self, object: u32, around: Aabb, mut visit: impl FnMut(u32)) {
        let visit = |polygon: usize| visit(polygon as u32);
        match self.polygons {
            Polygons::Outlines(outlines) => outlines.polygons_near(object, around, visit),
            Polygons::Pieces(set) => {
                let (trees, pieces) =
                    (self.trees.unwrap_or(PolygonTrees::NONE), set.object_pieces(object as usize));
                trees.near(object, pieces, &self.boxes, around, visit);
            }
        }
    }

    /// Returns the box of a polygon.
    pub(super) fn box_of(&self, polygon: u32) -> Aabb {
        self.boxes[polygon as usize]
    }

    pub(super) fn outline<'s>(&self, polygon: u32, single: &'s mut Single) -> Outline<'s>
    where
        'a: 's,
    {
        self.polygons.outline(polygon, single)
    }

    /// Returns the polygons of an object whose boxes meet `around`, and whether the object has other polygons.
    pub(super) fn outlines_near<'s>(
        &self,
        object: u32,
        around: Aabb,
        singles: &'s mut Vec<Single>,
    ) -> (Vec<Outline<'s>>, bool)
    where
        'a: 's,
    {
        let mut near = Vec::new();
        self.near(object, around, |polygon| near.push(polygon));
        let has_others = near.len() < self.polygons.polygons_of(object).len();
        let outlines = match self.polygons {
            Polygons::Outlines(outlines) => near.iter().map(|&k| outlines.outline(k as usize)).collect(),
            Polygons::Pieces(set) => {
                singles.resize_with(singles.len().max(near.len()), Single::default);
                let pieces = near.iter().zip(singles);
                pieces.map(|(&piece, single)| single.outline(set.piece_vertices(piece as usize))).collect()
            }
        };
        (outlines, has_others)
    }
}

/// Returns whether either set has a crossed object ([`PolygonSet::crossed_objects`]), whose pieces may be rounded. In
/// WebAssembly, always returns false.
pub(super) fn have_crossings(sides: [&PolygonSet; 2]) -> bool {
    cfg!(not(target_family = "wasm")) && sides.iter().any(|set| !set.crossed_objects().is_empty())
}

/// Returns the choice of the backend for a query that compares the edges of polygons, with its reason.
pub(crate) fn choice_on_edges(sides: [&PolygonSet; 2], backends: &Backends) -> Choice {
    let cpu = |reason: &str| Choice { backend: Backend::Cpu, adapter: None, reason: reason.into() };
    match backends.choice.backend {
        Backend::Cpu => backends.choice.clone(),
        _ if have_crossings(sides) => cpu(CROSSED),
        _ => cpu(REASON),
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod unsplit_tests;
