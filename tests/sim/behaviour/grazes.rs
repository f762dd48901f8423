//! Bodies that graze others: they slide over tiles that are a little apart, that move, or that other bodies can move.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, BodyOptions, ShapeId, Solver, World};

use super::{DT, SOLVERS, circle, heavy, rectangle, slider, smooth, weightless, worlds};

/// The time for which bodies slide over tiles, in seconds.
const SECONDS: f64 = 1.5;
/// The distance between two floors.
const LANE: f64 = 10.0;

/// A floor of tiles. Each tile is 1 wide.
#[derive(Clone, Copy, Debug)]
struct Floor {
    kind: BodyKind,
    /// The gap between two neighbouring tiles.
    gap: f64,
    /// The velocity of the tiles along the floor.
    velocity: f64,
}

const fn floor(kind: BodyKind, gap: f64, velocity: f64) -> Floor {
    Floor { kind, gap, velocity }
}

const FLOORS: [Floor; 9] = [
    floor(BodyKind::Static, 0.0006, 0.0),
    floor(BodyKind::Static, 0.002, 0.0),
    floor(BodyKind::Static, 0.02, 0.0),
    floor(BodyKind::Kinematic, 0.0, 0.0),
    floor(BodyKind::Kinematic, 0.0, 2.0),
    floor(BodyKind::Kinematic, 0.005, -1.0),
    floor(BodyKind::Dynamic, 0.0, 0.0),
    floor(BodyKind::Dynamic, 0.003, 0.0),
    floor(BodyKind::Dynamic, 0.02, 0.0),
];

impl Floor {
    /// Adds the floor from x = -3 on, long enough for a body that starts at x = 0 and moves at `speed` relative to the tiles. The
    /// upper side of the floor is at the height `y`. Below dynamic tiles is a static plank.
    fn add(self, world: &mut World, tile: ShapeId, speed: f64, y: f64) {
        let width = 1.0 + self.gap;
        let count = ((speed * SECONDS + 6.0) / width) as usize;
        for k in 0..count {
            let at = [-2.5 + width * k as f64, y - 0.25];
            let body = BodyOptions { kind: self.kind, density: 50.0, ..smooth(tile, at) };
            world.add(&BodyOptions { velocity: DVec2::new(self.velocity, 0.0), ..body }).unwrap();
        }
        if self.kind == BodyKind::Dynamic {
            let plank = rectangle(world, 200.0, 1.0);
            world.add(&smooth(plank, [0.0, y - 1.0])).unwrap();
        }
    }
}

/// A body that slides over a floor.
struct Slide {
    id: BodyId,
    /// The velocity of the floor, and the speed of the body relative to the floor.
    along: [f64; 2],
    /// Names the slide in messages of assertions.
    name: String,
}

/// Adds bodies of several shapes that slide over each floor at each speed.
fn slides(world: &mut World, speeds: &[f64]) -> Vec<Slide> {
    let tile = rectangle(world, 1.0, 0.5);
    // Each shape has the height of its centre of mass above its lowest point.
    let shapes = [
        ("box", rectangle(world, 1.0, 1.0), 0.5),
        ("slab", rectangle(world, 2.0, 0.1), 0.05),
        ("small box", rectangle(world, 0.1, 0.1), 0.05),
        ("ball", circle(world, 0.5), 0.5),
    ];
    let (mut slides, mut lane) = (Vec::new(), 0.0);
    for floor in FLOORS {
        for &speed in speeds {
            for (name, shape, height) in shapes {
                for fast in [false, true] {
                    // A ball sinks into a wide gap, and it sinks with a tile that other bodies can move.
                    let sinks = floor.gap > 0.01 || floor.kind == BodyKind::Dynamic;
                    if name == "ball" && sinks {
                        continue;
                    }
                    let y = LANE * lane;
                    lane += 1.0;
                    floor.add(world, tile, speed, y);
                    let body = slider(shape, [0.123, y + height], [floor.velocity + speed, 0.0]);
                    let id = world.add(&BodyOptions { fast, ..body }).unwrap();
                    let name = format!("{name} at {speed}, fast: {fast}, on {floor:?}");
                    slides.push(Slide { id, along: [floor.velocity, speed], name });
                }
            }
        }
    }
    slides
}

fn assert_keep_speed(solver: Solver, speeds: &[f64]) {
    for mut world in worlds(&heavy(solver)) {
        let slides = slides(&mut world, speeds);
        world.steps((SECONDS / DT) as u64, DT).unwrap();
        for Slide { id, along: [of_floor, speed], name } in slides {
            let (v, w) = world.velocity(id).unwrap();
            let kept = (v.x - of_floor) / speed;
            assert!(
                (kept - 1.0).abs() < 0.01 && v.y.abs() < 0.2 && w.abs() < 0.2,
                "{solver:?}: {name}: {kept} {v} {w} on {:?}",
                world.choice()
            );
        }
    }
}

#[test]
fn a_body_keeps_its_speed_over_tiles_that_are_apart_or_that_move() {
    for solver in SOLVERS {
        assert_keep_speed(solver, &[1.0, 10.0]);
    }
}

/// Tests a box that flies towards an obstacle and overlaps it across its way by different lengths.
#[test]
fn a_body_that_overlaps_an_obstacle_by_more_than_rounding_hits_it() {
    for solver in SOLVERS {
        for mut world in worlds(&weightless(solver)) {
            let (wall, shape) = (rectangle(&mut world, 1.0, 1.0), rectangle(&mut world, 0.5, 0.5));
            let mut ids = Vec::new();
            for (lane, overlap) in (0..).zip([0.0002, 0.001, 0.01, 0.1]) {
                for (side, kind) in (0..).zip([BodyKind::Static, BodyKind::Kinematic]) {
                    let [x, y] = [20.0 * f64::from(side), LANE * f64::from(lane)];
                    world.add(&BodyOptions { kind, ..smooth(wall, [x, y - 0.5]) }).unwrap();
                    let body = slider(shape, [x - 3.0, y + 0.25 - overlap], [5.0, 0.0]);
                    ids.push((
                        overlap,
                        kind,
                        world.add(&BodyOptions { fixed_rotation: true, ..body }).unwrap(),
                    ));
                }
            }
            world.steps(60, DT).unwrap();
            for (overlap, kind, id) in ids {
                let v = world.velocity(id).unwrap().0;
                let expected = if overlap > 0.0005 { 0.0 } else { 5.0 };
                assert!(
                    (v.x - expected).abs() < 0.01,
                    "{solver:?}, {kind:?}, {overlap}: {v}, not {expected}, on {:?}",
                    world.choice()
                );
            }
        }
    }
}
