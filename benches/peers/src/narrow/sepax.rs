use sepax2d::polygon::Polygon;
use sepax2d::sat_overlap;

use super::{Each, Shapes};
use crate::{AnyError, Rings};

pub(super) fn shapes(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, |ring| Some(polygon(ring)), |a: &Polygon, b: &Polygon| sat_overlap(a, b))
}

fn polygon(ring: &[[f64; 2]]) -> Polygon {
    let vertices = ring.iter().map(|v| (v[0] as f32, v[1] as f32)).collect();
    Polygon::from_vertices((0.0, 0.0), vertices)
}
