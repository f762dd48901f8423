//! Compares the results of a sweep with the results of a search around each vertex: the sides of edges that are inside, and
//! the vertices on the boundary.

use super::*;
use crate::base::draw::Draw;
use crate::geometry::Fill;
use crate::geometry::outline::crossed::Interior;
use crate::geometry::outline::{Block, LeafPairs, Place as Located};

/// Returns a block with one polygon, whose rings may cross, or `None` if the polygon has no region under the fill rule.
fn block_of(rings: &[Vec<DVec2>], fill: Fill) -> Option<Block> {
    let mut block = Block::default();
    block.take_crossed(0, rings, fill, &mut LeafPairs::default()).ok().map(|_| block)
}

#[test]
fn a_sweep_finds_the_states_around_all_vertices() {
    let (mut draw, mut kinds, mut on_boundary) = (Draw(3), [0; 3], [0; 2]);
    for case in 0..12_000 {
        let rings = draw.rings(3 + case % 7, 9, case % 3 == 0);
        let fill = [Fill::EvenOdd, Fill::NonZero][case as usize % 2];
        let Some(block) = block_of(&rings, fill) else { continue };
        let outline = block.outline(0);
        let Some(found) = outline.surroundings() else { continue };
        let edges: Vec<u32> = outline.rings.iter().flat_map(|ring| ring.first..ring.end).collect();
        let (beside, boundary) = found.states(&edges, &edges);
        for (edge, found) in beside {
            if outline.is_free(edge) {
                assert_eq!(found, outline.interior_beside(edge), "{edge} of {rings:?}, {fill:?}");
                kinds[found as usize] += 1;
            }
        }
        for vertex in edges {
            let expected = outline.locate(outline.edge(vertex)[0]) == Located::Boundary;
            assert_eq!(boundary.contains(&vertex), expected, "{vertex} of {rings:?}, {fill:?}");
            on_boundary[usize::from(expected)] += 1;
        }
    }
    assert_eq!([Interior::Left as usize, Interior::Right as usize, Interior::Other as usize], [0, 1, 2]);
    assert!(kinds[0] > 5_000 && kinds[1] > 5_000 && kinds[2] > 100, "{kinds:?}");
    assert!(on_boundary.iter().all(|&count| count > 2_000), "{on_boundary:?}");
}

#[test]
fn both_ways_find_the_same_runs_and_vertices() {
    for (rings, least) in [(spiral(300), 1100), (folded(100), 2)] {
        for fill in [Fill::EvenOdd, Fill::NonZero] {
            let block = block_of(&rings, fill).expect("a region");
            let outline = block.outline(0);
            let (edges, vertices) = (outline.first_free_edges(), outline.candidates());
            let expected = outline.states_by_points(&edges, &vertices, usize::MAX).expect("no limit");
            assert!(expected.1.len() > least, "{expected:?}");
            assert_eq!(outline.surroundings().expect("few crossings").states(&edges, &vertices), expected);
            assert_eq!(outline.states(), expected);
        }
    }
}

/// Returns a spiral of two arms that cross once on every side of every turn. The spiral is rotated, so that the boxes
/// of its edges are wide.
fn spiral(turns: usize) -> Vec<Vec<DVec2>> {
    let corner = |k: usize, shift: f64| {
        let reach = 8.0 * ((k / 4) as f64 + 1.0) + shift + if k % 4 == 3 { 4.0 } else { 0.0 };
        let [x, y] = [[reach, -reach], [reach, reach], [-reach, reach], [-reach, -reach - 4.0]][k % 4];
        DVec2::new(4.0 * x - 3.0 * y, 3.0 * x + 4.0 * y)
    };
    let there = (0..4 * turns).map(|k| corner(k, 1.0));
    let back = (0..4 * turns).rev().map(|k| corner(k, if k % 2 == 0 { 0.0 } else { 2.0 }));
    vec![there.chain(back).collect()]
}

/// Returns a ring that goes back and forth on one line, and a triangle across the line.
fn folded(count: usize) -> Vec<Vec<DVec2>> {
    let x = |k: usize| ((k * 7919) % count) as f64 + if k.is_multiple_of(2) { 0.0 } else { count as f64 };
    let line = (0..count).map(|k| DVec2::new(4.0 * x(k), 3.0 * x(k)));
    let end = DVec2::new(4.0, 3.0) * (2 * count) as f64;
    let around = [end + DVec2::new(-3.0, 4.0), DVec2::new(-3.0, 4.0), DVec2::new(3.0, -4.0)];
    vec![line.chain(around).collect()]
}

#[test]
fn the_work_on_states_grows_with_the_edges() {
    for (rings, small) in [(spiral as fn(usize) -> Vec<Vec<DVec2>>, 1 << 9), (folded, 1 << 10)] {
        let steps_of = |size: usize| {
            let rings = rings(size);
            steps::during(|| {
                let block = block_of(&rings, Fill::EvenOdd).expect("a region");
                assert!(!block.outline(0).is_free(block.outline(0).rings[0].first));
            })
        };
        let (few, many) = (steps_of(small), steps_of(8 * small));
        assert!(many < 12 * few, "{few} steps, and {many} for 8 times the edges");
    }
}
