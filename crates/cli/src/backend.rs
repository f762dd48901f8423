//! Chooses when the engine of a run is created.

use crate::error::Result;
use crate::input::Side;
use sat2d::internal::engine_on_cpu;
use sat2d::{Backend, Engine};

/// With `auto`, an input with fewer points and vertices than this is joined on the CPU, without a search for a GPU. The search
/// loads the drivers, and usually takes longer than the join of such an input.
const FEW_VERTICES: usize = 10_000;
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

/// Returns the engine of [`before_input`], or creates it. `only_on_cpu` is the reason why a GPU would not be used for this run, or
/// `None` if it may be used.
pub(super) fn after_input(
    engine: Option<Engine>,
    sides: [Option<&Side>; 2],
    only_on_cpu: Option<&str>,
) -> Result<Engine> {
    let vertices = sides.into_iter().flatten().map(|side| side.features.vertex_count()).sum();
    match (engine, only_on_cpu.or_else(|| reason_of_few(vertices))) {
        (Some(engine), _) => Ok(engine),
        (None, Some(reason)) => Ok(engine_on_cpu(reason)),
        (None, None) => Ok(Engine::new(Backend::Auto)?),
    }
}

/// Returns why an input with this number of points and vertices is joined on the CPU, or `None` if it may be joined on a GPU.
fn reason_of_few(vertices: usize) -> Option<&'static str> {
    (vertices < FEW_VERTICES).then_some("fewer than 10,000 vertices, too few for a GPU")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_vertices_are_joined_on_the_cpu() {
        assert!(reason_of_few(FEW_VERTICES - 1).is_some_and(|reason| reason.contains("10,000")));
        assert_eq!(reason_of_few(FEW_VERTICES), None);
        let reason = |only_on_cpu| format!("{:?}", after_input(None, [None, None], only_on_cpu).unwrap());
        assert!(reason(None).contains("fewer than 10,000 vertices"));
        assert!(reason(Some(OF_POINTS)).contains(OF_POINTS));
        assert!(before_input(Backend::Auto).unwrap().is_none());
        assert!(before_input(Backend::Cpu).unwrap().is_some());
    }
}
