//! Reads the bodies to add to a world from NumPy columns.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use sat2d::sim;
use sat2d::sim::{BodyId, BodyKind, BodyOptions, Layers, ShapeId};

use crate::failure::Failure;
use crate::sets::rows;

/// Returns the id of a body as a Python integer.
pub(crate) fn number_of(body: BodyId) -> i64 {
    body.to_bits() as i64
}

/// Returns the body id that [`number_of`] converted.
fn id_of(number: i64) -> BodyId {
    BodyId::from_bits(number as u64)
}

/// Columns of the options of bodies, one row for each body.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Bodies<'py> {
    /// The kind of each body: 0 for static, 1 for kinematic, and 2 for dynamic.
    kind: PyReadonlyArray1<'py, u8>,
    shape: PyReadonlyArray1<'py, i64>,
    position: PyReadonlyArray2<'py, f64>,
    angle: PyReadonlyArray1<'py, f64>,
    velocity: PyReadonlyArray2<'py, f64>,
    angular_velocity: PyReadonlyArray1<'py, f64>,
    density: PyReadonlyArray1<'py, f64>,
    /// The mass of each body. If it is NaN, the density determines the mass.
    mass: PyReadonlyArray1<'py, f64>,
    friction: PyReadonlyArray1<'py, f64>,
    restitution: PyReadonlyArray1<'py, f64>,
    linear_damping: PyReadonlyArray1<'py, f64>,
    angular_damping: PyReadonlyArray1<'py, f64>,
    preferred_velocity: PyReadonlyArray2<'py, f64>,
    preference: PyReadonlyArray1<'py, f64>,
    member: PyReadonlyArray1<'py, u32>,
    meets: PyReadonlyArray1<'py, u32>,
    fixed_rotation: PyReadonlyArray1<'py, bool>,
    fast: PyReadonlyArray1<'py, bool>,
}

/// The columns of [`Bodies`] as slices, all of the same length.
pub(crate) struct Columns<'a> {
    kind: &'a [u8],
    shape: &'a [i64],
    position: &'a [[f64; 2]],
    angle: &'a [f64],
    velocity: &'a [[f64; 2]],
    angular_velocity: &'a [f64],
    density: &'a [f64],
    mass: &'a [f64],
    friction: &'a [f64],
    restitution: &'a [f64],
    linear_damping: &'a [f64],
    angular_damping: &'a [f64],
    preferred_velocity: &'a [[f64; 2]],
    preference: &'a [f64],
    member: &'a [u32],
    meets: &'a [u32],
    fixed_rotation: &'a [bool],
    fast: &'a [bool],
}

impl Bodies<'_> {
    pub(crate) fn columns(&self, py: Python<'_>) -> PyResult<Columns<'_>> {
        fn pairs<'a>(py: Python<'_>, array: &'a PyReadonlyArray2<'_, f64>) -> PyResult<&'a [[f64; 2]]> {
            rows(array).map_err(|failure| failure.raise(py))
        }
        let columns = Columns {
            kind: self.kind.as_slice()?,
            shape: self.shape.as_slice()?,
            position: pairs(py, &self.position)?,
            angle: self.angle.as_slice()?,
            velocity: pairs(py, &self.velocity)?,
            angular_velocity: self.angular_velocity.as_slice()?,
            density: self.density.as_slice()?,
            mass: self.mass.as_slice()?,
            friction: self.friction.as_slice()?,
            restitution: self.restitution.as_slice()?,
            linear_damping: self.linear_damping.as_slice()?,
            angular_damping: self.angular_damping.as_slice()?,
            preferred_velocity: pairs(py, &self.preferred_velocity)?,
            preference: self.preference.as_slice()?,
            member: self.member.as_slice()?,
            meets: self.meets.as_slice()?,
            fixed_rotation: self.fixed_rotation.as_slice()?,
            fast: self.fast.as_slice()?,
        };
        let lengths = columns.lengths();
        if lengths.iter().any(|&length| length != lengths[0]) {
            let message = format!("the columns of bodies have the lengths {lengths:?}; give one length");
            return Err(Failure::Option(message).raise(py));
        }
        Ok(columns)
    }
}

impl Columns<'_> {
    fn lengths(&self) -> [usize; 18] {
        [
            self.position.len(),
            self.kind.len(),
            self.shape.len(),
            self.angle.len(),
            self.velocity.len(),
            self.angular_velocity.len(),
            self.density.len(),
            self.mass.len(),
            self.friction.len(),
            self.restitution.len(),
            self.linear_damping.len(),
            self.angular_damping.len(),
            self.preferred_velocity.len(),
            self.preference.len(),
            self.member.len(),
            self.meets.len(),
            self.fixed_rotation.len(),
            self.fast.len(),
        ]
    }

    /// Returns the options of all bodies. Returns an error if the world cannot add one of them. `shapes` are the shapes
    /// of the world.
    pub(crate) fn checked(
        &self,
        world: &sim::World,
        shapes: &[ShapeId],
    ) -> Result<Vec<BodyOptions>, Failure> {
        world.check_count(self.position.len())?;
        let checked = |row| {
            let body = self.row(row, shapes)?;
            world.check(&body).map_err(|error| Failure::of_body(row, error))?;
            Ok(body)
        };
        (0..self.position.len()).map(checked).collect()
    }

    fn row(&self, row: usize, shapes: &[ShapeId]) -> Result<BodyOptions, Failure> {
        let index = self.shape[row];
        let shape = usize::try_from(index).ok().and_then(|index| shapes.get(index)).ok_or_else(|| {
            let count = shapes.len();
            let message = format!("names shape {index}, but there are {count}; give what add_circle, add_capsule or add_polygon returned");
            Failure::Body { row, message }
        })?;
        let kind = match self.kind[row] {
            0 => BodyKind::Static,
            1 => BodyKind::Kinematic,
            _ => BodyKind::Dynamic,
        };
        let mass = self.mass[row];
        Ok(BodyOptions {
            angle: self.angle[row],
            velocity: self.velocity[row].into(),
            angular_velocity: self.angular_velocity[row],
            density: self.density[row],
            mass: (!mass.is_nan()).then_some(mass),
            friction: self.friction[row],
            restitution: self.restitution[row],
            linear_damping: self.linear_damping[row],
            angular_damping: self.angular_damping[row],
            preferred_velocity: self.preferred_velocity[row].into(),
            preference: self.preference[row],
            layers: Layers { member: self.member[row], meets: self.meets[row] },
            fixed_rotation: self.fixed_rotation[row],
            fast: self.fast[row],
            ..BodyOptions::new(kind, *shape, self.position[row])
        })
    }
}

/// Returns the given bodies, or all bodies if `bodies` is `None`. Returns an error for a number that is not the id of a body.
pub(crate) fn selected(world: &sim::World, bodies: Option<&[i64]>) -> Result<Vec<BodyId>, Failure> {
    match bodies {
        Some(bodies) => known(world, bodies),
        None => Ok(world.bodies().collect()),
    }
}

/// Returns the ids of the given bodies. Returns an error for a number that is not the id of a body.
pub(crate) fn known(world: &sim::World, bodies: &[i64]) -> Result<Vec<BodyId>, Failure> {
    let id = |&number: &i64| {
        let id = id_of(number);
        world.kind(id).map(|_| id).map_err(|_| {
            let why = "it was removed, or is in another world; give ids that add_bodies returned";
            Failure::Option(format!("bodies name body {number}, which is not in the world: {why}"))
        })
    };
    bodies.iter().map(id).collect()
}
