//! Areas: both backends are within the stated bound of rational arithmetic, and have the same digits.

mod joins;
mod objects;
mod pairs;
mod unions;

use std::sync::LazyLock;

use num_bigint::BigInt;
use sat2d::{Aabb, Backend, Engine, MEASUREMENT_BOUND, Overlap};

use crate::support::areas::areas;
use crate::support::covers::{Rational, Region};
use crate::support::random::Random;

static CPU: LazyLock<Engine> = LazyLock::new(|| Engine::new(Backend::Cpu).unwrap());
static GPU: LazyLock<Engine> =
    LazyLock::new(|| Engine::new(Backend::Gpu).unwrap_or_else(|error| panic!("{error}")));

fn engines() -> [(&'static str, &'static Engine); 2] {
    [("cpu", &CPU), ("gpu", &GPU)]
}

type Ring = Vec<[f64; 2]>;

/// The identity pose: cosine, sine and translation.
const AT_REST: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

fn box_area(aabb: Aabb) -> f64 {
    let size = aabb.max - aabb.min;
    size.x * size.y
}

/// Returns the exponent of the unit in which the tests compute areas of about `size`.
fn exponent_of(size: f64) -> i64 {
    i64::from(size.log2().floor() as i32) - 110
}

/// Returns the error of the common area of `a` and `b`, divided by the stated bound. `boxes` are the areas of the boxes
/// of `a` and `b`.
fn error_in_bounds(found: f64, a: &Region, b: &Region, boxes: [f64; 2]) -> f64 {
    let smaller = boxes[0].min(boxes[1]);
    let exponent = exponent_of(smaller);
    let [exact, ..] = areas(a, b, exponent);
    in_bounds(found, exact, smaller, exponent)
}

fn in_bounds(found: f64, exact: BigInt, smaller_box: f64, exponent: i64) -> f64 {
    let bound = Rational::from(smaller_box * MEASUREMENT_BOUND).in_units(exponent);
    ratio(Rational::from(found).in_units(exponent) - exact, &bound)
}

/// Returns two errors: the error of the common area of `a` and `b`, as [`error_in_bounds`] returns it, and the error of the
/// intersection over union, divided by its bound 2^-42.
fn errors(found: f64, overlap: &Overlap, a: &Region, b: &Region, boxes: [f64; 2]) -> [f64; 2] {
    let smaller = boxes[0].min(boxes[1]);
    let exponent = exponent_of(smaller).min(exponent_of(overlap.area_a.max(overlap.area_b)));
    let [common, of_a, of_b] = areas(a, b, exponent);
    let union = of_a + of_b - &common;
    // The numerator of the error: `(iou - common / union) * union * 2^60`.
    let above = Rational::from(overlap.iou).in_units(-60) * &union - (&common << 60);
    [in_bounds(found, common, smaller, exponent), ratio(above, &(union << 18))]
}

/// Returns the magnitude of the quotient of `above` and `below`, with six digits.
fn ratio(above: BigInt, below: &BigInt) -> f64 {
    let millionths = BigInt::from(above.magnitude().clone()) * 1_000_000 / below;
    i64::try_from(millionths).map_or(f64::INFINITY, |millionths| millionths as f64 / 1e6)
}
