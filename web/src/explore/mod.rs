//! Answers the questions of the page's explorers. Each file answers one question. The file has a Rust function that native tests
//! call, and a function that takes and returns JavaScript values.

mod axes;
pub mod pair;
pub mod point;
mod shape;
pub mod sweep;

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

use crate::answer::Failure;

/// Converts the input of an explorer from JavaScript. Returns an error if a field is missing or has the wrong type.
fn question<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value).map_err(JsValue::from)
}

/// Converts an answer, or an error of the library, to a JavaScript value. The error becomes an `Error` with its code.
fn answer<T: Serialize>(found: sat2d::Result<T>) -> Result<JsValue, JsValue> {
    Ok(found.map_err(Failure::from).and_then(|found| crate::answer::plain(&found))?)
}
