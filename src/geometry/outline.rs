//! The outlines of large polygons. A query that needs only the boundary of a polygon reads its outline, and the polygon
//! is not split into convex pieces.
//!
//! An outline consists of closed rings. The interior of the polygon is on the left of every edge, and rings do not
//! cross. At a point where rings touch, the interior consists of several sectors, and each corner of a ring encloses
//! one of them. A crossed polygon is an exception: its rings may cross, and may have the interior on either side (see
//! [`crossed`]).

mod centre;
mod crossed;
mod cuts;
mod hot_pixels;
mod islands;
mod locate;
mod polygon;
mod ray;
mod sectors;
mod simple;
mod single;
mod status;
pub(crate) mod steps;
mod sweep;
mod touches;
mod tree;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use glam::DVec2;

pub(crate) use centre::{Centre, Crossing};
pub(crate) use crossed::Nearby;
use crossed::{Crossed, Interior};
pub(crate) use cuts::{Cut, CutLimits, Excess, Loops, is_strictly_on};
pub(crate) use hot_pixels::by_way;
pub(crate) use islands::{PolygonTree, PolygonTrees};
pub(crate) use locate::{Place, locate_in_union};
pub(crate) use ray::crosses_odd_number;
pub(crate) use sectors::sectors;
pub(crate) use simple::{Patience, Segments, is_same_direction};
pub(crate) use single::Single;
use sweep::Pairs;
pub(crate) use sweep::{Common, Swept};
pub(crate) use touches::by_angle;
use tree::Levels;
pub(crate) use tree::{LEAF_EDGES, LeafPairs, edge_box, meets};

use super::{Aabb, Fill};

/// A run of consecutive edges of one ring. Edge `e` goes from vertex `e` to vertex `e + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The index of the first edge of the run.
    pub(crate) first: u32,
    /// One past the index of the last edge of the run.
    pub(crate) end: u32,
    /// The index of the ring that contains the run, in the list `rings` of the block.
    ring: u32,
}

/// A ring of an outline: the vertices `first..end` of its block. Vertex `first - 1` repeats the last vertex, and vertex
/// `end` repeats the first vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ring {
    first: u32,
    end: u32,
    /// Index of the ring in the list of the caller's rings.
    given: u32,
    /// Whether the caller's ring runs in the direction opposite to this ring.
    is_reversed: bool,
}

/// A corner of an outline, at a point where rings touch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Touch {
    /// The index of the edge that begins at the corner.
    edge: u32,
    /// The far end of the boundary edge that comes next after `edge`, counter-clockwise around the corner. The sector
    /// between the two edges is in the interior.
    before: DVec2,
}

/// The outlines of consecutive objects, built by one task.
#[derive(Debug, Default)]
pub(crate) struct Block {
    vertices: Vec<DVec2>,
    rings: Vec<Ring>,
    leaves: Vec<Leaf>,
    /// The trees of all polygons. A tree is a list of boxes: first a box for each leaf, then a box around each eight
    /// leaves, then a box around each eight of these boxes, and so on up to the root.
    boxes: Vec<Aabb>,
    polygons: Vec<Polygon>,
    /// For each polygon, the indices of its *witnesses*, in ascending order. A witness is a vertex that represents a
    /// ring in searches for nested polygons. Each outermost ring of the polygon has at least one witness.
    witnesses: Vec<u32>,
    /// For each polygon, the corners at points where rings touch, sorted by edge.
    touches: Vec<Touch>,
    /// The crossed polygons: their rings cross, a hole leaves its shell, or their region depends on the fill rule.
    crossed: Vec<Crossed>,
    /// The vertices that were inserted into edges of the caller's rings, in ascending order.
    added: Vec<u32>,
    /// The caller's rings, for each crossed polygon and each polygon whose outline has other rings than the caller's.
    given: Vec<Vec<DVec2>>,
}

/// One polygon of a block: ranges of the lists of the block.
#[derive(Clone, Debug)]
struct Polygon {
    object: u32,
    rings: Range<u32>,
    leaves: Range<u32>,
    first_box: u32,
    witnesses: Range<u32>,
    touches: Range<u32>,
    /// The caller's rings, as a range of the list `given` of the block. The range is empty if the outline has the same
    /// rings.
    given: Range<u32>,
    /// The index of the polygon in the list `crossed` of the block, or `None` if the polygon is not crossed.
    crossed: Option<u32>,
}

/// The outlines of all polygons of a static set. A MultiPolygon has several polygons, and its region is their union.
#[derive(Debug, Default)]
pub(crate) struct Outlines {
    /// The blocks. A selection of objects shares them with the set that it is from.
    blocks: Arc<Vec<Block>>,
    /// The block of each polygon, and the index of the polygon in the block. Polygons are numbered object by object.
    places: Vec<[u32; 2]>,
    /// For each polygon, the box around it.
    boxes: Vec<Aabb>,
    /// For each polygon, the index of its object.
    objects: Vec<u32>,
    /// The objects with a crossed polygon (see [`crossed`]), in ascending order.
    crossed: Vec<u32>,
    trees: PolygonTrees,
}

/// The outline of one polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline<'a> {
    /// The vertices of the block. Edges are indices into this list, which may also hold vertices of other polygons.
    vertices: &'a [DVec2],
    rings: &'a [Ring],
    /// The index of the outline's first ring in the list `rings` of its block.
    first_ring: u32,
    leaves: &'a [Leaf],
    boxes: &'a [Aabb],
    witnesses: &'a [u32],
    touches: &'a [Touch],
    crossed: Option<&'a Crossed>,
    levels: Levels,
}

impl Outlines {
    /// Returns the number of polygons of all objects.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the number of vertices of all polygons.
    pub(crate) fn vertex_count(&self) -> usize {
        let rings = self.places.iter().flat_map(|&[block, index]| {
            let block = &self.blocks[block as usize];
            let Range { start, end } = block.polygons[index as usize].rings;
            &block.rings[start as usize..end as usize]
        });
        rings.map(|ring| (ring.end - ring.first) as usize).sum()
    }

    /// Returns the exact box around each polygon.
    pub(crate) fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Returns the object of each polygon, in ascending order.
    pub(crate) fn objects(&self) -> &[u32] {
        &self.objects
    }

    /// Returns whether every object has at most one polygon.
    pub(crate) fn has_one_polygon_an_object(&self) -> bool {
        self.objects.windows(2).all(|pair| pair[0] < pair[1])
    }

    /// Returns the outline of a polygon, by the index of the polygon in the set.
    #[inline]
    pub(crate) fn outline(&self, polygon: usize) -> Outline<'_> {
        let [block, index] = self.places[polygon];
        self.blocks[block as usize].outline(index as usize)
    }

    /// Returns the range of the polygons of an object.
    pub(crate) fn polygons_of(&self, object: u32) -> Range<usize> {
        let first = self.objects.partition_point(|&other| other < object);
        first..first + self.objects[first..].partition_point(|&other| other == object)
    }

    /// Returns the box around an object.
    pub(crate) fn bounds_of(&self, object: u32) -> Aabb {
        self.trees.bounds(object, &self.boxes[self.polygons_of(object)])
    }

    /// Calls `visit` with the index of each polygon of an object, if the box of the polygon meets the box `around`.
    pub(crate) fn polygons_near(&self, object: u32, around: Aabb, visit: impl FnMut(usize)) {
        self.trees.near(object, self.polygons_of(object), &self.boxes, around, visit);
    }

    /// Joins the outlines of consecutive objects.
    pub(super) fn of_blocks(blocks: Vec<Block>) -> Self {
        let count = blocks.iter().map(|block| block.polygons.len()).sum();
        let mut outlines = Self {
            places: Vec::with_capacity(count),
            boxes: Vec::with_capacity(count),
            objects: Vec::with_capacity(count),
            crossed: Vec::new(),
            blocks: Arc::default(),
            trees: PolygonTrees::default(),
        };
        for (number, block) in (0..).zip(&blocks) {
            for (index, polygon) in (0..).zip(&block.polygons) {
                outlines.places.push([number, index]);
                outlines.boxes.push(block.outline(index as usize).aabb());
                outlines.objects.push(polygon.object);
                if polygon.crossed.is_some() && outlines.crossed.last() != Some(&polygon.object) {
                    outlines.crossed.push(polygon.object);
                }
            }
        }
        outlines.trees = PolygonTrees::of(&outlines.objects, &outlines.boxes);
        outlines.blocks = Arc::new(blocks);
        outlines
    }

    /// Returns the outlines of the given objects. Object `i` of the result is object `objects[i]`.
    pub(in crate::geometry) fn select(&self, objects: &[u32]) -> Self {
        let mut selected = Self { blocks: self.blocks.clone(), ..Self::default() };
        for (index, &object) in (0u32..).zip(objects) {
            let polygons = self.polygons_of(object);
            selected.places.extend_from_slice(&self.places[polygons.clone()]);
            selected.boxes.extend_from_slice(&self.boxes[polygons.clone()]);
            selected.objects.extend(polygons.map(|_| index));
            if self.crossed.binary_search(&object).is_ok() {
                selected.crossed.push(index);
            }
        }
        selected.trees = PolygonTrees::of(&selected.objects, &selected.boxes);
        selected
    }

    /// Returns the fill rule of a crossed polygon. Returns `None` if the polygon is not crossed.
    pub(super) fn fill(&self, polygon: usize) -> Option<Fill> {
        self.outline(polygon).crossed.map(|crossed| crossed.fill)
    }

    /// Returns the objects with a crossed polygon, in ascending order.
    pub(crate) fn crossed_objects(&self) -> &[u32] {
        &self.crossed
    }

    /// Returns the rings of a polygon as the caller gave them, without repeated vertices.
    pub(super) fn given_rings(&self, polygon: usize) -> Vec<Vec<DVec2>> {
        let [block, index] = self.places[polygon];
        let block = &self.blocks[block as usize];
        let polygon = &block.polygons[index as usize];
        if !polygon.given.is_empty() {
            return block.given[polygon.given.start as usize..polygon.given.end as usize].to_vec();
        }
        let mut rings = block.rings[polygon.rings.start as usize..polygon.rings.end as usize].to_vec();
        crate::base::sorting::sort_by_key(&mut rings, |ring| ring.given);
        let given = |ring: &Ring| {
            let is_given = |vertex: &u32| block.added.binary_search(vertex).is_err();
            let kept = (ring.first..ring.end).filter(is_given);
            let mut vertices: Vec<DVec2> = kept.map(|vertex| block.vertices[vertex as usize]).collect();
            if ring.is_reversed {
                vertices.reverse();
            }
            vertices
        };
        rings.iter().map(given).collect()
    }
}

impl Block {
    #[inline]
    pub(crate) fn outline(&self, polygon: usize) -> Outline<'_> {
        let polygon = &self.polygons[polygon];
        let range = |range: &Range<u32>| range.start as usize..range.end as usize;
        Outline {
            vertices: &self.vertices,
            rings: &self.rings[range(&polygon.rings)],
            first_ring: polygon.rings.start,
            leaves: &self.leaves[range(&polygon.leaves)],
            boxes: &self.boxes[polygon.first_box as usize..],
            witnesses: &self.witnesses[range(&polygon.witnesses)],
            touches: &self.touches[range(&polygon.touches)],
            crossed: polygon.crossed.map(|index| &self.crossed[index as usize]),
            levels: Levels::of(polygon.leaves.len()),
        }
    }
}

impl<'a> Outline<'a> {
    /// Returns the ends of an edge.
    #[inline(always)]
    pub(crate) fn edge(&self, edge: u32) -> [DVec2; 2] {
        [self.vertices[edge as usize], self.vertices[edge as usize + 1]]
    }

    /// Returns a point in the direction at which a sector of the interior ends. The sector begins at the edge `edge` and
    /// goes counter-clockwise around the first vertex of the edge. If no rings touch at this vertex, the point is the
    /// vertex before the edge.
    #[inline(always)]
    pub(crate) fn sector_end(&self, edge: u32) -> DVec2 {
        if !self.touches.is_empty()
            && let Ok(at) = self.touches.binary_search_by_key(&edge, |touch| touch.edge)
        {
            return self.touches[at].before;
        }
        self.vertices[edge as usize - 1]
    }

    #[inline(always)]
    pub(crate) fn leaf(&self, leaf: u32) -> Leaf {
        self.leaves[leaf as usize]
    }

    #[inline(always)]
    pub(crate) fn leaf_box(&self, leaf: u32) -> Aabb {
        self.boxes[leaf as usize]
    }

    /// Returns the box around the outline.
    #[inline]
    pub(crate) fn aabb(&self) -> Aabb {
        steps::count();
        self.boxes[self.levels.root()]
    }

    /// Calls `visit` with each witness in a box, until `visit` breaks. Each outermost ring has a vertex that is a
    /// witness. Other rings may have one, too.
    pub(crate) fn witnesses_in(
        &self,
        around: Aabb,
        mut visit: impl FnMut(DVec2) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut visit_all = |witnesses: &[u32]| {
            let vertices = witnesses.iter().map(|&witness| self.vertices[witness as usize]);
            vertices.filter(|&v| around.covers(Aabb { min: v, max: v })).try_for_each(&mut visit)
        };
        if self.witnesses.len() <= LEAF_EDGES {
            return visit_all(self.witnesses);
        }
        self.leaves_in(around, |Leaf { first, end, .. }| {
            let [from, to] = [first, end].map(|v| self.witnesses.partition_point(|&witness| witness < v));
            visit_all(&self.witnesses[from..to])
        })
    }

    /// Calls `visit` with the first vertex of each ring if the vertex is in a box, until `visit` breaks.
    pub(crate) fn ring_starts_in(
        &self,
        around: Aabb,
        mut visit: impl FnMut(DVec2) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.leaves_in(around, |Leaf { first, ring, .. }| {
            let start = self.vertices[first as usize];
            let is_start = self.rings[(ring - self.first_ring) as usize].first == first;
            if is_start && around.covers(Aabb { min: start, max: start }) {
                visit(start)?;
            }
            ControlFlow::Continue(())
        })
    }

    /// Returns whether rings touch at the first vertex of an edge.
    pub(crate) fn has_touch_at(&self, edge: u32) -> bool {
        self.touches.binary_search_by_key(&edge, |touch| touch.edge).is_ok()
    }

    /// Returns two indices for an edge: the index of its ring among the rings that the caller gave, and the index of the
    /// edge in the outline's ring. The outline's ring has no repeated vertices, and may run in the opposite direction.
    pub(crate) fn place_of(&self, edge: u32) -> (u32, u32) {
        let ring = self.ring_of(edge);
        (ring.given, edge - ring.first)
    }

    /// Returns whether the interior is on the left of the first edge of a ring and not on its right. `ring` is the index
    /// of the ring in this outline. Other edges may meet this edge only at its ends.
    pub(crate) fn has_interior_on_left(&self, ring: u32) -> bool {
        self.interior_beside(self.rings[ring as usize].first) == Interior::Left
    }

    /// Returns the ring that contains an edge.
    fn ring_of(&self, edge: u32) -> Ring {
        self.rings[self.rings.partition_point(|ring| ring.end <= edge)]
    }

    /// Returns whether two different edges of a ring are consecutive. `e` is the lower index, and `ring` is the index of
    /// the ring in its block.
    #[inline(always)]
    fn are_adjacent(&self, e: u32, f: u32, ring: u32) -> bool {
        if e + 1 == f {
            return true;
        }
        let ring = self.rings[(ring - self.first_ring) as usize];
        e == ring.first && f + 1 == ring.end
    }
}
