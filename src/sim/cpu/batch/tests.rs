//! Tests that batches compute the same touches as single pairs.

use super::super::super::{SimScene, StepTimes};
use super::super::{CpuWorld, Step, Update, scene};
use super::*;
use crate::simd::vectorised_alike;

/// A task that computes its touches pair by pair, without batches.
struct OneByOne<'a>(Task<'a>);

impl Vectorised for OneByOne<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: Instructions>(mut self, i: I) -> u64 {
        let (list, length) = self.0.meeting();
        list[..length].iter().for_each(|&k| self.0.one(i, k as usize));
        length as u64
    }
}

/// Asserts that batches and single pairs give the same touches in the step after the first `steps` steps of a scene.
/// Returns the number of points of each touch.
fn compare(kind: SimScene, steps: usize) -> Vec<u8> {
    let description = kind.describe(400, 5);
    let mut world = description.build().expect("a world");
    let mut cpu = CpuWorld::default();
    let dt = description.dt as f32;
    let (shapes, grid, options) = (&world.shapes, &world.grid, &world.options);
    let step = Step { shapes, grid, options, dt };
    for _ in 0..steps {
        cpu.step(&mut world.bodies, step, &mut StepTimes::default()).expect("a step");
    }
    let placing = step.placing(world.bodies.pushes);
    match cpu.place(&world.bodies, placing).expect("places") {
        Update::Same => {}
        Update::More => cpu.touches.grow(cpu.pairs.near.len()),
        Update::Anew => cpu.touches.follow(&cpu.pairs.near),
    }
    let scene = Scene { seams: Some(&cpu.seams), ..scene(&cpu.placed, &world.bodies, placing) };
    let run = |in_batches: bool| {
        let (mut all, mut counts) = (cpu.touches.all.clone(), cpu.touches.counts.clone());
        let mut found = Vec::new();
        let chunks = all.chunks_mut(TASK).zip(counts.chunks_mut(TASK));
        for (pairs, (touches, counts)) in cpu.pairs.near.chunks(TASK).zip(chunks) {
            let task = Task { scene, pairs, touches: &mut *touches, counts: &mut *counts };
            let candidates =
                if in_batches { vectorised_alike(task) } else { vectorised_alike(OneByOne(task)) };
            found.push((candidates, counts.to_vec(), Vec::new()));
            for (&count, touch) in counts.iter().zip(touches).filter(|(count, _)| **count > 0) {
                let points = &touch.points[..count as usize];
                let bits = points.iter().flat_map(|point| {
                    let [a, b] = [point.arm_a, point.arm_b];
                    [a[0], a[1], b[0], b[1], point.separation, point.normal_impulse, point.tangent_impulse]
                });
                let bits = bits.chain(touch.normal).chain([touch.separation]).map(f32::to_bits);
                let features = points.iter().map(|point| point.feature);
                let last = found.last_mut().expect("a task");
                last.2.push((touch.bodies, bits.chain(features).collect::<Vec<u32>>()));
            }
        }
        found
    };
    let found = run(true);
    assert_eq!(found, run(false), "{}", kind.name());
    found.into_iter().flat_map(|(_, counts, _)| counts).collect()
}

#[test]
fn batches_compute_the_touches_of_single_pairs() {
    for kind in SimScene::ALL {
        for steps in [10, 60, 160] {
            let counts = compare(kind, steps);
            let count = |points: u8| counts.iter().filter(|&&count| count == points).count();
            // The settled pile has many contacts of each kind.
            assert!(kind != SimScene::Pile || steps < 160 || count(1).min(count(2)) > 100);
        }
    }
}
