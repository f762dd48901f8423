//! Combs and spirals with long edges. The boxes of most edges meet, so boxes do not exclude pairs of edges.

use sat2d::{Backend, Containments, Engine, Fill, PolygonSet, Relation, Relations};

use super::{Columns, compare};
use crate::support::bounded::{self, Limits};
use crate::support::in_soak;

/// The limits on the memory and the time of a test, about ten times what a test needs.
const LIMITS: Limits = Limits { mib: 2000, seconds: 120 };

type Ring = Vec<[f64; 2]>;

/// Returns a ring turned by the angle of the triangle with the sides 3, 4 and 5, and scaled by 5.
fn turned(ring: impl Iterator<Item = [f64; 2]>) -> Ring {
    ring.map(|[x, y]| [4.0 * x - 3.0 * y, 3.0 * x + 4.0 * y]).collect()
}

/// Returns a square spiral, turned and scaled by [`turned`]. Before that, the spiral is about 1 wide, and its turns are 4
/// apart. `shift` moves every corner outward along both axes. Two spirals touch if their shifts differ by 1, and do not
/// meet if their shifts differ by 2.
fn spiral(turns: usize, shift: f64) -> Ring {
    let arm = move |k: usize, shift: f64| {
        let reach = 4.0 * ((k / 4) as f64 + 1.0) + shift + if k % 4 == 3 { 2.0 } else { 0.0 };
        [[reach, -reach], [reach, reach], [-reach, reach], [-reach, -reach - 2.0]][k % 4]
    };
    let there = (0..4 * turns).map(move |k| arm(k, shift + 1.0));
    turned(there.chain((0..4 * turns).rev().map(move |k| arm(k, shift))))
}

/// Returns a spiral that crosses itself at its outer end.
fn crossed(turns: usize, shift: f64) -> Ring {
    let mut ring = spiral(turns, shift);
    ring.swap(4 * turns - 1, 4 * turns);
    ring
}

/// Returns two interlocking combs with teeth as long as the combs are wide.
fn combs(teeth: u32) -> [Ring; 2] {
    let length = 4.0 * f64::from(teeth);
    let comb = move |[left, right]: [f64; 2], low: f64, tip: f64, back: f64| {
        let tooth = move |k: u32| {
            let x = 4.0 * f64::from(k);
            [[x + left, low], [x + left, tip], [x + right, tip], [x + right, low]]
        };
        turned((0..teeth).flat_map(tooth).chain([[length + 4.0, back], [-4.0, back]]))
    };
    [comb([1.0, 3.0], length, 1.0, length + 2.0), comb([3.5, 4.5], 0.0, length - 1.0, -1.0)]
}

fn set_of(rings: &[Ring], fill: Option<Fill>) -> PolygonSet {
    let objects: Vec<Vec<Vec<Ring>>> = rings.iter().map(|ring| vec![vec![ring.clone()]]).collect();
    let columns = Columns::of(&objects);
    match fill {
        None => PolygonSet::from_columns(&columns.columns()).unwrap(),
        Some(fill) => PolygonSet::from_columns(&columns.columns().fill(fill)).unwrap(),
    }
}

/// The indices and the relation of each pair that meets.
type Related = Vec<(u32, u32, Relation)>;

/// Returns the pairs that meet, and the pairs in which one object covers the other.
fn pairs(set: &PolygonSet) -> (Related, Vec<(u32, u32)>) {
    let engine = Engine::new(Backend::Cpu).unwrap();
    let found = engine.self_join(set).query(Relations).unwrap().items;
    let covering = engine.self_join(set).query(Containments).unwrap().items;
    assert_eq!(set.made_piece_count(), None, "a query on edges has split the polygons");
    let found = found.iter().map(|pair| (pair.a, pair.b, pair.relation)).collect();
    (found, covering.iter().map(|pair| (pair.a, pair.b)).collect())
}

#[test]
fn spirals_and_combs_that_go_through_each_other() {
    use Relation::{Overlapping, Touching};
    let [comb, other_comb] = combs(300);
    assert_eq!(pairs(&set_of(&[comb.clone(), other_comb.clone()], None)), (vec![], vec![]));
    let mut touching = other_comb.clone();
    // The first tooth reaches the back of the other comb.
    for v in &mut touching[1..3] {
        *v = [v[0] - 3.0, v[1] + 4.0];
    }
    assert_eq!(pairs(&set_of(&[comb.clone(), touching], None)), (vec![(0, 1, Touching)], vec![]));
    let spirals = [0.0, 1.0, 2.0, 0.5].map(|shift| spiral(150, shift));
    let expected = vec![(0, 1, Touching), (0, 3, Overlapping), (1, 2, Touching), (1, 3, Overlapping)];
    for fill in [None, Some(Fill::EvenOdd), Some(Fill::NonZero)] {
        assert_eq!(pairs(&set_of(&spirals, fill)), (expected.clone(), vec![]), "{fill:?}");
    }
    let objects: Vec<Vec<Vec<Ring>>> =
        spirals.into_iter().chain([comb, other_comb]).map(|ring| vec![vec![ring]]).collect();
    compare(&objects);
}

#[test]
fn spirals_that_cross_themselves() {
    use Relation::Touching;
    let spirals = [crossed(150, 0.0), crossed(150, 1.0), crossed(150, 2.0), spiral(150, 1.0)];
    for fill in [Fill::EvenOdd, Fill::NonZero] {
        let set = set_of(&spirals, Some(fill));
        let (found, covering) = pairs(&set);
        let meets = |a: u32, b: u32| found.iter().find(|pair| (pair.0, pair.1) == (a, b)).map(|pair| pair.2);
        assert_eq!(
            [meets(0, 1), meets(0, 2), meets(1, 2)],
            [Some(Touching), None, Some(Touching)],
            "{fill:?}"
        );
        // The spiral without a crossing covers the spiral with the same turns and the crossed end.
        assert_eq!((meets(1, 3), covering), (Some(Relation::Overlapping), vec![(1, 3)]), "{fill:?}");
    }
}

#[test]
fn very_many_petals_at_one_vertex() {
    // A ring that returns to the origin after each petal.
    let count = 3000;
    let petal = |k: usize| {
        let at = |part: f64| {
            let angle = (k as f64 + part) / f64::from(count) * std::f64::consts::TAU;
            [1000.0 * angle.cos(), 1000.0 * angle.sin()]
        };
        [[0.0, 0.0], at(0.25), at(0.75)]
    };
    let flower: Ring = (0..count as usize).flat_map(petal).collect();
    let [_, p, q] = petal(7);
    let middle = [0, 1].map(|axis| 0.45 * (p[axis] + q[axis]));
    let square = |[x, y]: [f64; 2], size: f64| -> Ring {
        vec![[x, y], [x + size, y], [x + size, y + size], [x, y + size]]
    };
    let set = set_of(&[flower, square(middle, 1e-3), square([2000.0, 0.0], 1.0)], None);
    let found = Engine::new(Backend::Cpu).unwrap().self_join(&set).query(Relations).unwrap().items;
    let found: Vec<_> = found.iter().map(|pair| (pair.a, pair.b, pair.relation)).collect();
    assert_eq!(found, [(0, 1, Relation::Overlapping)]);
}

/// Tests a ring in the form of a spiral with two arms. The arms cross once on every side of every turn.
#[test]
fn a_spiral_that_crosses_itself_tens_of_thousands_of_times() {
    bounded::run(LIMITS, || {
        let turns = in_soak(25_000, 6_000);
        let corner = |k: usize, shift: f64| {
            let reach = 8.0 * ((k / 4) as f64 + 1.0) + shift + if k % 4 == 3 { 4.0 } else { 0.0 };
            [[reach, -reach], [reach, reach], [-reach, reach], [-reach, -reach - 4.0]][k % 4]
        };
        let there = (0..4 * turns).map(|k| corner(k, 1.0));
        let back = (0..4 * turns).rev().map(|k| corner(k, if k % 2 == 0 { 0.0 } else { 2.0 }));
        let ring = turned(there.chain(back));
        check_in_set(&ring, ring[4 * turns / 10 * 4 + 1]);
    });
}

#[test]
fn a_ring_that_goes_over_one_line_tens_of_thousands_of_times() {
    bounded::run(LIMITS, || {
        let count = in_soak(100_000, 30_000);
        let x = |k: usize| ((k * 7919) % count) as f64 + if k.is_multiple_of(2) { 0.0 } else { count as f64 };
        let line = (0..count).map(|k| [x(k), 0.0]);
        let end = 2.0 * count as f64;
        let ring = turned(line.chain([[end, 5.0], [0.0, 5.0], [0.5, -5.0]]));
        let tip = ring[count];
        check_in_set(&ring, tip);
        // Each segment of the line is inside many others. If the segments were cut at each other's ends, the ring would
        // have billions of vertices.
        assert!(set_of(&[ring], Some(Fill::EvenOdd)).piece_count() > 1);
    });
}

/// Checks that a ring that crosses itself overlaps a square around one of its vertices, and not a square far away.
fn check_in_set(ring: &Ring, [x, y]: [f64; 2]) {
    let square =
        |x: f64, y: f64| vec![[x - 1.0, y - 1.0], [x + 1.0, y - 1.0], [x + 1.0, y + 1.0], [x - 1.0, y + 1.0]];
    let rings = [ring.clone(), square(x, y), square(1e9, 0.0)];
    for fill in [Fill::EvenOdd, Fill::NonZero] {
        let set = set_of(&rings, Some(fill));
        let found = Engine::new(Backend::Cpu).unwrap().self_join(&set).query(Relations).unwrap().items;
        let found: Vec<_> = found.iter().map(|pair| (pair.a, pair.b, pair.relation)).collect();
        assert_eq!(found, [(0, 1, Relation::Overlapping)], "{fill:?}");
    }
}
