//! Builds the worlds of the scenes, and steps them in an engine.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, ShapeId, Solver, World, WorldOptions};
use sat2d::{ConvexPolygon, RoundedShape};

use crate::AnyError;
use crate::sim::Contender;
use crate::sim::engine::{Body, Simulator};
use crate::sim::scenes::Plain;

/// The duration of a step in all scenes, in seconds.
pub(super) const DT: f64 = 1.0 / 60.0;
/// The downward acceleration in the scenes with gravity.
pub(super) const GRAVITY: f64 = 10.0;

/// A world that is being built for an engine. The index of a body is its position in the order in which bodies are added.
pub(super) struct Setup {
    /// The world that assigns the ids of the shapes.
    world: World,
    plain: Plain,
}

impl Setup {
    pub(super) fn new(options: WorldOptions) -> Result<Self, AnyError> {
        let options = WorldOptions { solver: Solver::Rigid, substeps: 4, ..options };
        let plain = Plain {
            options: options.clone(),
            dt: DT,
            continuous: true,
            shapes: Vec::new(),
            bodies: Vec::new(),
            doorway: None,
        };
        Ok(Self { world: World::new(options)?, plain })
    }

    pub(super) fn heavy() -> Result<Self, AnyError> {
        Self::new(WorldOptions { gravity: DVec2::new(0.0, -GRAVITY), ..WorldOptions::default() })
    }

    pub(super) fn weightless() -> Result<Self, AnyError> {
        Self::new(WorldOptions { gravity: DVec2::ZERO, ..WorldOptions::default() })
    }

    /// Returns a world in which bodies bounce at every speed, however low.
    pub(super) fn without_threshold(gravity: f64) -> Result<Self, AnyError> {
        let gravity = DVec2::new(0.0, -gravity);
        Self::new(WorldOptions { gravity, restitution_threshold: 0.0, ..WorldOptions::default() })
    }

    fn shape(&mut self, shape: RoundedShape) -> Result<ShapeId, AnyError> {
        let id = self.world.add_shape(&shape)?;
        self.plain.shapes.push(shape);
        Ok(id)
    }

    pub(super) fn polygon(&mut self, corners: &[[f64; 2]]) -> Result<ShapeId, AnyError> {
        self.shape(RoundedShape::polygon(&ConvexPolygon::new(corners)?, 0.0)?)
    }

    /// Adds the shape of a rectangle around its centre.
    pub(super) fn rectangle(&mut self, width: f64, height: f64) -> Result<ShapeId, AnyError> {
        let (x, y) = (0.5 * width, 0.5 * height);
        self.polygon(&[[-x, -y], [x, -y], [x, y], [-x, y]])
    }

    pub(super) fn circle(&mut self, radius: f64) -> Result<ShapeId, AnyError> {
        self.shape(RoundedShape::circle([0.0, 0.0], radius)?)
    }

    /// Adds a static box whose upper side is at height 0, centred at 0.
    pub(super) fn floor(&mut self, width: f64, friction: f64) -> Result<usize, AnyError> {
        let floor = self.rectangle(width, 1.0)?;
        Ok(self.add(BodyOptions { friction, ..BodyOptions::fixed(floor, [0.0, -0.5]) }))
    }

    pub(super) fn add(&mut self, body: BodyOptions) -> usize {
        self.plain.bodies.push(body);
        self.plain.bodies.len() - 1
    }

    /// Returns the options of the bodies, in the order in which the bodies were added.
    pub(super) fn added(&self) -> &[BodyOptions] {
        &self.plain.bodies
    }

    pub(super) fn shape_of(&self, body: &BodyOptions) -> &RoundedShape {
        &self.plain.shapes[body.shape.index()]
    }

    pub(super) fn start(&self, engine: Contender) -> Result<Running, AnyError> {
        Ok(Running(engine.make(&self.plain, 1)?))
    }
}

/// A world that an engine runs.
pub(super) struct Running(Box<dyn Simulator>);

impl Running {
    /// Advances the world by this number of steps, and returns the bodies.
    pub(super) fn after(&mut self, steps: usize) -> Result<Vec<Body>, AnyError> {
        self.0.advance(steps)?;
        self.0.bodies()
    }

    /// Advances the world by this number of steps, and calls `look` with the bodies after each step.
    pub(super) fn watch(&mut self, steps: usize, mut look: impl FnMut(&[Body])) -> Result<(), AnyError> {
        for _ in 0..steps {
            look(&self.after(1)?);
        }
        Ok(())
    }

    pub(super) fn stop(&mut self, body: usize) -> Result<(), AnyError> {
        self.0.set_velocity(body, DVec2::ZERO, 0.0)
    }
}

/// Returns a dynamic body without friction that starts with a velocity.
pub(super) fn slider(shape: ShapeId, at: [f64; 2], velocity: [f64; 2]) -> BodyOptions {
    BodyOptions { velocity: velocity.into(), friction: 0.0, ..BodyOptions::dynamic(shape, at) }
}

/// Returns a static body without friction.
pub(super) fn smooth(shape: ShapeId, at: [f64; 2]) -> BodyOptions {
    BodyOptions { friction: 0.0, ..BodyOptions::fixed(shape, at) }
}

/// Returns the number of steps that take `seconds` seconds.
pub(super) fn steps(seconds: f64) -> usize {
    (seconds / DT).round() as usize
}

/// Returns the difference between `figure` and `expected`, in percent of `expected`.
pub(super) fn off(figure: f64, expected: f64) -> f64 {
    100.0 * ((figure - expected) / expected).abs()
}

/// Returns the greatest result of `measure` over all of `values`, or 0 if no result is greater. NaN counts as infinite.
pub(super) fn worst<T>(
    values: impl IntoIterator<Item = T>,
    mut measure: impl FnMut(T) -> Result<f64, AnyError>,
) -> Result<f64, AnyError> {
    values.into_iter().try_fold(0.0, |worst: f64, value| Ok(greater(worst, measure(value)?)))
}

/// Returns the greater of two values. NaN counts as infinite.
pub(super) fn greater(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}
