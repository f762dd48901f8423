use std::time::Instant;

use sat2d::{Backend, Engine, JoinOptions, PolygonSet};

use super::Answer;
use crate::{AnyError, Rings};

pub(crate) fn join(rings: &Rings) -> Result<Answer, AnyError> {
    let start = Instant::now();
    let set = PolygonSet::from_convex_rings(rings)?;
    let build = start.elapsed();
    let join = Engine::new(Backend::Cpu)?.self_join(&set, &JoinOptions::default())?;
    let t = join.timings;
    let stages = vec![
        ("set", build),
        ("pack", t.pack),
        ("broad phase", t.broad_phase),
        ("kernel", t.kernel),
        ("exact", t.exact),
        ("collect", t.collect),
    ];
    Ok(Answer { pairs: join.pairs, has_relations: true, candidates: join.counts.candidate_pairs, stages })
}
