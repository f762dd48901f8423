//! Combinations of peers: the tree of one peer finds the candidate pairs, and the fastest test of any peer decides them. For the
//! best speed, all values are f32, and each pair is tested as soon as it is found, in spatial order.

use std::time::Instant;

use geo_index::rtree::sort::HilbertSort;
use geo_index::rtree::{RTreeBuilder, RTreeIndex as _};
use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rayon::prelude::*;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use sat2d::scenes::Scene;

use super::{Answer, meeting, parry};
use crate::machine::version;
#[cfg(feature = "box2d")]
use crate::narrow::box2d;
use crate::{AnyError, Rings, packed};

/// The tree that finds the candidate pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// parry2d's tree. One traversal finds the pairs of the tree with itself.
    Parry,
    /// rstar's tree. On one thread, one traversal finds the pairs of the tree with itself. On several threads, each box
    /// queries the tree, in the order of its leaves.
    Rstar,
    /// The tree of geo-index, searched like the tree of rstar.
    GeoIndex,
    /// packed_spatial_index's tree. On one thread, one traversal finds the pairs of the tree with itself. On several
    /// threads, each box queries the tree, in the order of its leaves.
    PackedSpatialIndex,
}

/// Returns the crate of the tree with its version, and the tests of each scene.
pub(super) fn description(tree: Tree) -> String {
    let package = match tree {
        Tree::Parry => "parry2d",
        Tree::Rstar => "rstar",
        Tree::GeoIndex => "geo-index",
        Tree::PackedSpatialIndex => "packed_spatial_index",
    };
    let tests = if cfg!(feature = "box2d") {
        "Box2D's distance of ngons and near-touching, its manifolds of crowd and clustered, parry2d's polygons of big-ngons"
    } else {
        "parry2d's polygons elsewhere"
    };
    format!("{package} {} + the fastest test: parry2d's Cuboids of boxes, {tests}", version(package))
}

/// A box as its least x, least y, greatest x and greatest y.
pub(super) type Bounds = [f32; 4];

/// The pairs that meet, and the number of tested pairs. The upper 32 bits of a pair are its lower index, and the lower 32 bits
/// are its higher index.
pub(super) type Found = (Vec<u64>, u64);

/// Joins the rings with themselves, by the test that takes the least time on this scene. The time includes making the shapes.
pub(super) fn join(tree: Tree, scene: Scene, rings: &Rings) -> Result<Answer, AnyError> {
    #[cfg(feature = "box2d")]
    box2d::expect_anything();
    match scene {
        Scene::Boxes => joined(tree, rings, parry::cuboid, parry::meets),
        #[cfg(feature = "box2d")]
        Scene::Ngons | Scene::NearTouching => joined(tree, rings, box2d::proxy, box2d::no_distance),
        #[cfg(feature = "box2d")]
        Scene::Crowd | Scene::Clustered => joined(tree, rings, box2d::polygon, box2d::collide),
        _ => joined(tree, rings, parry::about_the_centre, parry::meets),
    }
}

fn joined<S: Send + Sync>(
    tree: Tree,
    rings: &Rings,
    shape: fn(&[[f64; 2]]) -> Option<S>,
    meets: fn(&S, &S) -> bool,
) -> Result<Answer, AnyError> {
    let start = Instant::now();
    let shape = |ring: &Vec<[f64; 2]>| shape(ring).ok_or("a contender refuses a polygon");
    let shapes: Vec<S> = rings.par_iter().map(shape).collect::<Result<_, _>>()?;
    let boxes: Vec<Bounds> = rings.par_iter().map(|ring| bounds(ring)).collect();
    let build = start.elapsed();

    let start = Instant::now();
    let meets = |a: u32, b: u32| meets(&shapes[a as usize], &shapes[b as usize]);
    let (mut found, candidates) = match tree {
        Tree::Parry => of_parry(&boxes, meets),
        Tree::Rstar => of_rstar(&boxes, meets),
        Tree::GeoIndex => of_geo_index(&boxes, meets),
        Tree::PackedSpatialIndex => of_packed_spatial_index(&boxes, meets),
    };
    let search = start.elapsed();

    let start = Instant::now();
    found.par_sort_unstable();
    let pairs = found.into_iter().map(|pair| meeting((pair >> 32) as u32, pair as u32)).collect();
    let stages = vec![("set", build), ("broad phase and kernel", search), ("collect", start.elapsed())];
    Ok(Answer { pairs, has_relations: false, candidates, stages })
}

fn of_parry(boxes: &[Bounds], meets: impl Fn(u32, u32) -> bool + Sync) -> Found {
    let aabb = |&[x, y, u, v]: &Bounds| Aabb::new(Vector::new(x, y), Vector::new(u, v));
    let bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes.par_iter().map(aabb).collect::<Vec<_>>());
    if rayon::current_num_threads() > 1 {
        let test = |mut found: Found, &(a, b): &(u32, u32)| {
            take(&mut found, a, b, &meets);
            found
        };
        let pairs = bvh.traverse_bvtt_single_tree_parallel::<false>();
        return together(pairs.par_iter().with_min_len(1024).fold(Found::default, test));
    }
    let mut found = Found::default();
    bvh.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| {
        take(&mut found, a, b, &meets);
    });
    found
}

fn of_rstar(boxes: &[Bounds], meets: impl Fn(u32, u32) -> bool + Sync) -> Found {
    let leaf = |(index, &[x, y, u, v]): (usize, &Bounds)| {
        GeomWithData::new(Rectangle::from_corners([x, y], [u, v]), index as u32)
    };
    let tree = RTree::bulk_load(boxes.iter().enumerate().map(leaf).collect());
    if rayon::current_num_threads() > 1 {
        let order = tree.iter().map(|leaf| leaf.data).collect();
        return asked(boxes, order, meets, |&[x, y, u, v]| {
            tree.locate_in_envelope_intersecting(AABB::from_corners([x, y], [u, v])).map(|leaf| leaf.data)
        });
    }
    let pairs = tree.intersection_candidates_with_other_tree(&tree);
    walked(pairs.map(|(a, b)| (a.data, b.data)), meets)
}

fn of_geo_index(boxes: &[Bounds], meets: impl Fn(u32, u32) -> bool + Sync) -> Found {
    let mut builder = RTreeBuilder::<f32>::new(boxes.len() as u32);
    for &[x, y, u, v] in boxes {
        builder.add(x, y, u, v);
    }
    let tree = builder.finish::<HilbertSort>();
    if rayon::current_num_threads() > 1 {
        let order = (0..boxes.len()).map(|leaf| tree.indices().get(leaf) as u32).collect();
        return asked(boxes, order, meets, |&[x, y, u, v]| tree.search(x, y, u, v));
    }
    walked(tree.intersection_candidates_with_other_tree(&tree), meets)
}

pub(super) fn of_packed_spatial_index(boxes: &[Bounds], meets: impl Fn(u32, u32) -> bool + Sync) -> Found {
    let tree = packed::tree(boxes.iter().map(|b| b.map(f64::from)));
    if rayon::current_num_threads() > 1 {
        let order = packed::order(&tree);
        return asked(boxes, order, meets, |b| packed::search(&tree, b.map(f64::from)));
    }
    let mut found = Found::default();
    packed::walk(&tree, |a, b| take(&mut found, a, b, &meets));
    found
}

/// Tests the pairs that a traversal of a tree with itself yields. The traversal yields each pair twice, and each box with
/// itself, so only pairs in ascending order are tested.
fn walked(pairs: impl Iterator<Item = (u32, u32)>, meets: impl Fn(u32, u32) -> bool) -> Found {
    let mut found = Found::default();
    pairs.filter(|(a, b)| a < b).for_each(|(a, b)| take(&mut found, a, b, &meets));
    found
}

/// Searches a tree for each box, and tests the box with the found boxes. `order` has the indices of the boxes in the order of
/// the searches. The searches find each pair twice, and each box with itself, so only pairs in ascending order are tested.
/// Runs in the current thread pool.
fn asked<I: IntoIterator<Item = u32>>(
    boxes: &[Bounds],
    order: Vec<u32>,
    meets: impl Fn(u32, u32) -> bool + Sync,
    search: impl Fn(&Bounds) -> I + Sync,
) -> Found {
    let ask = |mut found: Found, a: u32| {
        for b in search(&boxes[a as usize]).into_iter().filter(|&b| a < b) {
            take(&mut found, a, b, &meets);
        }
        found
    };
    together(order.into_par_iter().with_min_len(1024).fold(Found::default, ask))
}

fn together(parts: impl ParallelIterator<Item = Found>) -> Found {
    parts.reduce(Found::default, |mut a, b| {
        a.0.extend(b.0);
        (a.0, a.1 + b.1)
    })
}

fn take(found: &mut Found, a: u32, b: u32, meets: impl Fn(u32, u32) -> bool) {
    found.1 += 1;
    if meets(a, b) {
        found.0.push((u64::from(a.min(b)) << 32) | u64::from(a.max(b)));
    }
}

pub(super) fn bounds(ring: &[[f64; 2]]) -> Bounds {
    let start = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
    let around = |b: Bounds, [x, y]: [f32; 2]| [b[0].min(x), b[1].min(y), b[2].max(x), b[3].max(y)];
    ring.iter().map(|v| v.map(|x| x as f32)).fold(start, around)
}
