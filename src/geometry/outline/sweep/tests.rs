//! Compares the sweep with a comparison of all pairs of edges.

use std::collections::BTreeSet;

use super::*;
use crate::base::draw::Draw;
use crate::base::soak::in_soak;
use crate::geometry::outline::simple::Meetings;
use crate::geometry::outline::{CutLimits, LeafPairs, Loops};

impl Draw {
    /// Returns rings on a grid. Edges cross, overlap, and go back over themselves. With `nudge`, some coordinates are
    /// moved by a unit of the last place.
    pub(super) fn rings(&mut self, size: u64, most: u64, nudge: bool) -> Vec<Vec<DVec2>> {
        let ring = |draw: &mut Self| {
            let coordinate = |draw: &mut Self| {
                let x = draw.below(size) as f64 + if nudge { 0.1 } else { 0.0 };
                match draw.below(5) {
                    0 if nudge => x.next_up(),
                    1 if nudge => x.next_down(),
                    _ => x,
                }
            };
            let count = 2 + draw.below(most);
            let mut ring: Vec<DVec2> =
                (0..count).map(|_| DVec2::new(coordinate(draw), coordinate(draw))).collect();
            ring.dedup();
            while ring.len() > 1 && ring.first() == ring.last() {
                ring.pop();
            }
            ring
        };
        (0..1 + self.below(3)).map(|_| ring(self)).collect()
    }
}

fn edges_of(outline: Outline<'_>) -> Vec<u32> {
    outline.rings.iter().flat_map(|ring| ring.first..ring.end).collect()
}

fn have_common_point(e: [DVec2; 2], f: [DVec2; 2]) -> bool {
    edge_box(e).meets(edge_box(f)) && !matches!(segments(e, f), Segments::Apart)
}

#[test]
fn finds_all_pairs_of_one_outline() {
    let (mut draw, mut loops, mut found_pairs, mut given_up) = (Draw(1), Loops::default(), 0, 0);
    let cases = in_soak(20_000, 5_000);
    for case in 0..cases {
        let rings = draw.rings(3 + case % 7, 9, case % 3 == 0);
        let Some(outline) = loops.outline(&rings) else { continue };
        let mut found = BTreeSet::new();
        let swept = outline.sweep(outline.aabb(), Pairs::All, &mut |e, f| {
            found.insert([e, f]);
            ControlFlow::Continue(())
        });
        if swept == Swept::TooManyCrossings {
            given_up += 1;
            continue;
        }
        let (mut marked, mut expected) = (BTreeSet::new(), BTreeSet::new());
        outline.sweep_for_edges(outline.aabb(), &mut |e| {
            marked.insert(e);
        });
        for e in edges_of(outline) {
            for f in edges_of(outline).into_iter().filter(|&f| f > e) {
                let is_next = outline.are_consecutive(e, f);
                if !is_next && have_common_point(outline.edge(e), outline.edge(f)) {
                    assert!(found.contains(&[e, f]), "{e} and {f} of {rings:?}");
                    expected.extend([e, f]);
                    found_pairs += 1;
                }
                assert!(!is_next || !found.contains(&[e, f]), "{e} and {f} of {rings:?}");
            }
        }
        // Consecutive edges that overlap are found without a sweep.
        let _ = outline.contacts(&mut LeafPairs::default(), &mut |[e, f], _| {
            if outline.are_consecutive(e.min(f), e.max(f)) {
                marked.extend([e, f]);
                expected.extend([e, f]);
            }
            ControlFlow::Continue(())
        });
        assert_eq!(expected, marked, "{rings:?}");
    }
    assert!(found_pairs > 5 * cases && given_up < cases / 10, "{found_pairs}, {given_up} given up");
}

#[test]
fn finds_all_pairs_of_two_outlines() {
    let (mut draw, mut loops) = (Draw(2), [Loops::default(), Loops::default()]);
    let (mut found_pairs, mut points) = (0, 0);
    let cases = in_soak(20_000, 5_000);
    for case in 0..cases {
        let is_nudged = case % 3 == 0;
        let rings = [(); 2].map(|()| draw.rings(3 + case % 7, 6, is_nudged));
        let [first, second] = &mut loops;
        let (Some(a), Some(b)) = (first.outline(&rings[0]), second.outline(&rings[1])) else { continue };
        let mut found = BTreeSet::new();
        let swept = a.sweep_with(b, &mut |common| {
            match common {
                Common::Edges(e, f) => {
                    found.insert([e, f]);
                }
                Common::Point(at, [e, f]) => {
                    assert!(at.is_on(a.edge(e)) && at.is_on(b.edge(f)));
                    points += 1;
                    let is_on = |outline: Outline<'_>, edge: &u32| at.is_on(outline.edge(*edge));
                    for e in edges_of(a).into_iter().filter(|e| is_on(a, e)) {
                        found.extend(edges_of(b).into_iter().filter(|f| is_on(b, f)).map(|f| [e, f]));
                    }
                }
            }
            ControlFlow::Continue(())
        });
        if swept == Swept::TooManyCrossings {
            continue;
        }
        for e in edges_of(a) {
            for f in edges_of(b) {
                if have_common_point(a.edge(e), b.edge(f)) {
                    assert!(found.contains(&[e, f]), "{e} and {f} of {rings:?}");
                    found_pairs += 1;
                }
            }
        }
    }
    assert!(found_pairs > 5 * cases && points > cases / 200, "{found_pairs}, {points} points of many edges");
}

#[test]
fn a_break_ends_the_sweep() {
    let mut loops = Loops::default();
    let at = |x: f64, y: f64| DVec2::new(x, y);
    let rings = [vec![at(0.0, 0.0), at(4.0, 4.0), at(4.0, 0.0), at(0.0, 4.0)]];
    let outline = loops.outline(&rings).unwrap();
    let mut calls = 0;
    let swept = outline.sweep(outline.aabb(), Pairs::All, &mut |e, f| {
        calls += 1;
        assert_eq!([e, f], [1, 3], "the diagonals");
        ControlFlow::Break(())
    });
    assert_eq!((swept, calls), (Swept::With(ControlFlow::Break(())), 1));
}

/// Returns a square spiral of two parallel arms. The spiral is rotated, so that the boxes of its edges are wide.
fn spiral(turns: usize) -> Vec<DVec2> {
    straight_spiral(turns)
        .into_iter()
        .map(|v| DVec2::new(4.0 * v.x - 3.0 * v.y, 3.0 * v.x + 4.0 * v.y))
        .collect()
}

/// Returns a square spiral whose edges are parallel to the axes.
fn straight_spiral(turns: usize) -> Vec<DVec2> {
    let arm = |k: usize, shift: f64| {
        let reach = 4.0 * ((k / 4) as f64 + 1.0) + shift + if k % 4 == 3 { 2.0 } else { 0.0 };
        [[reach, -reach], [reach, reach], [-reach, reach], [-reach, -reach - 2.0]][k % 4]
    };
    let there = (0..4 * turns).map(|k| arm(k, 1.0));
    let back = (0..4 * turns).rev().map(|k| arm(k, 0.0));
    there.chain(back).map(DVec2::from).collect()
}

/// Checks that the number of steps grows about in proportion to the size of the rings. `rings` makes rings of a given
/// size.
fn check_growth(
    rings: impl Fn(usize) -> Vec<Vec<DVec2>>,
    small: usize,
    run: impl Fn(Outline<'_>, &mut LeafPairs),
) -> u64 {
    let mut loops = Loops::default();
    let mut steps_of = |size: usize| {
        let rings = rings(size);
        let outline = loops.outline(&rings).unwrap();
        steps::during(|| run(outline, &mut LeafPairs::default()))
    };
    let (few, many) = (steps_of(small), steps_of(8 * small));
    assert!(many < 12 * few, "{few} steps, and {many} for 8 times the edges");
    many
}

#[test]
fn the_work_on_a_spiral_grows_with_its_edges() {
    for ring in [spiral as fn(usize) -> Vec<DVec2>, straight_spiral] {
        let meetings = |outline: Outline<'_>, leaf_pairs: &mut LeafPairs| {
            let meetings = outline.meetings(leaf_pairs);
            assert!(matches!(meetings, Meetings::AtCorners(corners) if corners.is_empty()));
        };
        check_growth(|turns| vec![ring(turns)], 1 << 10, meetings);
    }
}

#[test]
fn the_work_on_crossings_grows_with_the_edges() {
    // A needle crosses all turns of a spiral.
    let needle = |turns: usize| {
        let reach = 40.0 * turns as f64;
        let ring = [DVec2::new(0.0, 0.1), DVec2::new(reach, 0.25), DVec2::new(reach, 0.5)];
        vec![spiral(turns), ring.to_vec()]
    };
    let crossings = |outline: Outline<'_>, leaf_pairs: &mut LeafPairs| {
        let (mut count, turns) = (0, outline.ring_of(outline.rings[0].first));
        let _ = outline.own_crossings(outline.aabb(), leaf_pairs, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        let turns = (turns.end - turns.first) / 8;
        // The search with boxes has already visited some of the crossings, so the sweep visits fewer.
        assert!(count > 3 * turns && count < 9 * turns, "{count} crossings with {turns} turns");
    };
    check_growth(needle, 1 << 9, crossings);
    // A search near a box without crossings takes little work.
    let rings = needle(1 << 12);
    let mut loops = Loops::default();
    let outline = loops.outline(&rings).unwrap();
    let near = Aabb { min: DVec2::new(-900.0, -900.0), max: DVec2::new(-890.0, -890.0) };
    let steps = steps::during(|| {
        let none = outline.own_crossings(near, &mut LeafPairs::default(), |_| ControlFlow::Break(()));
        assert!(none.is_continue());
    });
    assert!(steps < 1 << 20, "{steps}");
}

#[test]
fn the_work_on_edges_that_overlap_grows_with_their_number() {
    // A ring that goes back and forth on one line.
    let folded = |count: usize| {
        let x = |k: usize| ((k * 7919) % count) as f64 + if k.is_multiple_of(2) { 0.0 } else { count as f64 };
        let line = (0..count).map(|k| DVec2::new(4.0 * x(k), 3.0 * x(k)));
        vec![line.chain([DVec2::new(0.0, 9.0)]).collect()]
    };
    let star = |count: usize| {
        let petal = |k: usize| {
            let at = |part: f64| {
                1000.0 * DVec2::from_angle((k as f64 + part) / count as f64 * std::f64::consts::TAU)
            };
            [DVec2::ZERO, at(0.25), at(0.75)]
        };
        vec![(0..count).flat_map(petal).collect()]
    };
    let all = |outline: Outline<'_>, leaf_pairs: &mut LeafPairs| {
        let edges = outline.rings[0].end - outline.rings[0].first;
        let bound = outline.bound_edges(leaf_pairs).len() as u32;
        assert!(bound >= 2 * (edges / 3), "{bound} of {edges}");
    };
    check_growth(folded, 1 << 11, all);
    let some = |outline: Outline<'_>, leaf_pairs: &mut LeafPairs| {
        let mut left = 32 * (outline.rings[0].end - outline.rings[0].first);
        let found = outline.contacts(leaf_pairs, &mut |_, _| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(found.is_break());
    };
    check_growth(folded, 1 << 11, some);
    check_growth(star, 1 << 11, all);
}

/// Returns bow ties whose long edges all go through the origin.
fn ties(count: usize) -> Vec<Vec<DVec2>> {
    let tie = |k: usize| {
        let at = |part: f64| {
            (1e6 * DVec2::from_angle((k as f64 + part) / count as f64 * std::f64::consts::PI)).round()
        };
        let [p, q] = [at(0.0), at(0.5)];
        vec![p, -p, -q, q]
    };
    (0..count).map(tie).collect()
}

#[test]
fn the_work_on_edges_through_one_point_grows_with_their_number() {
    // All edges cross at one point.
    let limits = CutLimits { cuts: usize::MAX, has_overlaps: true };
    let steps_of = |count: usize| {
        steps::during(|| {
            let mut cuts = Loops::default().cuts(&ties(count), limits, &mut LeafPairs::default()).unwrap();
            cuts.sort_by_key(|cut| (cut.ring, cut.edge));
            cuts.dedup();
            let at_origin = cuts.iter().filter(|cut| cut.at == DVec2::ZERO);
            assert!(at_origin.count() == 2 * count && cuts.len() == 2 * count);
        })
    };
    let (few, many) = (steps_of(1 << 9), steps_of(1 << 12));
    assert!(many < 12 * few, "{few} steps, and {many} for 8 times the edges");
    let crossings = |outline: Outline<'_>, leaf_pairs: &mut LeafPairs| {
        let _ = outline.own_crossings(outline.aabb(), leaf_pairs, |centre| {
            assert!(centre.is_at(DVec2::ZERO));
            ControlFlow::Continue(())
        });
    };
    check_growth(ties, 1 << 9, crossings);
}

/// Tests that the pairs of [`Pairs::Few`] lead to the same cuts as all pairs.
#[test]
fn few_pairs_represent_all_pairs() {
    let (mut draw, mut loops, mut count) = (Draw(4), Loops::default(), 0);
    let cases: usize = in_soak(20_000, 2_500);
    for case in 0..cases as u64 {
        let rings = draw.rings(2 + case % 7, 14, case % 3 == 0);
        let Some(outline) = loops.outline(&rings) else { continue };
        let points_of = |which: Pairs| {
            let (mut of_edges, mut crossings) = (BTreeSet::new(), BTreeSet::new());
            let swept = outline.sweep(outline.aabb(), which, &mut |e, f| {
                let ends = [outline.edge(e), outline.edge(f)];
                let crossing = Centre::where_edges_cross(ends[0], ends[1]);
                for (edge, [p, q], others) in [(e, ends[0], ends[1]), (f, ends[1], ends[0])] {
                    let is_on = |at: &DVec2| crate::geometry::outline::is_strictly_on(*at, [p, q]);
                    let at_ends = others.into_iter().filter(is_on);
                    let points = at_ends.chain(crossing.as_ref().map(Centre::rounded));
                    of_edges.extend(points.map(|at| (edge, at.to_array().map(f64::to_bits))));
                }
                if let Some(Centre::Crossing(crossing)) = crossing {
                    crossings.insert(crossing);
                }
                ControlFlow::Continue(())
            });
            (swept != Swept::TooManyCrossings).then_some((of_edges, crossings))
        };
        if let Some((of_edges, crossings)) = points_of(Pairs::All) {
            let few = points_of(Pairs::Few).expect("the same crossings");
            assert!(few.1 == crossings, "{rings:?}");
            // The sweep leaves out consecutive edges that overlap. Another search finds them.
            let is_missing = |edge: u32, at: DVec2| {
                let is_end = |other: u32| outline.edge(other).contains(&at);
                let overlaps =
                    |other: u32| outline.are_consecutive(edge.min(other), edge.max(other)) && is_end(other);
                !edges_of(outline).into_iter().any(overlaps)
            };
            for &(edge, at) in of_edges.difference(&few.0) {
                assert!(!is_missing(edge, DVec2::from(at.map(f64::from_bits))), "{edge} of {rings:?}");
            }
            count += crossings.len();
        }
    }
    assert!(2 * count > 5 * cases, "{count}");
}

/// Returns two rings of long edges. Each long edge of one ring crosses all long edges of the other ring. The short
/// edges between the long edges meet no edges of the other ring.
fn hatched(count: usize) -> Vec<Vec<DVec2>> {
    let size = 4.0 * count as f64;
    let along = |k: usize| {
        let is_far = k % 4 == 1 || k % 4 == 2;
        DVec2::new(if is_far { size } else { -1.0 }, (k / 2) as f64 + 0.5)
    };
    let first = (0..2 * count).map(along).chain([DVec2::new(-2.0, size), DVec2::new(-2.0, 0.0)]);
    let second: Vec<DVec2> = first.clone().map(|v| DVec2::new(v.y, v.x)).collect();
    vec![first.collect(), second]
}

#[test]
fn the_work_on_bound_edges_grows_with_the_edges() {
    let bound = |outline: Outline<'_>, leaf_pairs: &mut LeafPairs| {
        let (bound, edges) = (outline.bound_edges(leaf_pairs).len(), edges_of(outline).len());
        assert!(2 * bound >= edges - 8 && 2 * bound <= edges + 8, "{bound} of {edges}");
    };
    check_growth(hatched, 1 << 9, bound);
}

#[test]
fn very_many_edges_at_one_vertex_are_given_up() {
    let petals = |count: u32| -> Vec<Vec<DVec2>> {
        let petal = |k: u32| {
            let at = |part: f64| {
                1000.0 * DVec2::from_angle((f64::from(k) + part) / f64::from(count) * std::f64::consts::TAU)
            };
            [DVec2::ZERO, at(0.25), at(0.75)]
        };
        vec![(0..count).flat_map(petal).collect()]
    };
    let mut loops = Loops::default();
    let few = loops.outline(&petals(20)).expect("a ring");
    let found = few.meetings(&mut LeafPairs::default());
    assert!(matches!(found, Meetings::AtCorners(corners) if corners.len() == 20));
    let many = loops.outline(&petals(1000)).expect("a ring");
    assert!(matches!(many.meetings(&mut LeafPairs::default()), Meetings::Unknown));
}
