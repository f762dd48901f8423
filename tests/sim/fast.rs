//! Bullets do not pass through bodies that do not yield.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyKind, BodyOptions, ShapeId, Solver, World, WorldOptions};
use sat2d::{ConvexPolygon, RoundedShape};

use super::rigid::rectangle;

const DT: f64 = 1.0 / 60.0;

/// Adds three shapes of bullets: a disc and a square of width 0.05, and a thin rod of length 0.1.
fn bullets(world: &mut World) -> [ShapeId; 3] {
    let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.025).unwrap()).unwrap();
    let rod = ConvexPolygon::new(&[[-0.05, -0.002], [0.05, 0.0], [-0.05, 0.002]]).unwrap();
    let rod = world.add_shape(&RoundedShape::polygon(&rod, 0.0).unwrap()).unwrap();
    [disc, rectangle(world, 0.05, 0.05), rod]
}

/// Shoots bullets from the left at a wall whose thickness is a tenth of their path in a step. Returns the number of
/// bullets that get beyond the wall.
fn beyond(solver: Solver, fast: bool, wall_kind: BodyKind) -> usize {
    let options = WorldOptions { gravity: DVec2::ZERO, solver, ..WorldOptions::default() };
    let mut world = World::new(options).unwrap();
    let shapes = bullets(&mut world);
    let speed = 60.0;
    let wall = rectangle(&mut world, 0.1 * speed * DT, 100.0);
    let wall = BodyOptions { restitution: 0.5, ..BodyOptions::new(wall_kind, wall, [10.0, 0.0]) };
    let wall = world.add(&wall).unwrap();
    let mut ids = Vec::new();
    for k in 0..300u32 {
        let y = -45.0 + 0.3 * f64::from(k);
        let spin = f64::from(k % 7) * 40.0 - 120.0;
        let slant = f64::from(k % 11) * 2.0 - 10.0;
        let bullet = BodyOptions {
            velocity: DVec2::new(speed, slant),
            angular_velocity: spin,
            fast,
            ..BodyOptions::dynamic(shapes[k as usize % 3], [0.013 * f64::from(k % 70), y])
        };
        ids.push(world.add(&bullet).unwrap());
    }
    world.steps(30, DT).unwrap();
    let x = world.pose(wall).unwrap().translation().x;
    ids.iter().filter(|&&id| world.pose(id).unwrap().translation().x > x).count()
}

#[test]
fn bullets_do_not_pass_thin_walls() {
    for solver in [Solver::Rigid, Solver::Push] {
        for kind in [BodyKind::Static, BodyKind::Kinematic] {
            assert_eq!(beyond(solver, true, kind), 0, "{solver:?} {kind:?}");
            // At most 3 of 300 bullets get through if they are not marked as fast and turn by up to two radians in a step.
            let others = beyond(solver, false, kind);
            assert!(others <= 3, "{solver:?} {kind:?}: {others}");
        }
    }
}

/// Tests that a fast disc leaves a body that it overlaps, however deep the overlap is. The disc rotates, but a rotation
/// does not change the region of a disc.
#[test]
fn a_fast_disc_that_turns_comes_out_of_what_it_overlaps() {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let floor = rectangle(&mut world, 100.0, 1.0);
    let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
    world.add(&BodyOptions::fixed(floor, [0.0, -0.5])).unwrap();
    let body = BodyOptions {
        angular_velocity: 20.0,
        friction: 0.0,
        fast: true,
        ..BodyOptions::dynamic(disc, [0.0, 0.4])
    };
    let id = world.add(&body).unwrap();
    world.steps(120, DT).unwrap();
    let y = world.pose(id).unwrap().translation().y;
    assert!((y - 0.5).abs() < 0.02, "{y}");
}

#[test]
fn a_fast_body_slides_along_a_wall_that_it_touches() {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let floor = rectangle(&mut world, 1000.0, 1.0);
    let box_ = rectangle(&mut world, 0.5, 0.5);
    world.add(&BodyOptions { friction: 0.0, ..BodyOptions::fixed(floor, [0.0, -0.5]) }).unwrap();
    let slider = world
        .add(&BodyOptions {
            velocity: DVec2::new(50.0, 0.0),
            fast: true,
            ..BodyOptions::dynamic(box_, [-100.0, 0.25])
        })
        .unwrap();
    world.steps(60, DT).unwrap();
    let at = world.pose(slider).unwrap().translation();
    assert!((at - DVec2::new(-50.0, 0.25)).length() < 0.05, "{at}");
}

/// Tests that no ball gets to the other side of a bar that rotates towards the balls or away from them.
#[test]
fn balls_do_not_pass_a_thin_bar_that_rotates() {
    for mut world in
        super::behaviour::worlds(&WorldOptions { gravity: DVec2::ZERO, ..WorldOptions::default() })
    {
        let (bar, ball) = (rectangle(&mut world, 0.03, 20.0), super::behaviour::circle(&mut world, 0.05));
        let mut pairs = Vec::new();
        for (k, spin) in [1.0, 2.0, -1.0, -3.0].into_iter().enumerate() {
            for start in 0..4 {
                let centre = DVec2::new(50.0 * k as f64, 50.0 * f64::from(start));
                let bar =
                    BodyOptions { angular_velocity: spin, ..BodyOptions::kinematic(bar, centre, [0.0; 2]) };
                let bar = world.add(&bar).unwrap();
                let at = centre + DVec2::new(-2.0 - 0.02 * f64::from(start), 3.0);
                let velocity = DVec2::new(5.0, 0.0);
                let ball =
                    BodyOptions { velocity, fast: true, friction: 0.0, ..BodyOptions::dynamic(ball, at) };
                pairs.push((spin, centre, bar, world.add(&ball).unwrap()));
            }
        }
        // At the start, the balls are on the left of the bar. The test ends when the bar has turned by a right angle.
        for step in 0..30 {
            world.step(DT).unwrap();
            for &(spin, centre, bar, ball) in &pairs {
                let pose = world.pose(bar).unwrap();
                let at = world.pose(ball).unwrap().translation() - centre;
                let side = at.x * pose.cos() + at.y * pose.sin();
                assert!(side < 0.0, "{spin} at {step}: {side} on {:?}", world.choice());
            }
        }
    }
}
