use geo::{Coord, Intersects, LineString, Polygon};

use super::{Each, Shapes};
use crate::{AnyError, Rings};

pub(super) fn shapes(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, |ring| Some(polygon(ring)), |a: &Polygon<f64>, b: &Polygon<f64>| a.intersects(b))
}

pub(crate) fn polygon(ring: &[[f64; 2]]) -> Polygon<f64> {
    let shell: Vec<Coord<f64>> = ring.iter().map(|&[x, y]| Coord { x, y }).collect();
    // `Polygon::new` closes the ring.
    Polygon::new(LineString::new(shell), Vec::new())
}
