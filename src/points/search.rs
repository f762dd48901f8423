//! Finds the objects near a point by a tree over their boxes, instead of the grid.
//!
//! Building the grid over all pieces takes longer than deciding few points. For few points, the code builds a tree only
//! over the boxes that may contain points, and decides the objects on their edges. The grid never contains a crossed
//! object ([`PolygonSet::crossed_objects`]), because the vertices of its pieces are rounded.

use glam::DVec2;

use super::direct::relation_to_piece;
use super::occupied::OccupiedCells;
use super::outlined::relation_to_object;
use super::scan::{Hit, Tally};
use crate::answers::points::PointRelation;
use crate::base::error::Result;
use crate::broad_phase::{self, Candidates};
use crate::geometry::outline::{Outlines, crosses_odd_number};
use crate::geometry::{Aabb, PolygonSet};
use crate::simd::prefetch_lines;

/// In a set with outlines, a query has few points if the estimated [`Searched::work`] is less than this number for each
/// vertex. So much work takes less time than making pieces and a grid.
const WORK_A_VERTEX: usize = 64;
/// The work for a point and an object whose box contains the point. It is 1 if all edges of the object form a short chain.
const WORK_WITHOUT_CHAIN: usize = 5;
/// The work is estimated from this number of points.
const SAMPLE: usize = 512;
/// In a set without outlines, a query has few points if the set has more than this number of vertices per point.
const VERTICES_A_POINT: usize = 8;

/// A list of pairs takes no further points after it has at least this many pairs. This limit bounds the memory.
const BLOCK_PAIRS: usize = 1 << 14;

/// For each target near a point of a block, this many cache lines are prefetched, which hold 24 vertices.
const LINES: usize = 6;

/// The targets of a search: the objects or pieces of a set whose relations to points are decided from their edges,
/// without the grid.
#[derive(Debug)]
pub(super) struct Searched<'a> {
    targets: Targets<'a>,
    /// The indices of the targets in the set.
    indices: Vec<u32>,
    /// The boxes of the targets, prepared for a search.
    boxes: Candidates,
    /// Whether every object or piece that contains one of the points is a target.
    are_all: bool,
}

#[derive(Debug)]
enum Targets<'a> {
    /// The targets are objects, which are decided on their outlines. `chains` has the edges of each target that
    /// [`Outlines::chain_of`] returns, and an empty list for other targets.
    Objects { outlines: &'a Outlines, chains: Vec<&'a [DVec2]> },
    /// The targets are convex pieces.
    Pieces(&'a PolygonSet),
}

impl<'a> Searched<'a> {
    /// If there are few points, returns all targets that may contain points. Otherwise, returns the crossed objects
    /// ([`PolygonSet::crossed_objects`]). Returns `None` if the grid has all objects.
    ///
    /// # Errors
    /// Returns the errors of the broad phase.
    pub(super) fn for_points<P: Into<DVec2> + Copy>(
        set: &'a PolygonSet,
        points: &[P],
    ) -> Result<Option<Self>> {
        let most = match set.outlined() {
            Some(outlined) => outlined.outlines.vertex_count().saturating_mul(WORK_A_VERTEX),
            None => set.vertex_count() / VERTICES_A_POINT,
        };
        if points.len() >= most {
            return Self::crossed(set);
        }
        let occupied = OccupiedCells::of(points);
        let Some(outlined) = set.outlined() else {
            let boxes = set.piece_boxes();
            let indices = occupied.boxes_with_points(&boxes);
            let boxes = indices.iter().map(|&piece| boxes[piece as usize]).collect();
            return Self::of(Targets::Pieces(set), indices, boxes, true).map(Some);
        };
        let outlines = &outlined.outlines;
        let mut objects = outlines.objects().to_vec();
        objects.dedup();
        let boxes: Vec<Aabb> = objects.iter().map(|&object| outlines.bounds_of(object)).collect();
        let kept = occupied.boxes_with_points(&boxes);
        let boxes = kept.iter().map(|&index| boxes[index as usize]).collect();
        let indices: Vec<u32> = kept.iter().map(|&index| objects[index as usize]).collect();
        let chains = indices.iter().map(|&object| outlines.chain_of(object).unwrap_or_default()).collect();
        let searched = Self::of(Targets::Objects { outlines, chains }, indices, boxes, true)?;
        if searched.work(points) < most { Ok(Some(searched)) } else { Self::crossed(set) }
    }

    /// Returns the [`PolygonSet::crossed_objects`], or `None` if there are none.
    ///
    /// # Errors
    /// Returns the errors of the broad phase.
    pub(super) fn crossed(set: &'a PolygonSet) -> Result<Option<Self>> {
        let Some(outlined) = set.outlined().filter(|o| !o.outlines.crossed_objects().is_empty()) else {
            return Ok(None);
        };
        let outlines = &outlined.outlines;
        let objects = outlines.crossed_objects().to_vec();
        let boxes = objects.iter().map(|&object| outlines.bounds_of(object)).collect();
        let targets = Targets::Objects { outlines, chains: vec![&[]; objects.len()] };
        Self::of(targets, objects, boxes, false).map(Some)
    }

    fn of(targets: Targets<'a>, indices: Vec<u32>, boxes: Vec<Aabb>, are_all: bool) -> Result<Self> {
        Ok(Self { targets, indices, boxes: broad_phase::self_join(&boxes, None)?, are_all })
    }

    /// Returns an estimate of the work of deciding the points, which is at least 1 for each point.
    fn work<P: Into<DVec2> + Copy>(&self, points: &[P]) -> usize {
        if points.len() <= SAMPLE {
            return points.len();
        }
        // Multiples of the golden ratio, modulo the number of points, do not follow the rows of a raster.
        let place = |k: u64| (k * 0x9e37_79b9 % points.len() as u64) as usize;
        let sample: Vec<DVec2> = (0..SAMPLE as u64).map(|k| points[place(k)].into()).collect();
        let mut pairs = Vec::new();
        let searched = self.near(&sample, &mut pairs);
        let of_pair = |&[_, index]: &[u32; 2]| match &self.targets {
            Targets::Objects { chains, .. } if chains[index as usize].is_empty() => WORK_WITHOUT_CHAIN,
            _ => 1,
        };
        let work: usize = pairs.iter().map(of_pair).sum();
        points.len().max((work as f64 / searched as f64 * points.len() as f64) as usize)
    }

    /// Returns whether every object or piece that contains one of the points is a target.
    pub(super) fn are_all(&self) -> bool {
        self.are_all
    }

    /// Returns whether the targets are pieces. Otherwise they are objects.
    pub(super) fn are_pieces(&self) -> bool {
        matches!(self.targets, Targets::Pieces(_))
    }

    /// Returns whether the query reads pieces of the set, from the grid or as targets.
    pub(super) fn needs_pieces(&self) -> bool {
        !self.are_all || self.are_pieces()
    }

    /// Lists the pairs of a point and a target whose box contains the point, sorted by point. A pair holds the index in
    /// `points` and the index in `indices`. Stops after a point if the list has at least [`BLOCK_PAIRS`] pairs. Returns
    /// the number of points whose pairs are listed. These are the first points of `points`. If `points` is not empty,
    /// the number is at least 1.
    pub(super) fn near(&self, points: &[DVec2], pairs: &mut Vec<[u32; 2]>) -> usize {
        let boxes: Vec<Aabb> = points.iter().map(|&point| Aabb { min: point, max: point }).collect();
        pairs.clear();
        let count = self.boxes.search(&boxes, BLOCK_PAIRS, pairs);
        if let Targets::Objects { chains, .. } = &self.targets {
            let near = pairs.iter().map(|&[_, index]| chains[index as usize]);
            near.filter(|chain| !chain.is_empty()).for_each(|chain| prefetch_lines(chain, 0, LINES));
        }
        count
    }

    /// Appends to `hits` the targets that contain a point, and sorts `hits` by index. `pairs` are the pairs of the
    /// point from [`Searched::near`].
    pub(super) fn decide(&self, point: DVec2, pairs: &[[u32; 2]], hits: &mut Vec<Hit>, tally: &mut Tally) {
        for &[_, index] in pairs {
            let target = self.indices[index as usize];
            let relation = match &self.targets {
                Targets::Objects { outlines, chains } => match chains[index as usize] {
                    [] => relation_to_object(point, outlines, target),
                    chain => match crosses_odd_number(chain, point) {
                        None => relation_to_object(point, outlines, target),
                        Some(true) => PointRelation::Inside,
                        Some(false) => PointRelation::Outside,
                    },
                },
                Targets::Pieces(set) => {
                    let decided = relation_to_piece(point, set.piece(target as usize));
                    tally.uncertain += u64::from(decided.was_uncertain);
                    decided.relation
                }
            };
            if relation != PointRelation::Outside {
                hits.push((target, relation));
            }
        }
        crate::base::sorting::sort_unstable_by_key(hits, |hit| hit.0);
    }
}

#[cfg(all(test, feature = "scenes"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test panics")]

    use super::*;
    use crate::geometry::{Coordinates, PolygonColumns, set_of_outlines};
    use crate::kernels::test_scenes::Random;
    use crate::points::tests::{assert_as_judged, points_about};

    /// Returns `count` stars with 3 to 90 corners, each in a square of its own. Every third star has a hole, and every fifth
    /// object also has a small triangle. The coordinates are integers if `on_grid` is true.
    fn stars(count: usize, on_grid: bool) -> PolygonSet {
        let mut random = Random(11);
        let rounded = |at: DVec2| if on_grid { at.round() } else { at };
        let (mut xy, mut rings, mut polygons, mut objects) = (Vec::new(), vec![0], vec![0], vec![0]);
        for k in 0..count {
            let middle = DVec2::new((k % 12) as f64, (k / 12) as f64) * 200.0;
            let corners = 3 + k * 7 % 88;
            let mut ring = |corners: usize, [least, most]: [f64; 2], turns: f64| {
                let mut at = |i: usize| {
                    let angle = turns * std::f64::consts::TAU * i as f64 / corners as f64;
                    middle + DVec2::from_angle(angle) * (least + (most - least) * random.unit())
                };
                xy.extend((0..corners).map(|i| <[f64; 2]>::from(rounded(at(i)))));
                rings.push(xy.len() as i64);
            };
            ring(corners, [60.0, 95.0], 1.0);
            if k % 3 == 0 {
                ring(4, [5.0, 9.0], -1.0);
            }
            polygons.push(rings.len() as i64 - 1);
            if k % 5 == 0 {
                let corner = [[96.0, 96.0], [99.0, 96.0], [96.0, 99.0]];
                xy.extend(corner.map(|at| <[f64; 2]>::from(middle + DVec2::from(at))));
                rings.push(xy.len() as i64);
                polygons.push(rings.len() as i64 - 1);
            }
            objects.push(polygons.len() as i64 - 1);
        }
        let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), &rings[..]);
        PolygonSet::from_columns(&columns.polygons(&polygons[..]).objects(&objects[..])).unwrap()
    }

    #[test]
    fn outlines_of_every_size_give_the_answers_of_the_pieces() {
        for on_grid in [false, true] {
            let set = stars(120, on_grid);
            let mut points = points_about(&set, 8000, 3);
            points.extend(points_about(&set, 8000, 4).into_iter().map(DVec2::round));
            let searched = Searched::for_points(&set, &points).unwrap().unwrap();
            assert!(searched.are_all());
            let Targets::Objects { chains, .. } = &searched.targets else { panic!("targets are objects") };
            let short = chains.iter().filter(|chain| !chain.is_empty()).count();
            assert!(short > 20 && chains.len() - short > 20, "{short} of {} rings are short", chains.len());
            assert_as_judged("stars", &set, &points);
        }
    }

    #[test]
    fn the_grid_is_built_for_many_candidates() {
        let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
        let set = |step: f64| {
            let place = |k: u32| corners.map(|[x, y]| [x + step * f64::from(k), y]);
            let xy: Vec<[f64; 2]> = (0..100).flat_map(place).collect();
            let rings: Vec<i64> = (0..=100).map(|k| 6 * k).collect();
            let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), &rings[..]);
            set_of_outlines(&columns).unwrap().set
        };
        let (apart, piled) = (set(5.0), set(0.001));
        let points = |set: &PolygonSet| points_about(set, 1200, 9);
        for (set, is_searched) in [(&apart, true), (&piled, false)] {
            let points = points(set);
            assert_eq!(Searched::for_points(set, &points).unwrap().is_some(), is_searched);
            assert_as_judged("corners", set, &points);
        }
        let many: Vec<DVec2> = points(&apart).into_iter().cycle().take(64 * 600).collect();
        assert!(Searched::for_points(&apart, &many).unwrap().is_none());
        assert_as_judged("corners", &apart, &many);
    }

    #[test]
    fn the_estimate_does_not_follow_the_rows_of_a_raster() {
        let (width, height) = (1024, 1024);
        let points: Vec<DVec2> =
            (0..width * height).map(|k| DVec2::new((k % width) as f64, (k / width) as f64)).collect();
        // Half of the points are in the box of an L.
        let half = (width / 2) as f64;
        let xy = [
            [half, -1.0],
            [2.0 * half, -1.0],
            [2.0 * half, 2e3],
            [half + 1.0, 2e3],
            [half + 1.0, 9.0],
            [half, 9.0],
        ];
        let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), &[0i64, 6][..]);
        let set = set_of_outlines(&columns).unwrap().set;
        let outlines = &set.outlined().unwrap().outlines;
        let targets = Targets::Objects { outlines, chains: vec![&[]] };
        let searched = Searched::of(targets, vec![0], vec![outlines.bounds_of(0)], true).unwrap();
        let share = searched.work(&points) as f64 / (WORK_WITHOUT_CHAIN * points.len()) as f64;
        assert!((0.4..0.6).contains(&share), "{share} of the points are in the box");
    }
}
