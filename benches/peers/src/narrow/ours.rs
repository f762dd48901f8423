use sat2d::Relations;
use sat2d::{Engine, PolygonSet, Prepared};

use super::{Shapes, Verdicts};
use crate::AnyError;

/// sat2d's packed records of the polygons.
#[derive(Debug)]
pub(super) struct Ours<'a>(Prepared<'a>);

impl<'a> Ours<'a> {
    pub(super) fn new(engine: &'a Engine, set: &'a PolygonSet) -> Result<Self, AnyError> {
        Ok(Self(engine.prepare(set, set)?))
    }
}

impl Shapes for Ours<'_> {
    fn answer(&mut self, pairs: &[[u32; 2]]) -> Result<Verdicts, AnyError> {
        Ok(Verdicts::Relations(self.0.piece_pairs(pairs).query(Relations)?.items))
    }
}
