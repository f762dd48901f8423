//! Tests with rings in which most segments cross most edges of the Delaunay triangulation of the vertices.

use glam::DVec2;

use super::lines::Cuts;
use super::mesh::{Failure, Haste, Mesh};
use super::rings::Rings;
use super::segments::Segments;
use super::{PATIENCE, general_within};
use crate::ConvexPolygon;
use crate::base::draw::Draw;
use crate::base::error::Error;

type Ring = Vec<[i64; 2]>;

/// Returns a comb. Each tooth is a spike with the vector `tooth`. The base advances by the vector `along` from tooth to
/// tooth. The back of the comb is on the side of the base that has no teeth.
fn comb(teeth: i64, along: [i64; 2], tooth: [i64; 2]) -> Ring {
    let at = |step: i64, way: i64| [0, 1].map(|k| step * along[k] + way * tooth[k]);
    let mut ring: Ring = (0..teeth).flat_map(|i| [at(2 * i, 0), at(2 * i + 1, 1)]).collect();
    ring.extend([at(2 * teeth, 0), at(2 * teeth, -1), at(0, -1)]);
    ring
}

fn turned(ring: &Ring, [cos, sin]: [i64; 2]) -> Ring {
    ring.iter().map(|&[x, y]| [cos * x - sin * y, sin * x + cos * y]).collect()
}

/// Returns a band that winds outward many times and goes back beside itself.
fn spiral(corners: i64) -> Ring {
    let corner = |k: i64, inset: i64| {
        let reach = 10 * (k / 4 + 1) - inset;
        match k % 4 {
            0 => [reach, -reach + 10],
            1 => [reach, reach],
            2 => [-reach, reach],
            _ => [-reach, -reach],
        }
    };
    let outer = (0..corners).map(|k| corner(k, 0));
    outer.chain((0..corners).rev().map(|k| corner(k, 3))).collect()
}

/// Returns a band of height 1 that goes up and down between two horizontal lines.
fn zigzag(turns: i64, width: i64, height: i64) -> Ring {
    let there = (0..turns).map(|k| [k * width, if k % 2 == 0 { 0 } else { height }]);
    let back = (0..turns).rev().map(|k| [k * width, 1 + if k % 2 == 0 { 0 } else { height }]);
    there.chain(back).collect()
}

/// Returns a comb whose teeth nearly meet at one distant point.
fn towards_one_point(teeth: i64) -> Ring {
    let far = 1000 * teeth;
    let mut ring: Ring = (0..teeth).flat_map(|i| [[10 * i, 0], [far + i, far / 3 - i]]).collect();
    ring.extend([[10 * teeth, 0], [5 * teeth, -7]]);
    ring
}

/// Returns a ring with long spikes on all sides.
fn star(spikes: i64) -> Ring {
    (0..2 * spikes)
        .map(|k| {
            let angle = std::f64::consts::TAU * k as f64 / (2 * spikes) as f64;
            let reach = if k % 2 == 0 { 1e3 } else { 1e9 };
            [(reach * angle.cos()).round() as i64 * 16, (reach * angle.sin()).round() as i64 * 16]
        })
        .collect()
}

/// Returns a strip with many vertices on both long sides, and a thin hole along its middle.
fn long_hole(size: i64) -> Vec<Ring> {
    let below = (0..size).map(|i| [i, -50 - i % 2]);
    let above = (0..size).rev().map(|i| [i, 50 + i % 2]);
    vec![below.chain(above).collect(), vec![[1, 0], [size - 2, -1], [size - 2, 1]]]
}

/// Returns scenes with their names. Each scene is the shell and the holes of one polygon.
fn scenes(size: i64) -> Vec<(String, Vec<Ring>)> {
    let mut scenes = Vec::new();
    for tooth in [[-900, 900], [-3, 3], [900_000, 900_001], [30_000, 31_000], [-900_000, 899_000], [7, -900]]
    {
        scenes.push((format!("diagonal comb, teeth by {tooth:?}"), vec![comb(size, [1, 1], tooth)]));
    }
    for tooth in [[0, 90_000], [90_000, 1], [1_000_000, -500], [12_345, 54]] {
        let ring = comb(size, [2, 0], tooth);
        for turn in [[1, 0], [0, 1], [1, 1], [-1, 0], [3, 1]] {
            scenes.push((format!("comb by {tooth:?} turned by {turn:?}"), vec![turned(&ring, turn)]));
        }
    }
    scenes.push(("spiral".into(), vec![spiral(size)]));
    scenes.push(("turned spiral".into(), vec![turned(&spiral(size), [5, 2])]));
    for (width, height) in [(2, 1_000_000), (1000, 1000), (1000, 3)] {
        let ring = zigzag(size, width, height);
        scenes.push((format!("zigzag of {width} and {height}"), vec![ring.clone()]));
        scenes.push((format!("turned zigzag of {width} and {height}"), vec![turned(&ring, [1, 1])]));
    }
    scenes.push(("teeth towards one point".into(), vec![towards_one_point(size)]));
    scenes.push(("star".into(), vec![star(size)]));
    scenes.push(("long hole".into(), long_hole(size)));
    // Combs side by side and one behind the other, as holes in a mixed order.
    let count = 10;
    let (along, tooth) = ([1, 1], [40_000, 41_000]);
    let holes = (0..count).map(|k| {
        let away = [k * 6 - 1_000_000, -k * 200_000];
        comb(size / count, along, tooth).into_iter().map(|v| [0, 1].map(|i| v[i] + away[i])).collect()
    });
    let shell = [[-9, -9], [9, -9], [9, 9], [-9, 9]].map(|v: [i64; 2]| v.map(|x| x * 1_000_000)).to_vec();
    let mut holes: Vec<Ring> = holes.collect();
    let mut draw = Draw(1);
    holes.sort_by_cached_key(|_| draw.below(1000));
    scenes.push(("holes".into(), [vec![shell], holes].concat()));
    scenes
}

/// Returns two lists of rings with the same region as `rings`: the reversed rings, and the rings that begin at other
/// vertices.
fn told_otherwise(rings: &[Ring]) -> [Vec<Ring>; 2] {
    let mut reversed = rings.to_vec();
    reversed.iter_mut().for_each(|ring| ring.reverse());
    let mut rotated = rings.to_vec();
    rotated.iter_mut().for_each(|ring| {
        let middle = ring.len() / 3;
        ring.rotate_left(middle);
    });
    [reversed, rotated]
}

fn twice_area(ring: &[[i64; 2]]) -> i128 {
    let cross =
        |p: [i64; 2], q: [i64; 2]| i128::from(p[0]) * i128::from(q[1]) - i128::from(q[0]) * i128::from(p[1]);
    (0..ring.len()).map(|i| cross(ring[i], ring[(i + 1) % ring.len()])).sum()
}

fn in_doubles(rings: &[Ring]) -> Vec<Vec<DVec2>> {
    let at = |v: &[i64; 2]| DVec2::new(v[0] as f64, v[1] as f64);
    rings.iter().map(|ring| ring.iter().map(at).collect()).collect()
}

/// Checks that the areas of the pieces add up to the area of the region. If the pieces lie in the region and do not
/// overlap, equal areas show that they cover the whole region. Also checks that there are fewer pieces than vertices.
#[track_caller]
fn check_pieces(name: &str, rings: &[Ring], pieces: &[ConvexPolygon]) {
    let areas: Vec<i128> = rings.iter().map(|ring| twice_area(ring).abs()).collect();
    let of_rings = areas[0] - areas[1..].iter().sum::<i128>();
    let of_pieces = pieces.iter().map(|piece| {
        let vertices: Ring = piece.vertices().iter().map(|v| [v.x as i64, v.y as i64]).collect();
        twice_area(&vertices)
    });
    assert_eq!(of_pieces.sum::<i128>(), of_rings, "{name}");
    let vertices: usize = rings.iter().map(Vec::len).sum();
    assert!(pieces.len() < vertices, "{name}: {} pieces of {vertices} vertices", pieces.len());
}

/// Cuts the overlapping segments of rings, and inserts the segments into a triangulation of the vertices. Returns the
/// number of steps of the insertion, and the number of segments after the cuts.
fn steps(rings: &[Ring]) -> (usize, usize) {
    let rings = Rings::new(&in_doubles(rings)).unwrap();
    let segments: Vec<[u32; 2]> = rings.segments.iter().map(|segment| segment.ends).collect();
    let cuts = Cuts::disjoint(&rings.points, &segments);
    let mut put_in = Segments::new(&rings.points, &cuts.ends, Mesh::of_points(&rings.points).unwrap());
    put_in.all().unwrap();
    (put_in.steps, cuts.ends.len())
}

#[test]
fn long_teeth_are_split_right_whichever_way_they_are_told() {
    for (name, rings) in scenes(400) {
        for patience in [0, 1, PATIENCE] {
            let (pieces, _) = general_within(&in_doubles(&rings), patience).unwrap();
            check_pieces(&name, &rings, &pieces);
        }
        for rings in told_otherwise(&rings) {
            for patience in [0, PATIENCE] {
                let (pieces, _) = general_within(&in_doubles(&rings), patience).unwrap();
                check_pieces(&name, &rings, &pieces);
            }
        }
    }
}

/// Tests that the steps grow nearly in proportion to the segments. In random order, the average number of edges that a
/// segment crosses is logarithmic in the number of all edges.
#[test]
fn steps_grow_all_but_in_proportion_to_segments() {
    for (name, rings) in scenes(4000) {
        for rings in told_otherwise(&rings) {
            let (steps, segments) = steps(&rings);
            let bound = 2.0 * segments as f64 * (segments as f64).log2();
            assert!((steps as f64) < bound, "{name}: {steps} steps for {segments} segments");
        }
    }
}

/// Tests that segments that cross are an error, whatever the method of insertion.
#[test]
fn long_teeth_that_cross_are_refused() {
    for (name, mut rings) in scenes(400) {
        // Swaps two neighbouring tips or roots of teeth.
        let ring = rings.iter_mut().max_by_key(|ring| ring.len()).unwrap();
        let middle = ring.len() / 4;
        ring.swap(middle, middle + 2);
        for patience in [0, PATIENCE, usize::MAX] {
            let found = general_within(&in_doubles(&rings), patience);
            assert!(matches!(found, Err(Error::CrossingSegments { .. })), "{name}: {:?}", found.map(|_| ()));
        }
    }
}

/// Tests a segment that crosses most edges. The usual method would take long here: it restores the Delaunay property by
/// flips, and their number grows with the square of the number of crossed edges.
#[test]
fn a_segment_that_crosses_most_edges_is_not_waited_for() {
    let rings = Rings::new(&in_doubles(&long_hole(4000))).unwrap();
    let segments: Vec<[u32; 2]> = rings.segments.iter().map(|segment| segment.ends).collect();
    let haste = Haste::Within(PATIENCE * segments.len());
    assert!(matches!(Mesh::new(&rings.points, &segments, haste), Err(Failure::Tangled)));
}
