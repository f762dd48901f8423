//! The peak of memory of a large join.

use std::time::Instant;

use sat2d::{Backend, Engine, JoinOptions, PolygonSet};

use crate::AnyError;
use crate::machine::{commit, cores, memory_megabytes, processor};

const COUNT: usize = 1_000_000;
/// What the peak must stay below, in MB.
const LIMIT: f64 = 2000.0;

/// Joins the octagons and prints the peak; an error above the limit.
pub(crate) fn run() -> Result<(), AnyError> {
    let status =
        |name| memory_megabytes(name).ok_or("/proc/self/status does not tell how much memory is used");
    let before = status("VmRSS")?;
    let rings = octagons(COUNT);
    let input = status("VmRSS")? - before;
    let start = Instant::now();
    let set = PolygonSet::from_convex_rings(&rings)?;
    if set.vertex_count() != 8 * COUNT {
        return Err(
            format!("{} vertices in {COUNT} polygons: not all are octagons", set.vertex_count()).into()
        );
    }
    let join = Engine::new(Backend::Cpu)?.self_join(&set, &JoinOptions::default())?;
    let seconds = start.elapsed().as_secs_f64();
    let peak = status("VmHWM")?;
    println!("{}, {} cores, commit {}", processor(), cores(), commit());
    println!(
        "{COUNT} octagons, {} vertices, {} candidate pairs",
        set.vertex_count(),
        join.counts.candidate_pairs
    );
    println!("{} overlap, {} touch, {seconds:.2} s", join.counts.overlapping, join.counts.touching);
    println!("peak {peak:.0} MB, of which the input (rings, a Vec each) {input:.0} MB; limit {LIMIT:.0} MB");
    if peak < LIMIT { Ok(()) } else { Err(format!("peak {peak:.0} MB").into()) }
}

/// Affine images of a regular octagon, uniform in a square, about 6 neighbours each: half axes in 0.3..1 and 0.4..1
/// of that, sheared by up to a half. Deterministic.
fn octagons(count: usize) -> Vec<Vec<[f64; 2]>> {
    let h = 0.5f64.sqrt();
    let regular = [[1.0, 0.0], [h, h], [0.0, 1.0], [-h, h], [-1.0, 0.0], [-h, -h], [0.0, -1.0], [h, -h]];
    let side = (count as f64).sqrt();
    let mut state = 1u64;
    // SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators").
    let mut unit = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count)
        .map(|_| {
            let (x, y) = (side * unit(), side * unit());
            let a = 0.3 + 0.7 * unit();
            let (b, shear) = (a * (0.4 + 0.6 * unit()), unit() - 0.5);
            regular.iter().map(|v| [x + a * v[0] + shear * b * v[1], y + b * v[1]]).collect()
        })
        .collect()
}
