//! Measurements of pairs: both backends must be within the stated bound of f64 results from other methods.

mod distance;
mod join;
mod lined_up;
mod lined_up_chains;
mod lined_up_checks;
mod lined_up_contacts;
mod lined_up_digits;
mod lined_up_joins;
mod lined_up_model;
mod lined_up_samples;
mod lined_up_scenes;
mod manifold;
mod penetration;
mod random_impacts;
mod rational;
mod rounded;
mod shared_walk;
mod swapped;
mod textbook;
mod time_of_impact;

use std::sync::LazyLock;

use sat2d::scenes::Scene;
use sat2d::{Backend, Engine, PolygonSet};

static CPU: LazyLock<Engine> = LazyLock::new(|| Engine::new(Backend::Cpu).unwrap());
static GPU: LazyLock<Engine> =
    LazyLock::new(|| Engine::new(Backend::Gpu).unwrap_or_else(|error| panic!("{error}")));

fn engines() -> [(&'static str, &'static Engine); 2] {
    [("cpu", &CPU), ("gpu", &GPU)]
}

type Ring = Vec<[f64; 2]>;

fn set(rings: &[Ring]) -> PolygonSet {
    PolygonSet::from_convex_rings(rings).unwrap()
}

fn moved(rings: &[Ring], by: [f64; 2]) -> Vec<Ring> {
    rings.iter().map(|ring| ring.iter().map(|v| [v[0] + by[0], v[1] + by[1]]).collect()).collect()
}

/// Returns the index pairs of a set's polygons whose boxes meet.
fn candidates(set: &PolygonSet) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    let boxes = set.piece_aabbs();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if a.min.cmple(b.max).all() && b.min.cmple(a.max).all() {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

/// Returns scenes of random polygons, near the origin and a million away from it.
fn random_scenes() -> Vec<(String, Vec<Ring>)> {
    let scenes = [Scene::Boxes, Scene::Ngons, Scene::BigNgons, Scene::Crowd, Scene::Clustered];
    let mut all: Vec<(String, Vec<Ring>)> =
        scenes.iter().map(|scene| (scene.to_string(), scene.generate(700, 3))).collect();
    for (name, rings) in all.clone() {
        all.push((format!("{name} far away"), moved(&rings, [1e6, -1e6])));
    }
    all
}
