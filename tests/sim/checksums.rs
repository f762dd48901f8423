//! A world on the CPU has the same checksum on every machine: the checksums in `tests/data/world-checksums.csv`, which the tests
//! of the page compare with those of WebAssembly.

use std::fmt::Write;

use sat2d::sim::{BodyId, SimScene};

const FILE: &str = include_str!("../data/world-checksums.csv");
const HEADER: &str = "scene,count,seed,steps,checksum";

/// Scene, number of bodies, seed and steps.
const WORLDS: [(SimScene, usize, u64, u64); 5] = [
    (SimScene::Pile, 300, 1, 240),
    (SimScene::Crowd, 200, 1, 120),
    (SimScene::Funnel, 300, 2, 240),
    (SimScene::Hail, 200, 3, 120),
    (SimScene::Billiards, 200, 4, 240),
];

#[test]
fn checksums_are_those_of_every_machine() {
    let mut found = String::from(HEADER);
    for (scene, count, seed, steps) in WORLDS {
        let description = scene.describe(count, seed);
        let mut world = description.build().unwrap();
        let ids: Vec<BodyId> = world.bodies().collect();
        for step in 0..steps {
            // As the page does it.
            if step % 10 == 0 {
                description.steer(&mut world, &ids).unwrap();
            }
            world.step(description.dt).unwrap();
        }
        let checksum = world.checksum().unwrap();
        write!(found, "\n{},{count},{seed},{steps},{checksum:016x}", scene.name()).unwrap();
    }
    assert!(
        found == FILE.trim_end(),
        "worlds go on differently. If a change of the solver is meant, the new checksums are:\n{found}"
    );
}
