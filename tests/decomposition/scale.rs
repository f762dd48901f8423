//! Tests of rings that run over themselves and each other very often. If code compared every two parts, it would need
//! days, and more memory than a machine has. Each test has its own process with limits.

use sat2d::{Cleanup, Error, PolygonObject};

use super::exact::Ring;
use crate::support::bounded::{self, Limits};

const COUNT: usize = 100_000;
/// The limits on the memory and the time of a test, about twenty times what a test needs.
const LIMITS: Limits = Limits { mib: 2000, seconds: 120 };

/// Returns a ring with a triangle below the x axis, one corner of which is the origin. From this corner, the ring also walks
/// along the axis to each of the positions `walk` and back.
fn with_walk(walk: impl Iterator<Item = f64>) -> Ring {
    let mut ring = vec![[0.0, 0.0], [-4.0, -2.0], [4.0, -2.0], [0.0, 0.0]];
    ring.extend(walk.flat_map(|x| [[x, 0.0], [0.0, 0.0]]));
    ring
}

#[track_caller]
fn check(rings: &[Ring], pieces: usize, expected: Cleanup) {
    let object = PolygonObject::from_polygon(rings).unwrap();
    let cleanup = object.cleanup();
    let found = [cleanup.retraced_edges, cleanup.touching_vertices];
    assert_eq!(found, [expected.retraced_edges, expected.touching_vertices]);
    assert_eq!(object.pieces().len(), pieces);
}

fn retraced(retraced_edges: usize, touching_vertices: usize) -> Cleanup {
    Cleanup { retraced_edges, touching_vertices, ..Cleanup::default() }
}

#[test]
fn spikes_along_one_line() {
    bounded::run(LIMITS, || {
        let spikes = |k: usize| (k + 1) as f64;
        // The longest spike has the length COUNT. Each spike runs over parts of the spikes before it.
        check(&[with_walk((0..COUNT).map(spikes))], 1, retraced(COUNT, 0));
        check(&[with_walk((0..COUNT).rev().map(spikes))], 1, retraced(COUNT, 0));
        // The spikes go to both sides. In f64, their lengths are not exact multiples of each other.
        let both = |k: usize| if k.is_multiple_of(2) { spikes(k) } else { -spikes(k) } / 3.0;
        check(&[with_walk((0..COUNT).map(both))], 1, retraced(COUNT, 0));
    });
}

#[test]
fn one_edge_many_times() {
    bounded::run(LIMITS, || {
        check(&[with_walk((0..COUNT).map(|_| 5.0))], 1, retraced(1, 0));
    });
}

/// Tests a ring that runs many times between two points. Many edges end at both points, so a search for the next edge at either
/// point takes long.
#[test]
fn one_edge_between_two_hubs_many_times() {
    bounded::run(LIMITS, || {
        let count = COUNT / 10;
        let fan = |x: f64| (0..count).flat_map(move |k| [[2.0 * x, (k + 1) as f64], [x, 0.0]]);
        let mut ring = vec![[-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]];
        ring.extend(fan(1.0));
        ring.extend([[-1.0, 0.0], [1.0, 0.0]].into_iter().cycle().take(2 * count));
        ring.push([-1.0, 0.0]);
        ring.extend(fan(-1.0));
        check(&[ring], 1, retraced(2 * count + 1, 0));
    });
}

/// Tests a ring with 300 rays from one point. Along each ray, the ring has 300 spikes of different lengths.
#[test]
fn spikes_along_many_rays() {
    bounded::run(LIMITS, || {
        let mut ring = vec![[0.0, 0.0], [-4.0, -2.0], [4.0, -2.0], [0.0, 0.0]];
        for ray in 0..300 {
            let direction = [f64::from(ray), f64::from(300 - ray)];
            ring.extend((1..=300).flat_map(|k| [direction.map(|x| x * f64::from(k)), [0.0, 0.0]]));
        }
        check(&[ring], 1, retraced(90_000, 0));
    });
}

/// Tests nested squares that share a corner and parts of two sides. The strips between them are inside and outside in turn.
#[test]
fn rings_that_share_a_corner() {
    bounded::run(LIMITS, || {
        let count = COUNT / 10;
        let square = |side: usize| -> Ring {
            let side = side as f64;
            vec![[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]]
        };
        let rings: Vec<Ring> = (0..count).map(|k| square(count - k)).collect();
        // There are two pieces for each L, and one piece for the innermost square if it is inside.
        check(&rings, count, retraced(2 * (count - 1), 0));

        // The first hole is larger than the shell.
        let mut rings = rings;
        rings.swap(0, 1);
        let error = PolygonObject::from_polygon(&rings).unwrap_err();
        assert!(matches!(error, Error::HoleOutsideShell { ring: 1, .. }), "{error}");
    });
}

/// Tests segments on one line, each of which overlaps the next segments. No segment is a part of another segment.
#[test]
fn rings_that_overlap_like_scales() {
    bounded::run(LIMITS, || {
        let count = COUNT / 5;
        let width = count as f64;
        let mut rings = vec![vec![[-1.0, 0.0], [3.0 * width, 0.0], [3.0 * width, 9.0], [-1.0, 9.0]]];
        rings.extend((0..count).map(|k| vec![[k as f64, 1.0], [k as f64 + width, 1.0]]));
        check(&rings, 1, retraced(2 * count - 1, 0));
    });
}
