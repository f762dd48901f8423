//! The shapes of a world in f32, relative to their centres of mass.

use glam::DVec2;

use super::{BodyOptions, MassProperties};
use crate::RoundedShape;
use crate::base::error::{Error, Result};
use crate::packed::grid::round_up;
use crate::simd::LANES;

/// The id of a shape in a world. [`super::World::add_shape`] returns the id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub(super) u32);

impl ShapeId {
    /// Returns the index of the shape: the number of shapes that were added before this shape.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The shapes of a world, which its bodies share.
#[derive(Clone, Debug, Default)]
pub(super) struct Shapes {
    pub(super) all: Vec<Shape>,
    /// The vertices of all cores, in the caller's unit, relative to the centre of mass of their shape.
    pub(super) vertices: Vec<[f32; 2]>,
    pub(super) most_vertices: usize,
}

/// A shape of a world, with the data that steps need.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) given: RoundedShape,
    pub(super) mass: MassProperties,
    pub(super) first_vertex: u32,
    pub(super) vertex_count: u32,
    /// The x coordinates, then the y coordinates, of the core's vertices, in the caller's unit, relative to the centre
    /// of mass. After the last vertex, the first vertices follow again. If there are more than [`LANES`] vertices, only
    /// the first [`LANES`] are stored.
    pub(super) around: [[f32; LANES]; 2],
    /// The radius of the shape's rounding, in the caller's unit.
    pub(super) radius: f32,
    /// An upper bound on the distance between the centre of mass and any point of the shape.
    pub(super) extent: f32,
}

impl Shapes {
    pub(super) fn add(&mut self, given: &RoundedShape, length_unit: f64) -> Result<ShapeId> {
        let mass = MassProperties::of(given);
        let arms: Vec<DVec2> = given.core().iter().map(|&v| v - mass.centre).collect();
        let reach = arms.iter().map(|arm| arm.length()).fold(0.0, f64::max) + given.radius();
        let most = length_unit * MOST_EXTENT;
        if reach > most {
            let problem = "is more than 1e5 length units from the centre of mass to the farthest point; choose a larger length unit";
            return Err(Error::Body { name: "shape", value: reach, problem });
        }
        let first_vertex = u32::try_from(self.vertices.len()).map_err(|_| Error::TooMany {
            items: "vertices of all shapes",
            count: self.vertices.len(),
            limit: u32::MAX as usize,
        })?;
        self.vertices.extend(arms.iter().map(|arm| arm.to_array().map(|x| x as f32)));
        self.most_vertices = self.most_vertices.max(arms.len());
        let around = [0, 1].map(|axis| {
            let arms = arms.iter().take(LANES).cycle().map(|arm| arm[axis] as f32);
            let mut row = [0.0; LANES];
            row.iter_mut().zip(arms).for_each(|(to, x)| *to = x);
            row
        });
        self.all.push(Shape {
            given: given.clone(),
            mass,
            first_vertex,
            vertex_count: arms.len() as u32,
            around,
            radius: given.radius() as f32,
            extent: round_up(reach * (1.0 + 1e-6)),
        });
        Ok(ShapeId(self.all.len() as u32 - 1))
    }

    /// Returns the shape of the body to add. Returns [`Error::Body`] if an option of the body is out of range, and
    /// [`Error::UnknownShape`] if the world has no such shape. `instance` is the index of the body, for the error
    /// message.
    pub(super) fn checked(&self, body: &BodyOptions, instance: usize) -> Result<&Shape> {
        body.check()?;
        let shape = body.shape.0 as usize;
        self.all.get(shape).ok_or(Error::UnknownShape { instance, shape, count: self.all.len() })
    }

    /// Returns the vertices of the core of a shape, in the caller's unit, relative to the centre of mass.
    #[inline]
    pub(super) fn core(&self, shape: &Shape) -> &[[f32; 2]] {
        &self.vertices[shape.first_vertex as usize..][..shape.vertex_count as usize]
    }
}

/// The greatest extent of a shape, as a multiple of [`super::WorldOptions::length_unit`].
const MOST_EXTENT: f64 = 1e5;
