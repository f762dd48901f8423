//! The interface through which the benchmark runs every simulation engine.

use sat2d::Pose;
use sat2d::glam::DVec2;

use crate::AnyError;

/// A world of bodies in one engine.
pub(super) trait Simulator: Send {
    /// Prepares the world for steps with `_count` threads. This call is not timed.
    fn use_threads(&mut self, _count: usize) -> Result<(), AnyError> {
        Ok(())
    }

    /// Steps the world in the current thread pool. Only this call is timed.
    fn advance(&mut self, steps: usize) -> Result<(), AnyError>;

    /// Sets the preferred velocities of the bodies with these indices. This call is not timed.
    fn prefer(&mut self, velocities: &[(usize, DVec2)]) -> Result<(), AnyError>;

    /// Sets the velocity of a body's centre of mass and its angular velocity. The body must not be static. This call is not
    /// timed.
    fn set_velocity(&mut self, body: usize, velocity: DVec2, spin: f64) -> Result<(), AnyError>;

    /// Returns the current states of all bodies, in the order of the scene.
    fn bodies(&mut self) -> Result<Vec<Body>, AnyError>;
}

/// The pose and the velocities of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    pub(super) pose: Pose,
    /// The velocity of the centre of mass.
    pub(super) velocity: DVec2,
    /// The angular velocity in radians per unit of time, counter-clockwise.
    pub(super) spin: f64,
}

impl Body {
    /// Makes a body from the values of an engine that computes in f32. The rotation (cos, sin) is scaled, so that the length of
    /// the body's rotation is 1 up to the rounding of f64.
    pub(super) fn of_single(
        [x, y]: [f32; 2],
        [cos, sin]: [f32; 2],
        velocity: [f32; 2],
        spin: f32,
    ) -> Result<Self, AnyError> {
        let (cos, sin) = (f64::from(cos), f64::from(sin));
        let length = cos.hypot(sin);
        // Magnitudes below 1e-30 become 0, because poses reject values so near to 0.
        let tidy = |x: f64| if x.abs() < 1e-30 { 0.0 } else { x };
        let pose = Pose::from_cos_sin(
            tidy(cos / length),
            tidy(sin / length),
            [f64::from(x), f64::from(y)].map(tidy),
        )?;
        Ok(Self { pose, velocity: velocity.map(f64::from).into(), spin: f64::from(spin) })
    }
}
