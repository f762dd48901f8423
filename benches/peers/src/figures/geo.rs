use geo::{Distance, Euclidean, Polygon};

use super::{Each, Shapes};
use crate::narrow::geo::polygon;
use crate::{AnyError, Rings};

pub(super) fn distance(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    let distance = |a: &Polygon<f64>, b: &Polygon<f64>| Euclidean.distance(a, b);
    Each::new(rings, |ring| Some(polygon(ring)), distance, |&found: &f64| Some(found))
}
