//! The rigid solver.

use sat2d::sim::{BodyId, BodyOptions, ShapeId, World, WorldOptions};
use sat2d::{Backend, ConvexPolygon, RoundedShape};

use super::world_on;

const DT: f64 = 1.0 / 60.0;

pub(crate) fn rectangle(world: &mut World, width: f64, height: f64) -> ShapeId {
    let (x, y) = (0.5 * width, 0.5 * height);
    let ring = ConvexPolygon::new(&[[-x, -y], [x, -y], [x, y], [-x, y]]).unwrap();
    world.add_shape(&RoundedShape::polygon(&ring, 0.0).unwrap()).unwrap()
}

/// Asserts that a stack stands for ten seconds.
fn a_stack_stands(backend: Backend) {
    let mut world = world_on(WorldOptions::default(), backend);
    let ground = rectangle(&mut world, 20.0, 1.0);
    let crate_ = rectangle(&mut world, 1.0, 1.0);
    world.add(&BodyOptions::fixed(ground, [0.0, -0.5])).unwrap();
    let at = |k: usize| [0.0, 0.5 + k as f64];
    let boxes: Vec<BodyId> =
        (0..10).map(|k| world.add(&BodyOptions::dynamic(crate_, at(k))).unwrap()).collect();
    world.steps(600, DT).unwrap();
    for (k, id) in boxes.into_iter().enumerate() {
        let pose = world.pose(id).unwrap();
        let moved = (pose.translation() - sat2d::glam::DVec2::from(at(k))).length();
        assert!(moved < 0.01 && pose.sin().abs() < 0.01, "box {k} moved by {moved} to {pose:?}");
    }
}

#[test]
fn a_stack_of_ten_boxes_stands() {
    a_stack_stands(Backend::Cpu);
}

#[cfg(feature = "gpu")]
#[test]
fn a_stack_of_ten_boxes_stands_on_a_device() {
    a_stack_stands(Backend::Gpu);
}
