//! Converts errors of the library to Python exceptions. The classes are in `sat2d/_errors.py`.

use std::any::Any;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d::{Error, PairSide};

use crate::text::Text;

/// The reason why a call has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of the library.
    Library(Error),
    /// One invalid feature of an argument.
    Feature { argument: String, feature: usize, problem: Problem },
    /// An error in a file or a table.
    Input(Box<sat2d_io::Error>),
    /// An error of one row of an array of bodies, with its remedy.
    Body { row: usize, message: String },
    /// A body left its world. `body` is its id.
    LeftWorld { body: i64, error: Error },
    /// A failure of one world of several. `world` is its index.
    OfWorld { world: usize, failure: Box<Self> },
    /// An error of an argument, with its remedy.
    Option(String),
    /// A signal handler needs an object that the interrupted call uses. The handler and the call would wait for each other.
    Busy,
    /// A panic, which is a defect of the library.
    Defect(String),
    /// A Python exception.
    Python(PyErr),
}

/// The problem of a feature.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) text: Text,
    /// The coordinates of a point near the problem, or `None` if the problem has no position.
    pub(crate) place: Option<[f64; 2]>,
    pub(crate) is_unsupported: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl Problem {
    /// Converts the error of one feature to its problem. The message does not name the feature.
    pub(crate) fn of(error: Error) -> Self {
        let error = match error {
            Error::Object { source, .. } => *source,
            // The message needs no index of the feature here, because the caller adds the index.
            error => error.at_polygon(0),
        };
        Self { place: place(&error), text: Text::of(&error), is_unsupported: false }
    }

    pub(crate) fn of_input(error: sat2d_io::Error) -> Self {
        match error {
            sat2d_io::Error::Library(error) => Self::of(error),
            sat2d_io::Error::Feature { source, .. } => Self::of_input(*source),
            error => Self::without_place(&error),
        }
    }

    fn without_place(error: &sat2d_io::Error) -> Self {
        use sat2d_io::Error::{MixedGeometries, UnsupportedGeometry};
        let is_unsupported = matches!(error, MixedGeometries { .. } | UnsupportedGeometry { .. });
        Self { place: None, text: Text::of_input(error), is_unsupported }
    }
}

/// Returns the coordinates of a point near the problem, or `None` if the error has no position.
fn place(error: &Error) -> Option<[f64; 2]> {
    let place = match *error {
        Error::ZeroArea { x, y, .. }
        | Error::NotConvex { x, y, .. }
        | Error::HoleOutsideShell { x, y, .. }
        | Error::Point { x, y, .. } => Some([x, y]),
        Error::CrossingSegments { near, .. } => Some(near),
        Error::EmptyRegion { near, .. } => near,
        Error::LeftWorld { x, y, .. } => Some([x, y]),
        _ => None,
    };
    // Coordinates that are not finite do not help to find the problem.
    place.filter(|place| place.iter().all(|number| number.is_finite()))
}

impl Failure {
    /// Creates the failure of one row of an array of bodies.
    pub(crate) fn of_body(row: usize, error: Error) -> Self {
        Self::Body { row, message: Text::of(&error).to_string() }
    }

    /// Adds the index of the world to the failure of one of several worlds. An invalid option concerns all worlds, so
    /// its failure stays unchanged.
    pub(crate) fn of_world(self, world: usize) -> Self {
        match self {
            Self::Option(_) | Self::Library(Error::Option { .. } | Error::Body { .. }) => self,
            failure => Self::OfWorld { world, failure: Box::new(failure) },
        }
    }

    /// Converts the payload of a panic to [`Failure::Defect`] with the panic's message. A payload that is not a string gives
    /// `no message`.
    pub(crate) fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Self::Defect(text.to_owned())
    }

    /// Converts the failure to an exception. The classes are in the Python package. If they cannot be imported, the exception is
    /// a `RuntimeError`.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        let parts = match self.parts() {
            Ok(parts) => parts,
            Err(error) => return error,
        };
        let message = parts.text.to_string();
        let raised = || -> PyResult<PyErr> {
            let class = py.import("sat2d._errors")?.getattr(parts.class)?;
            let arguments = PyDict::new(py);
            arguments.set_item("feature", parts.feature)?;
            arguments.set_item("place", parts.place.map(|[x, y]| (x, y)))?;
            arguments.set_item("remedy", &parts.text.remedy)?;
            Ok(PyErr::from_value(class.call((&message,), Some(&arguments))?))
        };
        raised().unwrap_or_else(|_| PyRuntimeError::new_err(message.clone()))
    }

    /// Returns the fields of the exception for this failure. If the failure is already a Python exception, returns it
    /// as `Err`.
    fn parts(self) -> Result<Parts, PyErr> {
        let plain = |class, text| Parts { class, text, feature: None, place: None };
        Ok(match self {
            Self::Python(error) => return Err(error),
            Self::OfWorld { world, failure } => {
                let parts = failure.parts()?;
                Parts { text: parts.text.after(&format!("world {world}: ")), ..parts }
            }
            Self::Busy => plain(
                "BusyError",
                Text::of_parts(
                    "the object is in use, and a signal handler cannot wait for it",
                    "set a flag in the handler, and use the object after the interrupted call has returned",
                ),
            ),
            Self::Option(message) => plain("OptionError", Text::of_message(&message)),
            Self::Defect(text) => {
                let fact = format!("a defect of sat2d: {text}");
                plain("DefectError", Text::of_parts(&fact, "please report it with the input"))
            }
            Self::Body { row, message } => {
                let text = Text::of_message(&message).after(&format!("body {row}: "));
                Parts { feature: Some(row as i64), ..plain("OptionError", text) }
            }
            Self::LeftWorld { body, error } => {
                let text = Text::of(&error);
                Parts { class: "LeftWorldError", text, feature: Some(body), place: place(&error) }
            }
            Self::Feature { argument, feature, problem } => {
                let feature = feature as i64;
                let class = match problem.is_unsupported {
                    true => "UnsupportedGeometryError",
                    false => "InvalidGeometryError",
                };
                let text = problem.text.after(&format!("{argument}, feature {feature}: "));
                Parts { class, text, feature: Some(feature), place: problem.place }
            }
            Self::Input(error) => {
                let class = match *error {
                    sat2d_io::Error::OutOfReadMemory { .. } => "OutOfMemoryError",
                    _ => "ReadError",
                };
                plain(class, Text::of_input(&error))
            }
            Self::Library(Error::Union { side, object, source }) => {
                let argument = if side == PairSide::B { "b" } else { "a" };
                let fact = format!(
                    "{argument}, feature {object}: its polygons overlap each other, and their union cannot be computed: "
                );
                let text = Text::of(&source).after(&fact);
                Parts { feature: Some(object as i64), ..plain(class_of(&source), text) }
            }
            Self::Library(error) => {
                Parts { place: place(&error), ..plain(class_of(&error), Text::of(&error)) }
            }
        })
    }
}

/// The fields of a Python exception.
struct Parts {
    /// The name of the class.
    class: &'static str,
    text: Text,
    /// The index of the feature, or the id of the body.
    feature: Option<i64>,
    /// The coordinates of a point near the problem.
    place: Option<[f64; 2]>,
}

fn class_of(error: &Error) -> &'static str {
    match error {
        Error::OutOfMemory { .. } | Error::OutOfDeviceMemory { .. } => "OutOfMemoryError",
        Error::NoAdapter { .. }
        | Error::Device { .. }
        | Error::DeviceLost { .. }
        | Error::DeviceLimit { .. } => "DeviceError",
        Error::Option { .. }
        | Error::Body { .. }
        | Error::Column { .. }
        | Error::UnknownObject { .. }
        | Error::TooMany { .. } => "OptionError",
        Error::Decomposition { .. } => "DefectError",
        _ => "InvalidGeometryError",
    }
}
