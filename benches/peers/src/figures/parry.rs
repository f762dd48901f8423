use parry2d::math::Pose;
use parry2d::query::{
    self, ClosestPoints, Contact, ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher,
};
use parry2d::shape::Shape;

use super::{Each, MARGIN, Shapes};
use crate::whole_join::parry::{self, Body};
use crate::{AnyError, Rings};

// parry2d supports every pair of convex shapes. Errors for other shapes are treated as no contact.

fn contact<S: Shape>((a, pose_a): &Body<S>, (b, pose_b): &Body<S>) -> Option<Contact> {
    query::contact(pose_a, a, pose_b, b, 0.0).ok().flatten()
}

fn distance<S: Shape>((a, pose_a): &Body<S>, (b, pose_b): &Body<S>) -> Option<f32> {
    query::distance(pose_a, a, pose_b, b).ok().map(|found| found.distance)
}

fn closest<S: Shape>((a, pose_a): &Body<S>, (b, pose_b): &Body<S>) -> Option<ClosestPoints> {
    query::closest_points(pose_a, a, pose_b, b, f32::MAX).ok()
}

/// Computes a manifold from the beginning, as for a new pair. No manifold is kept between pairs. Returns `None` if parry2d does
/// not support the shapes.
fn manifold<S: Shape>((a, pose_a): &Body<S>, (b, pose_b): &Body<S>) -> Option<ContactManifold<(), ()>> {
    let mut manifold = ContactManifold::new();
    let relative: Pose = pose_a.inv_mul(pose_b);
    DefaultQueryDispatcher
        .contact_manifold_convex_convex(&relative, a, b, None, None, MARGIN as f32, &mut manifold)
        .ok()?;
    Some(manifold)
}

fn depth(found: &Option<Contact>) -> Option<f64> {
    found.as_ref().map(|contact| f64::from(contact.dist))
}

fn deepest(found: &Option<ContactManifold<(), ()>>) -> Option<f64> {
    let points = found.as_ref()?.points.iter().map(|point| f64::from(point.dist));
    points.reduce(f64::min).filter(|&least| least <= MARGIN)
}

fn apart(found: &Option<f32>) -> Option<f64> {
    found.map(f64::from)
}

fn between(found: &Option<ClosestPoints>) -> Option<f64> {
    match found {
        Some(ClosestPoints::WithinMargin(a, b)) => Some(f64::from((*b - *a).length())),
        Some(ClosestPoints::Intersecting) => Some(0.0),
        _ => None,
    }
}

pub(super) fn contact_in_the_world(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::in_the_world, contact, depth)
}

pub(super) fn contact_about_the_centre(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::about_the_centre, contact, depth)
}

pub(super) fn contact_of_cuboids(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::cuboid, contact, depth)
}

pub(super) fn manifold_about_the_centre(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::about_the_centre, manifold, deepest)
}

pub(super) fn manifold_of_cuboids(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::cuboid, manifold, deepest)
}

pub(super) fn distance_in_the_world(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::in_the_world, distance, apart)
}

pub(super) fn distance_about_the_centre(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::about_the_centre, distance, apart)
}

pub(super) fn distance_of_cuboids(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::cuboid, distance, apart)
}

pub(super) fn closest_points(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::about_the_centre, closest, between)
}
