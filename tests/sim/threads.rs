//! Tests that the number of threads does not change the result of a world. Contacts are divided into groups called
//! colours, and large colours are divided among several threads. The result must be the same bit for bit.

use sat2d::sim::{BodyOptions, Solver, World, WorldOptions};
use sat2d::{ConvexPolygon, Pose, RoundedShape};

/// Simulates polygons and discs that overlap their neighbours a little and start with various velocities. Returns their poses
/// after some steps.
fn poses(solver: Solver, threads: usize) -> Vec<Pose> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut world = World::new(WorldOptions { solver, ..WorldOptions::default() }).unwrap();
        let ring = [[-0.5, -0.4], [0.5, -0.5], [0.4, 0.5], [-0.45, 0.45]];
        let polygon = RoundedShape::polygon(&ConvexPolygon::new(&ring).unwrap(), 0.0).unwrap();
        let shapes = [polygon, RoundedShape::circle([0.0, 0.0], 0.5).unwrap()];
        let shapes = shapes.map(|shape| world.add_shape(&shape).unwrap());
        let side = 180;
        let ids: Vec<_> = (0..side * side)
            .map(|k| {
                let at = [(k % side) as f64 * 0.95, (k / side) as f64 * 0.95];
                let velocity = [(k * 7 % 13) as f64 - 6.0, (k * 11 % 17) as f64 - 8.0].into();
                let body =
                    BodyOptions { velocity, restitution: 0.3, ..BodyOptions::dynamic(shapes[k % 2], at) };
                world.add(&body).unwrap()
            })
            .collect();
        let report = world.steps(3, 1.0 / 60.0).unwrap();
        // With so many contacts, some colour is too large for one thread, and is divided among threads.
        assert!(report.contacts > 60_000, "{report:?}");
        ids.into_iter().map(|id| world.pose(id).unwrap()).collect()
    })
}

#[test]
fn any_number_of_threads_moves_bodies_alike() {
    for solver in [Solver::Rigid, Solver::Push] {
        let alone = poses(solver, 1);
        for threads in [2, 5] {
            assert!(poses(solver, threads) == alone, "{solver:?} with {threads} threads");
        }
    }
}

/// Simulates bodies that rest side by side on a floor, and a few bodies that are thrown over them. Returns their poses
/// after a second. Most bodies stay in place. The world keeps their pairs, and searches only for the pairs of the
/// thrown bodies.
fn poses_of_some_thrown(solver: Solver, threads: usize) -> Vec<Pose> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut world = World::new(WorldOptions { solver, ..WorldOptions::default() }).unwrap();
        let (count, wide) = (4000, 4400.0);
        let floor = [[-10.0, -2.0], [wide, -2.0], [wide, 0.0], [-10.0, 0.0]];
        let floor = RoundedShape::polygon(&ConvexPolygon::new(&floor).unwrap(), 0.0).unwrap();
        let floor = world.add_shape(&floor).unwrap();
        let ball = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
        world.add(&BodyOptions::fixed(floor, [0.0, 0.0])).unwrap();
        let ids: Vec<_> = (0..count)
            .map(|k| {
                let is_thrown = k % 80 == 0;
                let (y, speed) = if is_thrown { (1.6, 9.0 + (k % 7) as f64) } else { (0.5, 0.0) };
                let velocity = [if k % 160 == 0 { speed } else { -speed }, 0.0].into();
                let at = [1.1 * k as f64, y];
                let body = BodyOptions { velocity, restitution: 0.5, ..BodyOptions::dynamic(ball, at) };
                world.add(&body).unwrap()
            })
            .collect();
        let report = world.steps(60, 1.0 / 60.0).unwrap();
        assert!(report.contacts > 3900, "{report:?}");
        ids.into_iter().map(|id| world.pose(id).unwrap()).collect()
    })
}

#[test]
fn any_number_of_threads_moves_some_among_many_that_rest_alike() {
    for solver in [Solver::Rigid, Solver::Push] {
        let alone = poses_of_some_thrown(solver, 1);
        for threads in [2, 5] {
            assert!(poses_of_some_thrown(solver, threads) == alone, "{solver:?} with {threads} threads");
        }
    }
}
