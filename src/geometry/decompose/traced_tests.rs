//! Compares the boundaries that are found from edges with the boundaries of a triangulation.

use glam::DVec2;

use super::rings::Rings;
use super::{traced, triangulated_outline};
use crate::base::draw::Draw;
use crate::base::error::Error;
use crate::geometry::outline::{Loops, Place};

impl Draw {
    /// Returns a ring on a grid. Some vertices have spikes.
    fn ring(&mut self, size: u64) -> Vec<DVec2> {
        let mut ring = Vec::new();
        for _ in 0..3 + self.below(5) {
            let [at, tip] = [(); 2].map(|()| DVec2::new(self.below(size) as f64, self.below(size) as f64));
            ring.push(at);
            if self.below(6) == 0 {
                ring.extend([tip, at]);
            }
        }
        ring
    }
}

/// Returns the corners of rings. A corner is a vertex with the vertices before and after it.
fn corners_of(rings: &[Vec<DVec2>]) -> Vec<[[f64; 2]; 3]> {
    let of_ring = |ring: &Vec<DVec2>| -> Vec<[[f64; 2]; 3]> {
        let at = |i: usize| ring[i % ring.len()].into();
        (0..ring.len()).map(|i| [at(i), at(i + 1), at(i + 2)]).collect()
    };
    let mut corners: Vec<_> = rings.iter().flat_map(of_ring).collect();
    corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
    corners
}

/// Returns whether a point is in the interior of a region. `outline` has the boundary of the region.
fn is_inside(outline: &[Vec<DVec2>], at: DVec2) -> bool {
    Loops::default().outline(outline).is_some_and(|outline| outline.locate(at) == Place::Inside)
}

#[test]
fn boundaries_on_edges_are_those_of_a_triangulation() {
    let mut draw = Draw(7);
    let (mut retraced, mut strays, mut crossings, mut empty) = (0, 0, 0, 0);
    for case in 0..60_000 {
        let size = 3 + case % 3;
        let rings: Vec<Vec<DVec2>> = (0..1 + draw.below(3)).map(|_| draw.ring(size)).collect();
        let Ok(made) = Rings::new(&rings) else { continue };
        if !made.lone_points.is_empty() {
            continue;
        }
        let found = traced::outline(&made, &rings);
        match triangulated_outline(&rings) {
            Ok((expected, cleanup)) => {
                let (found, counts) =
                    found.unwrap().unwrap_or_else(|| panic!("{rings:?} are not decided on edges"));
                assert_eq!(corners_of(&found), corners_of(&expected), "{rings:?}");
                assert_eq!(counts, cleanup, "{rings:?}");
                retraced += usize::from(cleanup.retraced_edges > 0);
            }
            Err(Error::HoleOutsideShell { .. }) => {
                let Err(Error::HoleOutsideShell { polygon: 0, ring, x, y }) = found else {
                    panic!("{rings:?}: {found:?}");
                };
                let shell = triangulated_outline(&rings[..1]).map_or(Vec::new(), |(outline, _)| outline);
                assert!(!is_inside(&shell, [x, y].into()), "{rings:?}: ring {ring} at ({x}, {y})");
                assert!(
                    rings[ring].iter().chain(&rings[0]).any(|v| *v == [x, y].into()),
                    "{rings:?}: ring {ring}"
                );
                strays += 1;
            }
            Err(Error::CrossingSegments { .. }) => {
                assert!(matches!(found, Err(Error::CrossingSegments { .. })), "{rings:?}: {found:?}");
                crossings += 1;
            }
            Err(expected) => {
                assert!(matches!(expected, Error::EmptyRegion { .. }), "{expected:?}");
                assert_eq!(format!("{expected:?}"), format!("{:?}", found.unwrap_err()), "{rings:?}");
                empty += 1;
            }
        }
    }
    let counts = [retraced, strays, crossings, empty];
    assert!(counts.iter().zip([2000, 200, 5000, 50]).all(|(count, least)| *count > least), "{counts:?}");
}

#[test]
fn very_many_nested_rings_are_left_to_a_triangulation() {
    let triangle = |k: usize| {
        let size = 2.0 + k as f64;
        [[0.0, -size], [size, size], [-size, size]].map(DVec2::from).to_vec()
    };
    let nested = |count: usize| (0..count).rev().map(triangle).collect::<Vec<_>>();
    // One ring of many triangles. The bridges between the triangles are traced twice.
    let bridged = |count: usize| {
        let closed = |k: usize| [triangle(k), vec![triangle(k)[0]]].concat();
        vec![(0..count).rev().flat_map(closed).collect::<Vec<_>>()]
    };
    for (few, many) in [(nested(30), nested(5000)), (bridged(30), bridged(5000))] {
        let found = traced::outline(&Rings::new(&few).unwrap(), &few).unwrap();
        assert_eq!(corners_of(&found.unwrap().0), corners_of(&triangulated_outline(&few).unwrap().0));
        let found = traced::outline(&Rings::new(&many).unwrap(), &many).unwrap();
        assert!(found.is_none(), "{} rings", many.len());
    }
}
