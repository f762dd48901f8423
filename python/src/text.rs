//! The texts of errors, in the terms of the Python package.

use std::fmt;

use sat2d::Error;

/// The problem that a message states, and the remedy that it advises.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) fact: String,
    pub(crate) remedy: Option<String>,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fact)?;
        match &self.remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

impl Text {
    pub(crate) fn of_parts(fact: &str, remedy: &str) -> Self {
        Self { fact: fact.to_owned(), remedy: Some(remedy.to_owned()) }
    }

    /// Returns the text of a message that has no remedy.
    fn of_fact(fact: String) -> Self {
        Self { fact, remedy: None }
    }

    /// Splits a message at its last semicolon. The text after it must not come from the caller's data, such as a path.
    pub(crate) fn of_message(message: &str) -> Self {
        match message.rsplit_once("; ") {
            Some((fact, remedy)) => Self::of_parts(fact, remedy),
            None => Self::of_fact(message.to_owned()),
        }
    }

    /// Splits a message that ends with `problem`. The words before `problem` may come from the caller's data.
    fn of_problem(message: String, problem: &str) -> Self {
        if problem.contains("; ") { Self::of_message(&message) } else { Self::of_fact(message) }
    }

    /// Returns the text with `prefix` before the fact.
    pub(crate) fn after(self, prefix: &str) -> Self {
        Self { fact: format!("{prefix}{}", self.fact), ..self }
    }

    /// Returns the text of an error of the library.
    pub(crate) fn of(error: &Error) -> Self {
        let message = error.to_string();
        let text = match error {
            Error::Pose { problem, .. }
            | Error::Motion { problem, .. }
            | Error::Body { problem, .. }
            | Error::Point { problem, .. }
            | Error::Column { problem, .. }
            | Error::Option { problem, .. } => Self::of_problem(message, problem),
            Error::Object { object, source } => return Self::of(source).after(&format!("object {object}: ")),
            _ => Self::of_message(&message),
        };
        match remedy(error) {
            Some(remedy) => Self::of_parts(&text.fact, remedy),
            None => text,
        }
    }

    /// Returns the text of an error in a file or a table.
    pub(crate) fn of_input(error: &sat2d_io::Error) -> Self {
        use sat2d_io::Error as Input;
        let fact = error.fact();
        match error {
            Input::Library(error) => Self::of(error),
            // The advice does not name a file, because the features may come from a column of a frame.
            Input::MixedGeometries { .. } => Self::of_parts(
                &fact,
                "join points and polygons separately: in an array, shapely.get_dimensions(geometries) == 0 selects the points",
            ),
            Input::UnsupportedGeometry { .. } => Self::of_parts(
                &fact,
                "give polygons and multipolygons, or points and multipoints; for other geometries use geopandas.sjoin or \
                 shapely.STRtree.query",
            ),
            // The remedy does not advise a higher limit, because no function of the package has a parameter for it.
            Input::FeatureTooLarge { .. } => Self::of_parts(&fact, "split it"),
            Input::IdProperty { .. } => Self::of_parts(&fact, "name a property of the features with id="),
            Input::NoColumn { columns, .. } if !columns.is_empty() => {
                Self::of_parts(&fact, "name one of them")
            }
            Input::Format { problem, .. } | Input::Syntax { problem, .. } | Input::Malformed { problem } => {
                Self::of_problem(fact, problem)
            }
            Input::Read { .. } | Input::Write { .. } => Self::of_fact(fact),
            error => match error.remedy() {
                Some(remedy) => Self::of_parts(&fact, remedy),
                None => Self::of_fact(fact),
            },
        }
    }
}

/// Returns the remedy of an error whose own remedy names an item of the Rust library. Returns `None` for all other errors.
fn remedy(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::CrossingSegments { .. } | Error::HoleOutsideShell { .. } => {
            "repair the polygon, or give fill='even-odd' or fill='nonzero'"
        }
        Error::NotConvex { .. } => "give its convex hull, or each of its convex parts",
        Error::UnknownBody { .. } => "give ids that add_bodies returned",
        Error::NoAdapter { .. } => {
            "install a Vulkan driver (Debian and Ubuntu: mesa-vulkan-drivers has a software one), or give backend='cpu'"
        }
        Error::Device { .. } | Error::DeviceLimit { .. } => "give backend='cpu'",
        Error::DeviceLost { .. } => "make a new World or Prepared and run again, or give backend='cpu'",
        Error::OutOfDeviceMemory { .. } => "give backend='cpu', or split the input",
        _ => return None,
    })
}
