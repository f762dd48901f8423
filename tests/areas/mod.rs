//! Areas: both backends are within the stated bound of rational arithmetic, and have the same digits.

mod joins;
mod objects;
mod pairs;
mod unions;

use std::sync::LazyLock;

use num_bigint::BigInt;
use sat2d::{Aabb, Backend, Engine, MEASUREMENT_BOUND, Overlap};

use crate::support::areas::{area, common_area};
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

/// Returns the error of the common area of `a` and `b`, divided by the stated bound. `boxes` are the areas of the boxes
/// of `a` and `b`.
fn error_in_bounds(found: f64, a: &Region, b: &Region, boxes: [f64; 2]) -> f64 {
    let smaller = boxes[0].min(boxes[1]);
    let exponent = i64::from(smaller.log2().floor() as i32) - 110;
    let exact = common_area(a, b, exponent);
    let bound = Rational::from(smaller * MEASUREMENT_BOUND).in_units(exponent);
    ratio(Rational::from(found).in_units(exponent) - exact, &bound)
}

/// Returns the error of an intersection over union, divided by its bound 2^-42.
fn iou_error(found: &Overlap, a: &Region, b: &Region) -> f64 {
    let exponent = i64::from(found.area_a.max(found.area_b).log2().floor() as i32) - 110;
    let common = common_area(a, b, exponent);
    let union = area(a, exponent) + area(b, exponent) - &common;
    // The numerator of the error: `(iou - common / union) * union * 2^60`.
    let above = Rational::from(found.iou).in_units(-60) * &union - (common << 60);
    ratio(above, &(union << 18))
}

/// Returns the magnitude of the quotient of `above` and `below`, with six digits.
fn ratio(above: BigInt, below: &BigInt) -> f64 {
    let millionths = BigInt::from(above.magnitude().clone()) * 1_000_000 / below;
    i64::try_from(millionths).map_or(f64::INFINITY, |millionths| millionths as f64 / 1e6)
}
