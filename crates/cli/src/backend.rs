//! Chooses when the engine of a run is created.

use crate::error::Result;
use crate::estimate::candidate_pairs;
use crate::input::Side;
use sat2d::internal::engine_on_cpu;
use sat2d::{Backend, Engine};

/// With `auto`, an input with fewer points and vertices than this is joined on the CPU, without a search for a GPU. The search
/// loads the drivers of all GPUs, and usually takes longer than the join of such an input.
const FEW_VERTICES: usize = 10_000;
/// With `auto`, a join with fewer candidate pairs than this runs on the CPU, without a search for a GPU. One thread decides a million
/// pairs of polygons of 4 to 32 vertices in about 10 to 70 ms. On an Intel Xeon with the drivers of Mesa, a search for a GPU took
/// 30 ms, and the first search after the start of the machine 400 ms.
const FEW_PAIRS: f64 = 1e6;
/// With `auto`, the program looks for a GPU if an input has at least this many points and vertices. A sample of such an input says
/// little about the number of candidate pairs.
const MANY_VERTICES: usize = 5_000_000;
/// The reason why a join of the relations of large polygons runs on the CPU.
pub(super) const OF_EDGES: &str =
    "the CPU compares large polygons by their edges, without splitting them into pieces";
/// The reason why a join of points with polygons, without a distance, runs on the CPU.
pub(super) const OF_POINTS: &str = "the CPU decides points faster than they can be sent to a GPU";

/// Creates the engine before the input is read, so that a missing GPU is reported at once. Returns `None` if the input decides
/// whether the run needs a GPU.
pub(super) fn before_input(backend: Backend) -> Result<Option<Engine>> {
    if backend == Backend::Auto { Ok(None) } else { Ok(Some(Engine::new(backend)?)) }
}

/// Returns the engine of [`before_input`], or creates it for a join of A and B, or of A alone. The boxes of a candidate pair are at
/// most `reach` apart. `only_on_cpu` is the reason why a GPU would not be used for this run, or `None` if it may be used.
pub(super) fn after_input(
    engine: Option<Engine>,
    (a, b): (&Side, Option<&Side>),
    reach: f64,
    only_on_cpu: Option<&str>,
) -> Result<Engine> {
    if let Some(engine) = engine {
        return Ok(engine);
    }
    let vertices = [Some(a), b].into_iter().flatten().map(|side| side.features.vertex_count()).sum();
    match only_on_cpu.or_else(|| reason_of_few(vertices, || candidate_pairs(a, b, reach))) {
        Some(reason) => Ok(engine_on_cpu(reason)),
        None => Ok(Engine::new(Backend::Auto)?),
    }
}

/// Returns why an input with this number of points and vertices, and with this number of candidate pairs, is joined on the CPU.
/// Returns `None` if it may be joined on a GPU.
fn reason_of_few(vertices: usize, candidate_pairs: impl FnOnce() -> f64) -> Option<&'static str> {
    if vertices < FEW_VERTICES {
        return Some("fewer than 10,000 vertices, too few for a GPU");
    }
    if vertices >= MANY_VERTICES {
        return None;
    }
    (candidate_pairs() < FEW_PAIRS).then_some("fewer than about 1,000,000 candidate pairs, too few for a GPU")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_vertices_are_joined_on_the_cpu() {
        assert!(reason_of_few(FEW_VERTICES - 1, || 1e9).is_some_and(|reason| reason.contains("10,000 v")));
        assert!(reason_of_few(FEW_VERTICES, || 999_999.0).is_some_and(|reason| reason.contains("pairs")));
        assert_eq!(reason_of_few(FEW_VERTICES, || FEW_PAIRS), None);
        assert_eq!(reason_of_few(MANY_VERTICES, || 0.0), None);
        let reason = |only_on_cpu| {
            format!("{:?}", after_input(None, (&Side::default(), None), 0.0, only_on_cpu).unwrap())
        };
        assert!(reason(None).contains("fewer than 10,000 vertices"));
        assert!(reason(Some(OF_POINTS)).contains(OF_POINTS));
        assert!(before_input(Backend::Auto).unwrap().is_none());
        assert!(before_input(Backend::Cpu).unwrap().is_some());
    }
}
