//! Answers and errors at the border to JavaScript.

use serde::Serialize;
use wasm_bindgen::prelude::*;

/// An answer, or an `Error` with the message of the library's.
pub(crate) type Answer<T> = Result<T, JsError>;

/// The library's error as one of JavaScript.
pub(crate) fn failed(error: sat2d::Error) -> JsError {
    JsError::new(&error.to_string())
}

/// A plain object of JavaScript.
pub(crate) fn plain<T: Serialize>(answer: &T) -> Answer<JsValue> {
    serde_wasm_bindgen::to_value(answer).map_err(|error| JsError::new(&error.to_string()))
}
