use sat2d::{Distance, Engine, Manifold, Penetration, PolygonSet, Prepared};
use sat2d::{Distances, Manifolds, Penetrations};

use super::{Answers, Found, MARGIN, Question, Shapes};
use crate::AnyError;

/// sat2d's packed records of the polygons, and the measurement that is requested.
#[derive(Debug)]
pub(super) struct Ours<'a> {
    prepared: Prepared<'a>,
    question: Question,
}

impl<'a> Ours<'a> {
    pub(super) fn new(engine: &'a Engine, set: &'a PolygonSet, question: Question) -> Result<Self, AnyError> {
        let mut prepared = engine.prepare(set, set)?;
        if set.piece_count() > 0 {
            // The first query packs the records. It runs here, before any query is timed.
            prepared.piece_pairs(&[[0, 0]]).query(Penetrations)?;
        }
        Ok(Self { prepared, question })
    }
}

impl Shapes for Ours<'_> {
    fn measure(&mut self, pairs: &[[u32; 2]]) -> Result<Box<dyn Found>, AnyError> {
        Ok(match self.question {
            Question::Penetration => Box::new(Answers {
                answers: self.prepared.piece_pairs(pairs).query(Penetrations)?.items,
                value: |found: &Penetration| Some(found.separation),
            }),
            Question::Manifold => Box::new(Answers {
                answers: self.prepared.piece_pairs(pairs).query(Manifolds { margin: MARGIN })?.items,
                value: |found: &Manifold| found.deepest().map(|point| point.separation),
            }),
            Question::Distance => Box::new(Answers {
                answers: self.prepared.piece_pairs(pairs).query(Distances)?.items,
                value: |found: &Distance| Some(found.distance),
            }),
        })
    }
}
