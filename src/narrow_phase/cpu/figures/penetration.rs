//! The penetration of a pair: its greatest gap over an edge, and that edge's normal.

use super::Steps;
use super::edges::{best_edge, unit_normal};
use crate::layout::{EDGE_OF_B, PenetrationRecord, UNCERTAIN_FIGURE};
use crate::narrow_phase::cpu::records::View;
use crate::vector::{Both, Instructions};

/// The twin of shaders/penetration.wgsl.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn record<S: Steps, I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
) -> PenetrationRecord {
    let best = best_edge::<S, I, VERTICES>(i, a, b);
    let normal = if best.of_b {
        // From A to B.
        unit_normal(b, best.edge).both(|x| -x)
    } else {
        unit_normal(a, best.edge)
    };
    let side = if best.of_b { EDGE_OF_B } else { 0 };
    let doubt = if best.certain { 0 } else { UNCERTAIN_FIGURE };
    PenetrationRecord { normal, separation: best.separation, edge: best.edge | side | doubt }
}
