//! The push solver.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyOptions, Solver, World, WorldOptions};
use sat2d::{Backend, RoundedShape};

use super::rigid::rectangle;
use super::world_on;

const DT: f64 = 1.0 / 60.0;

#[test]
fn agents_that_start_on_each_other_come_apart_without_flying_off() {
    let options = WorldOptions { gravity: DVec2::ZERO, solver: Solver::Push, ..WorldOptions::default() };
    let mut world = World::new(options).unwrap();
    let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
    let at = |k: usize| [(k % 10) as f64 * 0.6, (k / 10) as f64 * 0.6];
    let agents: Vec<BodyId> =
        (0..100).map(|k| world.add(&BodyOptions::agent(disc, at(k), [0.0, 0.0])).unwrap()).collect();
    world.steps(240, DT).unwrap();
    let found = world.statistics().unwrap();
    assert!(found.greatest_penetration < 0.02, "{found:?}");
    assert!(found.rms_velocity < 0.01, "{found:?}");
    for id in agents {
        assert!((world.pose(id).unwrap().translation() - DVec2::splat(2.7)).length() < 12.0);
    }
}

#[test]
fn a_pile_of_particles_stays_on_the_floor() {
    let options = WorldOptions { solver: Solver::Push, ..WorldOptions::default() };
    let mut world = World::new(options).unwrap();
    let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
    let (floor, wall) = (rectangle(&mut world, 14.0, 2.0), rectangle(&mut world, 2.0, 60.0));
    world.add(&BodyOptions::fixed(floor, [5.0, -1.0])).unwrap();
    world.add(&BodyOptions::fixed(wall, [-1.5, 29.0])).unwrap();
    world.add(&BodyOptions::fixed(wall, [11.5, 29.0])).unwrap();
    for k in 0..200 {
        let at = [(k % 10) as f64 * 1.05 + 0.3 * (k / 10 % 2) as f64, 0.6 + (k / 10) as f64 * 1.05];
        world.add(&BodyOptions::particle(disc, at)).unwrap();
    }
    world.steps(600, DT).unwrap();
    let found = world.statistics().unwrap();
    assert!(found.greatest_penetration < 0.1 && found.mean_penetration < 0.02, "{found:?}");
    assert!(found.rms_velocity < 0.3, "{found:?}");
    assert!((8.0..11.0).contains(&found.mean_position.y), "{found:?}");
}

/// Tests that overlaps shrink to the depth that [`Solver::Push`] allows.
#[test]
fn what_overlaps_comes_apart_but_for_what_the_solver_leaves() {
    let backends = if cfg!(feature = "gpu") { &[Backend::Cpu, Backend::Gpu][..] } else { &[Backend::Cpu] };
    for &backend in backends {
        let options = WorldOptions { gravity: DVec2::ZERO, solver: Solver::Push, ..WorldOptions::default() };
        let mut world = world_on(options, backend);
        let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
        let plank = rectangle(&mut world, 4.0, 1.0);
        for at in [[-4.0, 0.0], [-3.2, 0.3], [2.0, 0.9]] {
            world.add(&BodyOptions::particle(disc, at)).unwrap();
        }
        world.add(&BodyOptions::fixed(plank, [2.0, 0.0])).unwrap();
        assert_eq!(world.statistics().unwrap().overlapping, 2);
        world.steps(60, DT).unwrap();
        let found = world.statistics().unwrap();
        assert_eq!(found.overlapping, 2);
        let [mean, greatest] = [found.mean_penetration, found.greatest_penetration];
        assert!((mean - 0.002).abs() < 1e-4 && (greatest - 0.002).abs() < 1e-4, "{backend:?}: {found:?}");
    }
}
