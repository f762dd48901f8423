//! Defines worlds of bodies that move and collide.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, ShapeId, Solver, WorldOptions};
use sat2d::{Backend, ConvexPolygon, Error, Pose, RoundedShape, sim};

use crate::bodies::{Bodies, known, number_of, selected};
use crate::failure::Failure;
use crate::run::{Threads, Watch, locked, run};
use crate::sets::rows;
use crate::stepping::{Report, stepped, summary};

/// A world of bodies.
#[pyclass(frozen, module = "sat2d._sat2d")]
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) state: Mutex<State>,
    threads: Threads,
}

/// The state of a world, which a call locks.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) world: sim::World,
    shapes: Vec<ShapeId>,
    /// Whether a call on this world panicked. The state of the world is unknown after a panic, so later calls are errors.
    is_broken: bool,
}

impl State {
    /// Runs `work` on the world. Returns an error if an earlier call panicked.
    pub(crate) fn work<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.is_broken {
            return Err(Failure::Defect("an earlier call left the world in an unknown state".into()));
        }
        self.is_broken = true;
        let result = work(self);
        self.is_broken = false;
        result
    }
}

/// The options of a world, as the Python package passes them.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    gravity: [f64; 2],
    solver: String,
    substeps: u32,
    length_unit: f64,
    origin: [f64; 2],
    push_out_speed: f64,
    restitution_threshold: f64,
    events: bool,
}

impl Options {
    fn parsed(&self) -> Result<WorldOptions, Failure> {
        let solver = match self.solver.as_str() {
            "rigid" => Solver::Rigid,
            "push" => Solver::Push,
            other => return Err(Failure::Option(format!("solver = {other}; give rigid or push"))),
        };
        Ok(WorldOptions {
            gravity: self.gravity.into(),
            solver,
            substeps: self.substeps,
            length_unit: self.length_unit,
            origin: self.origin.into(),
            push_out_speed: self.push_out_speed,
            restitution_threshold: self.restitution_threshold,
            events: self.events,
        })
    }
}

/// Six columns with one row for each contact point: body A, body B, normal, position, separation and impulse.
type Contacts<'py> = (Ids<'py>, Ids<'py>, Table<'py>, Table<'py>, Numbers<'py>, Numbers<'py>);
type Ids<'py> = Bound<'py, PyArray1<i64>>;
type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Table<'py> = Bound<'py, PyArray2<f64>>;

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (options, backend, *, threads))]
    fn new(py: Python<'_>, options: Options, backend: &str, threads: Threads) -> PyResult<Self> {
        let world = run(py, threads, |_| {
            let options = options.parsed()?;
            Ok(sim::World::on(options, backend.parse::<Backend>()?)?)
        })?;
        Ok(Self::of(world, threads))
    }

    /// Creates an empty world on the backend of this world. On a device, the two worlds share the device and the compiled kernels.
    #[pyo3(signature = (options, *, threads))]
    fn beside(&self, py: Python<'_>, options: Options, threads: Threads) -> PyResult<Self> {
        let world = self.pooled(py, |state, _| Ok(state.world.beside(options.parsed()?)?))?;
        Ok(Self::of(world, threads))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.quick(py, |state| Ok(state.world.bodies().count()))
    }

    /// Returns the backend that steps the world, and the reason for the choice.
    fn choice(&self, py: Python<'_>) -> PyResult<(String, String)> {
        self.quick(py, |state| {
            let choice = state.world.choice();
            Ok((choice.backend.to_string(), choice.reason.clone()))
        })
    }

    #[getter]
    fn gravity(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        self.quick(py, |state| Ok(state.world.options().gravity.into()))
    }

    fn set_gravity(&self, py: Python<'_>, gravity: [f64; 2]) -> PyResult<()> {
        self.quick(py, |state| Ok(state.world.set_gravity(gravity)?))
    }

    fn add_circle(&self, py: Python<'_>, centre: [f64; 2], radius: f64) -> PyResult<usize> {
        self.add_shape(py, || RoundedShape::circle(centre, radius))
    }

    fn add_capsule(&self, py: Python<'_>, from: [f64; 2], to: [f64; 2], radius: f64) -> PyResult<usize> {
        self.add_shape(py, || RoundedShape::capsule(from, to, radius))
    }

    fn add_polygon(
        &self,
        py: Python<'_>,
        vertices: PyReadonlyArray2<'_, f64>,
        radius: f64,
    ) -> PyResult<usize> {
        let vertices = rows(&vertices).map_err(|failure| failure.raise(py))?;
        self.add_shape(py, || RoundedShape::polygon(&ConvexPolygon::new(vertices)?, radius))
    }

    /// Returns an error if the world has no room for `count` more bodies.
    fn check_count(&self, py: Python<'_>, count: usize) -> PyResult<()> {
        self.quick(py, |state| Ok(state.world.check_count(count)?))
    }

    /// Adds a body for each row of the columns. Adds no body if a row is invalid.
    fn add_bodies<'py>(&self, py: Python<'py>, bodies: Bodies<'py>) -> PyResult<Ids<'py>> {
        let columns = bodies.columns(py)?;
        let ids = self.quick(py, |state| {
            let options = columns.checked(&state.world, &state.shapes)?;
            options
                .iter()
                .map(|body| Ok(number_of(state.world.add(body)?)))
                .collect::<Result<Vec<i64>, Failure>>()
        })?;
        Ok(ids.into_pyarray(py))
    }

    /// Removes bodies. Removes none if a body is unknown or is named twice.
    fn remove(&self, py: Python<'_>, bodies: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let bodies = bodies.as_slice()?;
        self.quick(py, |state| {
            let ids = known(&state.world, bodies)?;
            let mut sorted = ids.clone();
            sorted.sort_unstable();
            if let Some(twice) = sorted.windows(2).find(|two| two[0] == two[1]) {
                let message = format!("bodies name body {} twice; name each once", number_of(twice[0]));
                return Err(Failure::Option(message));
            }
            ids.into_iter().try_for_each(|id| Ok(state.world.remove(id)?))
        })
    }

    /// Returns the ids of all bodies.
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Ids<'py>> {
        let ids = self.quick(py, |state| Ok(state.world.bodies().map(number_of).collect::<Vec<i64>>()))?;
        Ok(ids.into_pyarray(py))
    }

    fn step(&self, py: Python<'_>, dt: f64, steps: u64) -> PyResult<Report> {
        let report = self.pooled(py, |state, watch| stepped(&mut state.world, dt, steps, watch))?;
        Ok(summary(&report))
    }

    /// Returns the position of the shape's origin and the angle, in radians, of each body.
    fn poses<'py>(
        &self,
        py: Python<'py>,
        bodies: Option<PyReadonlyArray1<'py, i64>>,
    ) -> PyResult<Table<'py>> {
        self.table(py, bodies, |world, id| {
            let pose = world.pose(id)?;
            let at = pose.translation();
            Ok([at.x, at.y, libm::atan2(pose.sin(), pose.cos())])
        })
    }

    fn set_poses(
        &self,
        py: Python<'_>,
        poses: PyReadonlyArray2<'_, f64>,
        bodies: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<()> {
        self.set(py, &poses, bodies, |world, id, [x, y, angle]| {
            if !angle.is_finite() {
                return Err(Error::Body {
                    name: "angle",
                    value: angle,
                    problem: "must be finite; give radians",
                });
            }
            // The sine of the platform may differ between machines.
            let (sin, cos) = libm::sincos(angle);
            world.set_pose(id, &Pose::from_cos_sin(tidy(cos), tidy(sin), DVec2::new(x, y))?)
        })
    }

    /// Returns the velocity of the centre of mass and the angular velocity of each body.
    fn velocities<'py>(
        &self,
        py: Python<'py>,
        bodies: Option<PyReadonlyArray1<'py, i64>>,
    ) -> PyResult<Table<'py>> {
        self.table(py, bodies, |world, id| {
            let (velocity, angular) = world.velocity(id)?;
            Ok([velocity.x, velocity.y, angular])
        })
    }

    fn set_velocities(
        &self,
        py: Python<'_>,
        velocities: PyReadonlyArray2<'_, f64>,
        bodies: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<()> {
        self.set(py, &velocities, bodies, |world, id, [x, y, angular]| {
            world.set_velocity(id, [x, y], angular)
        })
    }

    fn set_preferred_velocities(
        &self,
        py: Python<'_>,
        velocities: PyReadonlyArray2<'_, f64>,
        bodies: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<()> {
        self.set(py, &velocities, bodies, |world, id, [x, y]| world.set_preferred_velocity(id, [x, y]))
    }

    /// Returns the points of all contacts of the last step.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Contacts<'py>> {
        let found = self.quick(py, |state| Ok(state.world.contacts()?))?;
        let points =
            || found.iter().flat_map(|contact| contact.points().iter().map(move |point| (contact, point)));
        let body = |of: fn(&sim::BodyContact) -> BodyId| {
            points().map(|(contact, _)| number_of(of(contact))).collect::<Vec<i64>>().into_pyarray(py)
        };
        let number = |of: fn(&sim::ContactPoint) -> f64| {
            points().map(|(_, point)| of(point)).collect::<Vec<f64>>().into_pyarray(py)
        };
        let normals = points().map(|(contact, _)| contact.normal.to_array()).collect();
        let positions = points().map(|(_, point)| point.position.to_array()).collect();
        Ok((
            body(|contact| contact.a),
            body(|contact| contact.b),
            table(py, normals)?,
            table(py, positions)?,
            number(|point| point.separation),
            number(|point| point.impulse),
        ))
    }

    /// Returns the two bodies of each contact that began or ended since the last call, and whether the contact began.
    #[allow(clippy::type_complexity, reason = "three arrays")]
    fn take_events<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Ids<'py>, Ids<'py>, Bound<'py, PyArray1<bool>>)> {
        let events = self.quick(py, |state| {
            if !state.world.options().events {
                let message = "the world records no events; create it with events=True";
                return Err(Failure::Option(message.into()));
            }
            Ok(state.world.take_events())
        })?;
        let (mut first, mut second, mut began) = (Vec::new(), Vec::new(), Vec::new());
        for event in events {
            let (a, b, is_begin) = match event {
                sim::ContactEvent::Began { a, b } => (a, b, true),
                sim::ContactEvent::Ended { a, b } => (a, b, false),
            };
            first.push(number_of(a));
            second.push(number_of(b));
            began.push(is_begin);
        }
        Ok((first.into_pyarray(py), second.into_pyarray(py), began.into_pyarray(py)))
    }

    /// Returns the bodies that are at most `distance` from a point, nearest first, with their distances.
    fn near<'py>(
        &self,
        py: Python<'py>,
        point: [f64; 2],
        distance: f64,
    ) -> PyResult<(Ids<'py>, Numbers<'py>)> {
        let found = self.quick(py, |state| {
            if point.iter().any(|x| !x.is_finite()) || distance.is_nan() || distance < 0.0 {
                let [x, y] = point;
                let message = format!("point = ({x}, {y}) with distance = {distance}; give finite numbers, and a distance of 0 or more");
                return Err(Failure::Option(message));
            }
            Ok(state.world.bodies_near(point, distance)?)
        })?;
        let (ids, distances): (Vec<i64>, Vec<f64>) =
            found.into_iter().map(|(id, away)| (number_of(id), away)).unzip();
        Ok((ids.into_pyarray(py), distances.into_pyarray(py)))
    }

    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.pooled(py, |state, _| Ok(state.world.statistics()?))?;
        let fields = PyDict::new(py);
        fields.set_item("bodies", found.bodies)?;
        fields.set_item("dynamic_bodies", found.dynamic_bodies)?;
        fields.set_item("momentum", (found.momentum.x, found.momentum.y))?;
        fields.set_item("kinetic_energy", found.kinetic_energy)?;
        fields.set_item("potential_energy", found.potential_energy)?;
        fields.set_item("mean_position", (found.mean_position.x, found.mean_position.y))?;
        fields.set_item("rms_velocity", found.rms_velocity)?;
        fields.set_item("overlapping", found.overlapping)?;
        fields.set_item("mean_penetration", found.mean_penetration)?;
        fields.set_item("greatest_penetration", found.greatest_penetration)?;
        Ok(fields)
    }

    fn checksum(&self, py: Python<'_>) -> PyResult<u64> {
        self.quick(py, |state| Ok(state.world.checksum()?))
    }
}

impl World {
    fn of(world: sim::World, threads: Threads) -> Self {
        let state = State { world, shapes: Vec::new(), is_broken: false };
        Self { state: Mutex::new(state), threads }
    }

    /// Runs `work` on the current thread. Use this function for work that is too short for a thread pool.
    fn quick<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let mut state = locked(py, &self.state)?;
        let state = &mut *state;
        py.detach(|| catch_unwind(AssertUnwindSafe(|| state.work(work))))
            .unwrap_or_else(|payload| Err(Failure::of_panic(&*payload)))
            .map_err(|failure| failure.raise(py))
    }

    /// Runs `work` in a thread pool, until it ends or Ctrl-C cancels it.
    fn pooled<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State, &Watch) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let mut state = locked(py, &self.state)?;
        let state = &mut *state;
        run(py, self.threads, |watch| state.work(|state| work(state, watch)))
    }

    fn add_shape(
        &self,
        py: Python<'_>,
        shape: impl FnOnce() -> sat2d::Result<RoundedShape> + Send,
    ) -> PyResult<usize> {
        self.quick(py, |state| {
            let id = state.world.add_shape(&shape()?)?;
            state.shapes.push(id);
            Ok(id.index())
        })
    }

    /// Returns a table with the numbers that `row` returns for each of `bodies`, or for each body of the world if `None`.
    fn table<'py, const N: usize>(
        &self,
        py: Python<'py>,
        bodies: Option<PyReadonlyArray1<'py, i64>>,
        row: impl Fn(&mut sim::World, BodyId) -> sat2d::Result<[f64; N]> + Sync,
    ) -> PyResult<Table<'py>> {
        let bodies = bodies.as_ref().map(|bodies| bodies.as_slice()).transpose()?;
        let found = self.quick(py, |state| {
            let ids = selected(&state.world, bodies)?;
            ids.into_iter().map(|id| Ok(row(&mut state.world, id)?)).collect::<Result<Vec<_>, Failure>>()
        })?;
        table(py, found)
    }

    /// Calls `set` with each body and its row of `values`. If a row is an error, the rows before it are already set.
    fn set<const N: usize>(
        &self,
        py: Python<'_>,
        values: &PyReadonlyArray2<'_, f64>,
        bodies: Option<PyReadonlyArray1<'_, i64>>,
        set: impl Fn(&mut sim::World, BodyId, [f64; N]) -> sat2d::Result<()> + Sync,
    ) -> PyResult<()> {
        let bodies = bodies.as_ref().map(|bodies| bodies.as_slice()).transpose()?;
        let (values, columns) = (values.as_slice()?, values.as_array().ncols());
        self.quick(py, |state| {
            let ids = selected(&state.world, bodies)?;
            let count = values.len().checked_div(columns).unwrap_or(0);
            if columns != N || count != ids.len() {
                let bodies = ids.len();
                let message = format!(
                    "the array has the shape {count} x {columns}; give {bodies} x {N}: a row for each body"
                );
                return Err(Failure::Option(message));
            }
            for (index, (id, row)) in ids.into_iter().zip(values.as_chunks().0).enumerate() {
                set(&mut state.world, id, *row).map_err(|error| Failure::of_body(index, error))?;
            }
            Ok(())
        })
    }
}

/// Returns `number`, or 0 if the magnitude of `number` is less than [`sat2d::MIN_COORDINATE`], the least magnitude that
/// the library accepts. For example, the sine of pi in f64 is not exactly 0.
fn tidy(number: f64) -> f64 {
    if number.abs() < sat2d::MIN_COORDINATE { 0.0 } else { number }
}

fn table<const N: usize>(py: Python<'_>, rows: Vec<[f64; N]>) -> PyResult<Table<'_>> {
    use numpy::PyArrayMethods;
    let count = rows.len();
    rows.into_flattened().into_pyarray(py).reshape([count, N])
}
