//! The simulated scenes, in plain values that are the same for every engine.

use clap::ValueEnum;
use sat2d::glam::DVec2;
use sat2d::scenes::Scene;
use sat2d::sim::{BodyKind, BodyOptions, Doorway, ShapeId, SimScene, Solver, World, WorldOptions};
use sat2d::{ConvexPolygon, RoundedShape};

use crate::AnyError;
use crate::unequal::Units;

/// A scene, and which of sat2d's solvers it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Case {
    /// Polygons that fall into a heap, with the rigid solver.
    Pile,
    /// The same polygons without gravity, with the rigid solver.
    Gas,
    /// The scene [`SimScene::Crowd`], with the push solver.
    Crowd,
    /// The scene [`SimScene::Funnel`]: particles among static polygons, with the push solver.
    Particles,
}

impl Case {
    pub(crate) const ALL: [Self; 4] = [Self::Gas, Self::Pile, Self::Crowd, Self::Particles];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pile => "pile",
            Self::Gas => "gas",
            Self::Crowd => "crowd",
            Self::Particles => "particles",
        }
    }

    pub(crate) fn is_rigid(self) -> bool {
        matches!(self, Self::Pile | Self::Gas)
    }

    /// Returns the number of steps after which the world of the scene counts as settled.
    pub(crate) fn settling_steps(self) -> usize {
        match self {
            // After 150 steps, a body has fallen by half the height of the box.
            Self::Pile => 500,
            Self::Gas => 300,
            Self::Crowd | Self::Particles => 600,
        }
    }

    pub(crate) fn plain(self, count: usize, seed: u64) -> Result<Plain, AnyError> {
        match self {
            Self::Pile => polygons(count, seed, DVec2::new(0.0, -GRAVITY)),
            Self::Gas => polygons(count, seed, DVec2::ZERO),
            Self::Crowd => Ok(described(SimScene::Crowd, count, seed)),
            Self::Particles => Ok(described(SimScene::Funnel, count, seed)),
        }
    }
}

/// A scene in plain values, which every engine can build.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) options: WorldOptions,
    pub(crate) dt: f64,
    /// Whether continuous collision is on in engines that can turn it off.
    pub(crate) continuous: bool,
    pub(crate) shapes: Vec<RoundedShape>,
    /// The bodies. The [`ShapeId::index`] of a body's shape is its index in `shapes`.
    pub(crate) bodies: Vec<BodyOptions>,
    /// The doorway that agents pass, or `None` if there is none.
    pub(crate) doorway: Option<Doorway>,
}

impl Plain {
    /// Returns whether some body has a preferred velocity.
    pub(crate) fn has_preference(&self) -> bool {
        self.bodies.iter().any(|body| body.preference > 0.0)
    }

    pub(crate) fn dynamic_count(&self) -> usize {
        self.bodies.iter().filter(|body| body.kind == BodyKind::Dynamic).count()
    }

    /// Returns the fraction of the difference between a body's velocity and its preferred velocity that one step removes, in
    /// all sub-steps together.
    pub(crate) fn strive(&self, body: &BodyOptions) -> f64 {
        let parts = self.options.substeps;
        1.0 - (1.0 + body.preference * self.dt / f64::from(parts)).powi(-(parts as i32))
    }
}

/// The duration of a step in all scenes, in seconds.
const DT: f64 = 1.0 / 60.0;
const GRAVITY: f64 = 10.0;
/// The side of a cell of the lattice on which bodies start, in length units.
const PITCH: f64 = 1.25;
/// The number of rows of the lattice. It is constant, so that piles of any count are equally deep and settle equally
/// fast.
const ROWS: usize = 50;
/// The number of different shapes of the bodies. Several bodies share a shape.
const SHAPES: usize = 64;
/// The greatest speed at the start along x and along y, and the greatest angular speed.
const SPEED: f64 = 1.0;
/// The thickness of the walls. It is more than the distance that a body falls in a step.
const WALL: f64 = 10.0;

/// Returns a scene of polygons in a box that is closed on all sides and 50 cells high. Each of the first `count` cells of a
/// square lattice has one shape of [`Scene::Ngons`], with its centroid at the cell's centre, at a random angle and with a
/// speed of at most [`SPEED`] along each axis. Some neighbours overlap at first.
fn polygons(count: usize, seed: u64, gravity: DVec2) -> Result<Plain, AnyError> {
    let options = WorldOptions { gravity, solver: Solver::Rigid, ..WorldOptions::default() };
    // Only a world assigns ids of shapes.
    let mut world = World::new(options.clone())?;
    let columns = count.div_ceil(ROWS).max(1);
    let size = PITCH * DVec2::new(columns as f64, ROWS as f64);
    let mut shapes = Vec::new();
    let mut ids: Vec<ShapeId> = Vec::new();
    let mut bodies = Vec::new();
    for (middle, half) in room(size) {
        let corners = [[-half.x, -half.y], [half.x, -half.y], [half.x, half.y], [-half.x, half.y]];
        let shape = RoundedShape::polygon(&ConvexPolygon::new(&corners)?, 0.0)?;
        bodies.push(BodyOptions::fixed(world.add_shape(&shape)?, middle));
        shapes.push(shape);
    }
    for shape in sound(Scene::Ngons.generate(8 * SHAPES, seed))?.into_iter().take(SHAPES) {
        ids.push(world.add_shape(&shape)?);
        shapes.push(shape);
    }
    if ids.len() < SHAPES {
        return Err("too few polygons whose vertices lie well apart".into());
    }
    let mut units = Units(seed);
    let mut about_0 = |most: f64| single(most * (2.0 * units.next() - 1.0));
    for index in 0..count {
        let cell = DVec2::new((index % columns) as f64 + 0.5, (index / columns) as f64 + 0.5);
        let shape = ids[(about_0(0.5) * SHAPES as f64 + 0.5 * SHAPES as f64) as usize % SHAPES];
        bodies.push(BodyOptions {
            angle: about_0(std::f64::consts::PI),
            velocity: DVec2::new(about_0(SPEED), about_0(SPEED)),
            angular_velocity: about_0(SPEED),
            ..BodyOptions::dynamic(shape, (cell * PITCH).map(single))
        });
    }
    Ok(Plain { options, dt: DT, continuous: false, shapes, bodies, doorway: None })
}

/// Returns the centres and the half sides of four walls around a box with a corner at the origin.
fn room(size: DVec2) -> [(DVec2, DVec2); 4] {
    let half = 0.5 * size;
    let (level, upright) = (DVec2::new(half.x + WALL, 0.5 * WALL), DVec2::new(0.5 * WALL, half.y + WALL));
    let away = half + 0.5 * WALL;
    [
        (half - DVec2::new(0.0, away.y), level),
        (half + DVec2::new(0.0, away.y), level),
        (half - DVec2::new(away.x, 0.0), upright),
        (half + DVec2::new(away.x, 0.0), upright),
    ]
}

/// Returns the shapes of the rings that Box2D's hull does not change. The hull welds vertices within 0.02 of each other, and
/// drops vertices within 0.01 of the line through their neighbours.
fn sound(rings: Vec<Vec<[f64; 2]>>) -> Result<Vec<RoundedShape>, AnyError> {
    let mut kept = Vec::new();
    for ring in rings {
        let ring: Vec<DVec2> = ring.into_iter().map(DVec2::from).collect();
        let centroid = centroid(&ring);
        let about: Vec<DVec2> = ring.iter().map(|&v| (v - centroid).map(single)).collect();
        let n = about.len();
        let is_sound = (0..n).all(|k| {
            let [a, v, b] = [(k + n - 1) % n, k, (k + 1) % n].map(|k| about[k]);
            v.distance(b) > 0.03 && (b - a).perp_dot(v - a).abs() > 0.02 * a.distance(b)
        });
        if is_sound {
            let corners: Vec<[f64; 2]> = about.iter().map(|v| v.to_array()).collect();
            kept.push(RoundedShape::polygon(&ConvexPolygon::new(&corners)?, 0.0)?);
        }
    }
    Ok(kept)
}

fn centroid(ring: &[DVec2]) -> DVec2 {
    let origin = ring[0];
    let (mut area, mut sum) = (0.0, DVec2::ZERO);
    for k in 1..ring.len() - 1 {
        let [p, q] = [ring[k] - origin, ring[k + 1] - origin];
        let double = p.perp_dot(q);
        area += double;
        sum += double / 3.0 * (p + q);
    }
    origin + sum / area
}

fn described(scene: SimScene, count: usize, seed: u64) -> Plain {
    let found = scene.describe(count, seed);
    Plain {
        options: found.options,
        dt: found.dt,
        continuous: false,
        shapes: found.shapes,
        bodies: found.bodies,
        doorway: found.doorway,
    }
}

fn single(x: f64) -> f64 {
    f64::from(x as f32)
}
