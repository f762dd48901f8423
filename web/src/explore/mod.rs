//! What the explorers of the page show, one question a file. Each is a Rust function that a native test can call, and beside
//! it one that takes and gives what JavaScript has.

mod axes;
pub mod pair;
pub mod point;
mod shape;
pub mod sweep;

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

use crate::answer::Failure;

/// A question as JavaScript asks it.
fn question<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value).map_err(JsValue::from)
}

/// An answer, or the library's error as an `Error` with its code.
fn answer<T: Serialize>(found: sat2d::Result<T>) -> Result<JsValue, JsValue> {
    Ok(found.map_err(Failure::from).and_then(|found| crate::answer::plain(&found))?)
}
