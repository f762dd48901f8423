use sat2d::Relations;
use std::sync::OnceLock;
use std::time::Instant;

use sat2d::{Backend, Engine, PolygonSet};

use super::Answer;
use crate::{AnyError, Rings};

/// The engine of all joins. As in a real program, the engine is made once, so that it can reuse the memory of its last join.
static ENGINE: OnceLock<Engine> = OnceLock::new();

pub(crate) fn join(rings: &Rings) -> Result<Answer, AnyError> {
    let engine = engine()?;
    let start = Instant::now();
    let set = PolygonSet::from_convex_rings(rings)?;
    let build = start.elapsed();
    let join = engine.self_join(&set).query(Relations)?;
    let t = join.timings;
    let stages = vec![
        ("set", build),
        ("pack", t.pack),
        ("broad phase", t.broad_phase),
        ("kernel", t.kernel),
        ("exact", t.exact),
        ("collect", t.collect),
    ];
    Ok(Answer { pairs: join.items, has_relations: true, candidates: join.counts.candidate_pairs, stages })
}

fn engine() -> Result<&'static Engine, AnyError> {
    match ENGINE.get() {
        Some(engine) => Ok(engine),
        None => {
            let made = Engine::new(Backend::Cpu)?;
            Ok(ENGINE.get_or_init(|| made))
        }
    }
}
