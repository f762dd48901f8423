//! Converts answers and errors for JavaScript.

use sat2d::Error;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// An answer, or an error that becomes a JavaScript `Error`.
pub(crate) type Answer<T> = Result<T, Failure>;

/// An error that JavaScript receives as an `Error`. Its `code` selects the advice of the page. Its message is for developers.
#[derive(Debug)]
pub struct Failure {
    code: &'static str,
    message: String,
}

impl Failure {
    /// Creates a failure of the module itself.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { code: "internal", message: message.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { code: code(&error), message: error.to_string() }
    }
}

impl From<serde_wasm_bindgen::Error> for Failure {
    fn from(error: serde_wasm_bindgen::Error) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<Failure> for JsValue {
    fn from(Failure { code, message }: Failure) -> Self {
        let error = js_sys::Error::new(&message);
        // Setting a property of a new object cannot fail.
        let _ = js_sys::Reflect::set(&error, &"code".into(), &code.into());
        error.into()
    }
}

/// Returns the name of the group that an error belongs to. The page gives the same advice for all errors of a group.
fn code(error: &Error) -> &'static str {
    match error {
        Error::CrossingSegments { .. } => "crossing",
        Error::TooFewVertices { .. } | Error::ZeroArea { .. } | Error::EmptyRegion { .. } => "flat",
        Error::NotFinite { .. } | Error::OutOfRange { .. } | Error::Pose { .. } | Error::Point { .. } => {
            "range"
        }
        Error::Motion { .. } => "motion",
        Error::LeftWorld { .. } => "left",
        Error::NoAdapter { .. } => "no-gpu",
        Error::Device { .. } | Error::DeviceLost { .. } | Error::DeviceLimit { .. } => "gpu",
        Error::OutOfDeviceMemory { .. } | Error::OutOfMemory { .. } => "memory",
        _ => "other",
    }
}

/// Converts an answer to a plain JavaScript object.
pub(crate) fn plain<T: Serialize>(answer: &T) -> Answer<JsValue> {
    Ok(serde_wasm_bindgen::to_value(answer)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat2d::PolygonObject;

    #[test]
    fn errors_have_the_code_of_what_a_reader_can_do() {
        let of = |ring: &[[f64; 2]]| {
            let ring = ring.iter().map(|&v| v.into()).collect::<Vec<sat2d::glam::DVec2>>();
            PolygonObject::from_polygon(&[ring]).err().map(|error| Failure::from(error).code)
        };
        assert_eq!(of(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]), Some("crossing"));
        assert_eq!(of(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), Some("flat"));
        assert_eq!(of(&[[0.0, 0.0], [f64::NAN, 1.0], [2.0, 0.0]]), Some("range"));
        assert_eq!(of(&[[0.0, 0.0], [1.0, 1e99], [2.0, 0.0]]), Some("range"));
        assert_eq!(code(&Error::NoAdapter { reason: String::new() }), "no-gpu");
    }
}
