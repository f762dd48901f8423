//! Parts of scenes: shapes around the origin, walls and lattices.

use glam::DVec2;

use super::{SceneDescription, SimScene};
use crate::scenes::random::{Purpose, Random, direction};
use crate::sim::{BodyOptions, ShapeId, WorldOptions};
use crate::{Aabb, ConvexPolygon, Result, RoundedShape};

/// The duration of a step in all scenes, in seconds.
pub(super) const DT: f64 = 1.0 / 60.0;
/// A vertex of a random polygon lies at a random fraction of the angle of its sector (see [`convex`]). These are the
/// least and the greatest fraction. They exclude thin polygons and short edges.
const SECTOR: [f64; 2] = [0.2, 0.8];

/// A scene that is being built, with its generator of random numbers.
pub(super) struct Draft {
    pub(super) random: Random,
    scene: SimScene,
    options: WorldOptions,
    shapes: Vec<RoundedShape>,
    bodies: Vec<BodyOptions>,
    pub(super) bounds: Aabb,
}

impl Draft {
    pub(super) fn new(scene: SimScene, seed: u64, options: WorldOptions) -> Self {
        // The recipes of sets of polygons have the numbers from 0, so the recipes of simulations start at another
        // number.
        const FIRST_RECIPE: u8 = 128;
        let random = Random::new(seed, FIRST_RECIPE + scene as u8, Purpose::Item, 0);
        Self { random, scene, options, shapes: Vec::new(), bodies: Vec::new(), bounds: Aabb::EMPTY }
    }

    pub(super) fn shape(&mut self, shape: RoundedShape) -> ShapeId {
        self.shapes.push(shape);
        ShapeId(self.shapes.len() as u32 - 1)
    }

    pub(super) fn body(&mut self, body: BodyOptions) {
        self.bodies.push(body);
    }

    /// Chooses one of `shapes` at random, each with the same probability.
    pub(super) fn choose(&mut self, shapes: &[ShapeId]) -> ShapeId {
        shapes[self.random.below(shapes.len() as u64) as usize]
    }

    /// Returns a random angle in radians.
    pub(super) fn angle(&mut self) -> f64 {
        single(self.random.unit() * std::f64::consts::TAU)
    }

    /// Adds a static polygon at the position `at`. `corners` are relative to `at`.
    pub(super) fn block(&mut self, at: DVec2, corners: &[DVec2]) {
        let corners: Vec<[f64; 2]> = corners.iter().map(|&corner| rounded(corner).to_array()).collect();
        let at = rounded(at);
        let shape = self.shape(polygon(&corners));
        self.static_at(shape, at);
    }

    /// Adds a static body with the given shape at the position `at`, without rotation.
    pub(super) fn static_at(&mut self, shape: ShapeId, at: DVec2) {
        let at = rounded(at);
        self.body(BodyOptions::fixed(shape, at));
    }

    /// Adds a static rectangle. `min` and `max` are its lower left and upper right corners.
    pub(super) fn wall(&mut self, min: DVec2, max: DVec2) {
        let half = 0.5 * (max - min);
        self.block(0.5 * (min + max), &rectangle(half));
    }

    /// Adds four walls around a room, outside of it. A picture of the scene shows the walls up to a thickness of 1.
    pub(super) fn room(&mut self, room: Aabb, thickness: f64) {
        let Aabb { min, max } = room;
        let shown = DVec2::splat(thickness.min(1.0));
        self.bounds = Aabb { min: min - shown, max: max + shown };
        let t = DVec2::splat(thickness);
        self.wall(min - t, DVec2::new(max.x, min.y) + DVec2::new(thickness, 0.0));
        self.wall(DVec2::new(min.x, max.y) - DVec2::new(thickness, 0.0), max + t);
        self.wall(min - DVec2::new(thickness, 0.0), DVec2::new(min.x, max.y));
        self.wall(DVec2::new(max.x, min.y), max + DVec2::new(thickness, 0.0));
    }

    /// Sets the friction and the restitution of all bodies that the scene has so far.
    pub(super) fn surface(&mut self, friction: f64, restitution: f64) {
        for body in &mut self.bodies {
            (body.friction, body.restitution) = (friction, restitution);
        }
    }

    pub(super) fn finish(self) -> SceneDescription {
        let Self { scene, options, shapes, bodies, bounds, .. } = self;
        SceneDescription { scene, options, dt: DT, shapes, bodies, bounds, doorway: None }
    }
}

/// Returns the number of columns and the number of rows of a lattice with room for `count` bodies. The lattice has
/// about `wide` times as many columns as rows.
pub(super) fn columns_and_rows(count: usize, wide: f64) -> (usize, usize) {
    let columns = ((count as f64 * wide).sqrt().ceil() as usize).max(1);
    (columns, count.div_ceil(columns).max(1))
}

/// Returns the middle of the cell with index `index` of a lattice, moved by a random distance of at most `jitter` along
/// x and along y. The lattice starts at the origin, has square cells with the side `cell`, and counts its cells row by
/// row.
pub(super) fn place(random: &mut Random, index: usize, columns: usize, cell: f64, jitter: f64) -> DVec2 {
    let middle = DVec2::new((index % columns) as f64 + 0.5, (index / columns) as f64 + 0.5) * cell;
    rounded(middle + jitter * DVec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0)))
}

/// Returns a convex polygon around the origin. Its vertices lie on a randomly rotated ellipse, which is divided into
/// `vertices` equal sectors. Each sector has one vertex. One half axis of the ellipse is `radius`. The other half axis
/// is `radius` times a random number from `least` to 1.
pub(super) fn convex(random: &mut Random, vertices: u64, radius: f64, least: f64) -> RoundedShape {
    let half_axes = DVec2::new(radius, radius * random.between(least, 1.0));
    let turn = DVec2::from(direction(random.unit()));
    let corners: Vec<[f64; 2]> = (0..vertices)
        .map(|sector| {
            let at = (sector as f64 + random.between(SECTOR[0], SECTOR[1])) / vertices as f64;
            rounded(turn.rotate(half_axes * DVec2::from(direction(at)))).to_array()
        })
        .collect();
    polygon(&corners)
}

/// Returns the corners of a rectangle around the origin, counter-clockwise. `half` has half of the width and half of
/// the height.
pub(super) fn rectangle(half: DVec2) -> [DVec2; 4] {
    [DVec2::new(-half.x, -half.y), DVec2::new(half.x, -half.y), half, DVec2::new(-half.x, half.y)]
}

/// Returns the shape of a rectangle around the origin. `half` has half of the width and half of the height.
pub(super) fn crate_(half: DVec2) -> RoundedShape {
    polygon(&rectangle(half).map(|corner| rounded(corner).to_array()))
}

/// Returns the shape of a convex polygon. `corners` must be strictly convex.
pub(super) fn polygon(corners: &[[f64; 2]]) -> RoundedShape {
    // The corners lie on an ellipse or are the corners of a rectangle, and 0 is a valid radius.
    made(ConvexPolygon::new(corners).and_then(|core| RoundedShape::polygon(&core, 0.0)))
}

/// Returns a circle around the origin.
pub(super) fn circle(radius: f64) -> RoundedShape {
    made(RoundedShape::circle(DVec2::ZERO, single(radius)))
}

/// Returns a capsule along the x axis around the origin.
pub(super) fn capsule(half_length: f64, radius: f64) -> RoundedShape {
    let end = DVec2::new(single(half_length), 0.0);
    made(RoundedShape::capsule(-end, end, single(radius)))
}

/// Returns the shape, which is always valid because no length of a scene is tiny or huge. The panic does not format the
/// error, because a web page would then have to load the code for formatting it.
fn made(shape: Result<RoundedShape>) -> RoundedShape {
    shape.unwrap_or_else(|_| unreachable!("shapes of scenes are valid"))
}

/// Returns a number rounded to f32.
pub(super) fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

pub(super) fn rounded(at: DVec2) -> DVec2 {
    DVec2::new(single(at.x), single(at.y))
}
