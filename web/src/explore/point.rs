//! Explains a point and a polygon.

use sat2d::{PointExplanation, Result};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::axes::{AxisRow, rows};
use super::shape::{Outline, Shape, set_of};

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PointAnswer {
    relation: &'static str,
    outline: Outline,
    /// The index of the explained piece of the polygon. The axes belong to this piece.
    piece: usize,
    piece_relation: &'static str,
    origin: [f64; 2],
    axes: Vec<AxisRow>,
    deciding: usize,
    closest: [f64; 2],
    distance: f64,
    /// A point near `closest` that is exactly on the boundary, or `None` if none was found.
    on_boundary: Option<[f64; 2]>,
}

fn explain(shape: &Shape, point: [f64; 2]) -> Result<PointAnswer> {
    let object = shape.object()?;
    let found = PointExplanation::new(point, &set_of(&object)?, 0)?;
    Ok(PointAnswer {
        relation: found.relation.name(),
        outline: Outline::new(shape, &object)?,
        piece: found.piece,
        piece_relation: found.piece_relation.name(),
        origin: found.origin.to_array(),
        axes: rows(&found.axes),
        deciding: found.deciding,
        closest: found.closest.to_array(),
        distance: found.distance,
        on_boundary: found.on_boundary.map(|v| v.to_array()),
    })
}

/// Explains the relation of a point to a polygon. `shape` is `{ ring, x, y, degrees }`.
///
/// # Errors
/// Returns the errors of the library as `Error` objects.
#[wasm_bindgen(js_name = explainPoint)]
pub fn explain_point(shape: JsValue, x: f64, y: f64) -> std::result::Result<JsValue, JsValue> {
    super::answer(explain(&super::question(shape)?, [x, y]))
}

#[cfg(test)]
mod tests {
    use super::super::shape::square;
    use super::*;

    #[test]
    fn a_point_beside_a_turned_square_and_what_puts_it_on_the_boundary() {
        let shape = square(0.5, 0.0, 30.0);
        let found = explain(&shape, [3.0, 0.25]).expect("a square");
        assert_eq!((found.relation, found.axes.len()), ("outside", 2));
        assert!(found.axes[found.deciding].separates);
        let on = found.on_boundary.expect("corners of few bits");
        let moved = explain(&shape, on).expect("a square");
        assert_eq!((moved.relation, moved.distance), ("boundary", 0.0));
        assert!((on[0] - found.closest[0]).hypot(on[1] - found.closest[1]) < 1e-6);
    }

    #[test]
    fn what_is_no_polygon_is_the_library_s_error() {
        let crossing =
            Shape { ring: vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], ..square(0.0, 0.0, 0.0) };
        assert!(explain(&crossing, [0.0, 0.0]).is_err_and(|error| error.to_string().contains("cross")));
    }
}
