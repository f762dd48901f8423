use super::{Each, Shapes};
use crate::whole_join::parry::{self, meets};
use crate::{AnyError, Rings};

pub(super) fn in_the_world(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::in_the_world, meets)
}

pub(super) fn about_the_centre(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::about_the_centre, meets)
}

pub(super) fn cuboids(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, parry::cuboid, meets)
}
