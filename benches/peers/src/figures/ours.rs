use sat2d::{Distance, Engine, Manifold, Penetration, PolygonSet, Prepared};

use super::{Answers, Found, MARGIN, Question, Shapes};
use crate::AnyError;

/// sat2d's packed records, and what is asked of them.
#[derive(Debug)]
pub(super) struct Ours<'a> {
    prepared: Prepared<'a>,
    question: Question,
}

impl<'a> Ours<'a> {
    pub(super) fn new(engine: &'a Engine, set: &'a PolygonSet, question: Question) -> Result<Self, AnyError> {
        let mut prepared = engine.prepare(set, set)?;
        if set.piece_count() > 0 {
            // Figures make their records when they are first asked for.
            prepared.penetrations(&[[0, 0]])?;
        }
        Ok(Self { prepared, question })
    }
}

impl Shapes for Ours<'_> {
    fn measure(&mut self, pairs: &[[u32; 2]]) -> Result<Box<dyn Found>, AnyError> {
        Ok(match self.question {
            Question::Penetration => Box::new(Answers {
                answers: self.prepared.penetrations(pairs)?.figures,
                value: |found: &Penetration| Some(found.separation),
            }),
            Question::Manifold => Box::new(Answers {
                answers: self.prepared.manifolds(pairs, MARGIN)?.figures,
                value: |found: &Manifold| found.deepest().map(|point| point.separation),
            }),
            Question::Distance => Box::new(Answers {
                answers: self.prepared.distances(pairs)?.figures,
                value: |found: &Distance| Some(found.distance),
            }),
        })
    }
}
