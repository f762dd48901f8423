//! Measures the state of a world in the same way for every engine.

use sat2d::Penetrations;
use sat2d::sim::BodyKind;
use sat2d::{Backend, Engine, RoundedSet};
use serde::Serialize;

use super::engine::Body;
use super::scenes::Plain;
use crate::AnyError;

/// The quality of a world's state.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct State {
    /// The number of overlapping pairs that have at least one dynamic body.
    pub(super) overlapping: usize,
    /// The mean penetration of the pairs in `overlapping`, in the scene's unit of length.
    pub(super) mean_penetration: f64,
    pub(super) greatest_penetration: f64,
    /// The sum of all penetrations divided by the number of dynamic bodies. Unlike the mean penetration, this value does not
    /// become smaller if more pairs merely touch.
    pub(super) penetration_a_body: f64,
    /// The root mean square of the velocities of the dynamic bodies.
    pub(super) rms_velocity: f64,
    pub(super) greatest_speed: f64,
    /// The number of dynamic bodies outside the box around the centres of the static bodies, which are the walls.
    pub(super) lost: usize,
}

/// Measures a state from the poses and the velocities of the bodies. The penetrations come from a self-join of sat2d over all
/// bodies, and not from the contacts of the engine.
pub(super) fn judge(scene: &Plain, bodies: &[Body]) -> Result<State, AnyError> {
    let instances: Vec<_> =
        scene.bodies.iter().zip(bodies).map(|(body, now)| (body.shape.index(), now.pose)).collect();
    let set = RoundedSet::from_instances(&scene.shapes, &instances)?;
    let found = Engine::new(Backend::Cpu)?.self_join(&set).query(Penetrations)?;
    let is_dynamic = |body: u32| scene.bodies[body as usize].kind == BodyKind::Dynamic;
    let mut state = State::default();
    let mut sum = 0.0;
    for pair in found.items.iter().filter(|pair| is_dynamic(pair.a) || is_dynamic(pair.b)) {
        let depth = pair.measurement.depth();
        if depth > 0.0 {
            state.overlapping += 1;
            sum += depth;
            state.greatest_penetration = state.greatest_penetration.max(depth);
        }
    }
    state.mean_penetration = sum / state.overlapping.max(1) as f64;
    let dynamic = scene.bodies.iter().zip(bodies).filter(|(body, _)| body.kind == BodyKind::Dynamic);
    let count = scene.dynamic_count().max(1) as f64;
    state.penetration_a_body = sum / count;
    let square: f64 = dynamic.clone().map(|(_, now)| now.velocity.length_squared()).sum();
    state.greatest_speed = dynamic.clone().map(|(_, now)| now.velocity.length()).fold(0.0, f64::max);
    state.rms_velocity = (square / count).sqrt();
    let places =
        || scene.bodies.iter().filter(|body| body.kind == BodyKind::Static).map(|body| body.position);
    let low = places().reduce(|a, b| a.min(b)).unwrap_or_default();
    let high = places().reduce(|a, b| a.max(b)).unwrap_or_default();
    let is_in = |at: sat2d::glam::DVec2| at.cmpge(low).all() && at.cmple(high).all();
    state.lost = dynamic.filter(|(_, now)| !is_in(now.pose.translation())).count();
    Ok(state)
}
