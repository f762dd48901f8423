//! Many particles among polygons.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, Layers, Solver, World, WorldOptions};
use sat2d::{ConvexPolygon, RoundedShape};

const DT: f64 = 1.0 / 60.0;
/// From one polygon to the next.
const PITCH: f64 = 10.0;
/// How deep a particle may be in a polygon after a step, in length units: the overlap that the push solver leaves.
const BOUND: f64 = 0.002 + 1e-4;

/// A number in 0..1 that the next one is far from.
fn spread(k: usize, step: f64) -> f64 {
    (k as f64 * step).fract()
}

/// Particles of one kind, each outside of all of `side * side` polygons, with velocities up to 20 either way.
fn world(side: usize, particles: usize) -> World {
    let options = WorldOptions { solver: Solver::Push, ..WorldOptions::default() };
    let mut world = World::new(options).unwrap();
    let shapes: Vec<_> = (3..9)
        .map(|n| {
            let at = |k: usize| DVec2::from_angle(k as f64 * std::f64::consts::TAU / n as f64) * 3.0;
            let ring: Vec<[f64; 2]> = (0..n).map(|k| at(k).to_array()).collect();
            let core = ConvexPolygon::new(&ring).unwrap();
            world.add_shape(&RoundedShape::polygon(&core, 0.0).unwrap()).unwrap()
        })
        .collect();
    // Particles meet polygons, and not each other.
    let [of_polygons, of_particles] = [Layers { member: 1, meets: 2 }, Layers { member: 2, meets: 1 }];
    for k in 0..side * side {
        let at = DVec2::new((k % side) as f64 + 0.5, (k / side) as f64 + 0.5) * PITCH;
        let angle = 6.3 * spread(k, 0.754_877_666);
        let body = BodyOptions { angle, layers: of_polygons, ..BodyOptions::fixed(shapes[k % 6], at) };
        world.add(&body).unwrap();
    }
    let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.05).unwrap()).unwrap();
    let (mut added, mut k) = (0, 0);
    while added < particles {
        k += 1;
        let at = DVec2::new(spread(k, 0.754_877_666_246_692_7), spread(k, 0.569_840_290_998_053_3));
        let at = at * side as f64 * PITCH;
        let from_polygon = (at / PITCH).fract() * PITCH - DVec2::splat(0.5 * PITCH);
        if from_polygon.length() < 3.06 {
            continue;
        }
        let velocity = DVec2::new(spread(k, 0.31) - 0.5, spread(k, 0.47) - 0.5) * 40.0;
        // Marked fast: they go up to seven times as far in a step as they are wide.
        let particle = BodyOptions::particle(disc, at);
        let body = BodyOptions { velocity, layers: of_particles, fast: true, ..particle };
        world.add(&body).unwrap();
        added += 1;
    }
    world
}

#[test]
fn no_particle_is_inside_of_a_polygon_after_any_step() {
    let mut world = world(20, 20_000);
    let mut contacts = 0;
    for step in 0..60 {
        let report = world.step(DT).unwrap();
        let found = world.statistics().unwrap();
        assert!(found.greatest_penetration < BOUND, "step {step}: {found:?}");
        contacts += report.contacts;
    }
    assert!(contacts > 2000, "{contacts}");
}

#[test]
fn no_particle_of_a_million_is_inside_of_ten_thousand_polygons_after_a_step() {
    let mut world = world(100, 1_000_000);
    let report = world.steps(2, DT).unwrap();
    let found = world.statistics().unwrap();
    assert_eq!((found.bodies, found.dynamic_bodies), (1_010_000, 1_000_000));
    assert!(report.contacts > 1000 && found.greatest_penetration < BOUND, "{report:?} {found:?}");
}
