//! Many particles among polygons.

use super::{memory, world_on};
use crate::support::in_soak;
use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, BodyOptions, Layers, Solver, World, WorldOptions};
use sat2d::{Backend, ConvexPolygon, RoundedShape};

const DT: f64 = 1.0 / 60.0;
/// The distance between the middles of neighbouring polygons.
const PITCH: f64 = 10.0;
const RADIUS: f64 = 0.05;
/// The greatest depth of a particle in a polygon after a step in which the particle meets only polygons. The
/// documentation of [`Solver::Push`] states this bound.
const OUTSIDE: f64 = 1e-4;
/// The greatest depth of a particle in a polygon if other particles press it: a tenth of the particle's radius, and
/// [`OUTSIDE`].
const PRESSED: f64 = 0.1 * RADIUS + OUTSIDE;

/// Returns the number with the index `k` of a sequence in 0..1. Neighbours in the sequence are far apart.
fn spread(k: usize, step: f64) -> f64 {
    (k as f64 * step).fract()
}

/// The kinds of bodies, besides polygons, with which particles collide.
#[derive(Clone, Copy, PartialEq)]
enum Meeting {
    Nothing,
    EachOther,
}

/// Returns a world with particles of one kind, each outside of all `side * side` polygons, with velocities of up to
/// 20 along each axis.
fn world(backend: Backend, side: usize, particles: usize, meeting: Meeting) -> World {
    let options = WorldOptions { solver: Solver::Push, ..WorldOptions::default() };
    let mut world = world_on(options, backend);
    let shapes: Vec<_> = (3..9)
        .map(|n| {
            let at = |k: usize| DVec2::from_angle(k as f64 * std::f64::consts::TAU / n as f64) * 3.0;
            let ring: Vec<[f64; 2]> = (0..n).map(|k| at(k).to_array()).collect();
            let core = ConvexPolygon::new(&ring).unwrap();
            world.add_shape(&RoundedShape::polygon(&core, 0.0).unwrap()).unwrap()
        })
        .collect();
    let of_polygons = Layers { member: 1, meets: 2 };
    let of_particles = Layers { member: 2, meets: if meeting == Meeting::EachOther { 3 } else { 1 } };
    for k in 0..side * side {
        let at = DVec2::new((k % side) as f64 + 0.5, (k / side) as f64 + 0.5) * PITCH;
        let angle = 6.3 * spread(k, 0.754_877_666);
        let body = BodyOptions { angle, layers: of_polygons, ..BodyOptions::fixed(shapes[k % 6], at) };
        world.add(&body).unwrap();
    }
    let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], RADIUS).unwrap()).unwrap();
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
        // The particles are marked as fast, since they move up to seven times their width in a step.
        let particle = BodyOptions::particle(disc, at);
        let body = BodyOptions { velocity, layers: of_particles, fast: true, ..particle };
        world.add(&body).unwrap();
        added += 1;
    }
    world
}

/// The result of a fall, over all steps: the number of contacts with polygons, the number of contacts among particles,
/// and the deepest overlap of each of the two kinds.
#[derive(Debug, Default)]
struct Fall {
    with_polygons: usize,
    with_others: usize,
    in_polygons: f64,
    in_others: f64,
    /// The number of all bodies, and the number of moving bodies.
    bodies: (usize, usize),
}

/// Simulates a world. The overlaps are measured at the start of each step, so they are the overlaps at the end of the
/// previous step.
fn fall(world: &mut World, steps: usize) -> Fall {
    let mut found = Fall::default();
    for _ in 0..steps {
        world.step(DT).unwrap();
        for contact in world.contacts().unwrap() {
            let depth = contact.points().iter().map(|point| -point.separation).fold(0.0, f64::max);
            let is_polygon = |body: BodyId| world.kind(body).unwrap() == BodyKind::Static;
            let (count, deepest) = if is_polygon(contact.a) || is_polygon(contact.b) {
                (&mut found.with_polygons, &mut found.in_polygons)
            } else {
                (&mut found.with_others, &mut found.in_others)
            };
            *count += 1;
            *deepest = deepest.max(depth);
        }
    }
    let statistics = world.statistics().unwrap();
    found.bodies = (statistics.bodies, statistics.dynamic_bodies);
    found
}

#[test]
fn no_particle_is_inside_of_a_polygon_after_any_step() {
    let mut world = world(Backend::Cpu, 20, 20_000, Meeting::Nothing);
    let mut contacts = 0;
    for step in 0..60 {
        let report = world.step(DT).unwrap();
        let found = world.statistics().unwrap();
        assert!(found.greatest_penetration < OUTSIDE, "step {step}: {found:?}");
        contacts += report.contacts;
    }
    assert!(contacts > 2000, "{contacts}");
}

/// The number of polygons along a side of the large world, and its number of particles. Under `scripts/soak`, a million particles
/// fly among ten thousand polygons.
fn large() -> (usize, usize) {
    in_soak((100, 1_000_000), (25, 62_500))
}

#[test]
fn no_particle_of_a_large_world_is_inside_of_a_polygon_after_any_step() {
    let _alone = memory::alone();
    let (side, particles) = large();
    let mut world = world(Backend::Cpu, side, particles, Meeting::Nothing);
    let found = fall(&mut world, 10);
    eprintln!("{found:?}");
    assert_eq!(found.bodies, (particles + side * side, particles));
    assert!(found.with_polygons > particles / 10 && found.in_polygons < OUTSIDE, "{found:?}");
}

#[test]
fn no_particle_of_a_large_world_in_which_particles_meet_is_pressed_into_a_polygon() {
    let _alone = memory::alone();
    let (side, particles) = large();
    let mut world = world(Backend::Cpu, side, particles, Meeting::EachOther);
    let found = fall(&mut world, 10);
    eprintln!("{found:?}");
    assert_eq!(found.bodies, (particles + side * side, particles));
    assert!(found.with_polygons.min(found.with_others) > particles / 10, "{found:?}");
    assert!(found.in_polygons < PRESSED, "{found:?}");
}

#[cfg(feature = "gpu")]
#[test]
fn particles_that_meet_are_pressed_into_polygons_no_deeper_on_a_device() {
    let [cpu, device] = [Backend::Cpu, Backend::Gpu].map(|backend| {
        let mut world = world(backend, 14, 20_000, Meeting::EachOther);
        let found = fall(&mut world, 60);
        eprintln!("{backend:?}: {found:?}");
        assert!(found.in_polygons < PRESSED, "{backend:?}: {found:?}");
        // The particles move so fast that the deepest overlap of two particles exceeds their radius.
        assert!(found.in_others > RADIUS, "{backend:?}: {found:?}");
        let ids: Vec<BodyId> = world.bodies().collect();
        let places: Vec<DVec2> = ids.iter().map(|&id| world.pose(id).unwrap().translation()).collect();
        (found, places)
    });
    let [(cpu, cpu_places), (device, device_places)] = [cpu, device];
    for (a, b) in [(cpu.with_polygons, device.with_polygons), (cpu.with_others, device.with_others)] {
        assert!(a > 100_000 && a.abs_diff(b) < a / 20, "{a} contacts on the CPU, {b} on the device");
    }
    // A particle that met others ends at a different place on each backend. The differences are random, so their mean
    // is near 0.
    let ways: Vec<DVec2> = cpu_places.iter().zip(&device_places).map(|(a, b)| *a - *b).collect();
    let count = ways.len() as f64;
    let mean = ways.iter().sum::<DVec2>() / count;
    let deviation = (ways.iter().map(|way| way.length_squared()).sum::<f64>() / count).sqrt();
    assert!(deviation < 5.0, "a mean of so few says nothing: {deviation}");
    assert!(mean.length() < 3.0 * deviation / count.sqrt(), "{mean} from device to CPU, of {deviation} each");
}
