//! What comes of a world does not depend on the number of threads: colours large enough to be shared out among several are
//! solved as by one, bit for bit.

use sat2d::sim::{BodyOptions, Solver, World, WorldOptions};
use sat2d::{ConvexPolygon, Pose, RoundedShape};

/// Polygons and discs that overlap their neighbours a little, thrown about; their poses after some steps.
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
        // Some colour must have more blocks of eight than one thread does alone.
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
