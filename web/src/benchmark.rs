//! What the page times: relations of the candidate pairs of a generated scene.

use sat2d::scenes::Scene;
use sat2d::{Backend, Engine, PolygonSet, Relation, Relations, broad_phase};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::answer::{Answer, Failure, plain};

/// A scene, its candidate pairs and an engine.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Contest {
    set: PolygonSet,
    pairs: Vec<[u32; 2]>,
    engine: Engine,
}

/// What a run took, in milliseconds, and what it answered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    pack: f64,
    upload: f64,
    kernel: f64,
    readback: f64,
    exact: f64,
    /// One a pair: 0 disjoint, 1 touching, 2 overlapping.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    relations: js_sys::Uint8Array,
    uncertain: f64,
}

/// What exact arithmetic alone says of all pairs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Truth {
    touching: f64,
    overlapping: f64,
    /// Pairs of which the backend and exact arithmetic say otherwise.
    disagreeing: f64,
}

#[wasm_bindgen]
impl Contest {
    /// The scene of this name with `count` polygons, made ready on the GPU or on the CPU.
    ///
    /// # Errors
    /// An `Error` for an unknown scene, and where there is no such backend.
    pub async fn create(scene: String, count: usize, seed: u32, gpu: bool) -> Answer<Contest> {
        Self::of(&scene, count, seed.into(), if gpu { Backend::Gpu } else { Backend::Cpu })
            .await
            .map_err(Failure::from)
    }

    async fn of(scene: &str, count: usize, seed: u64, backend: Backend) -> sat2d::Result<Self> {
        let scene: Scene = scene.parse()?;
        let set = PolygonSet::from_convex_rings(&scene.generate(count, seed))?;
        let pairs = broad_phase::self_join(&set.piece_aabbs(), None)?.sorted();
        Ok(Self { set, pairs, engine: Engine::new_async(backend).await? })
    }

    /// Candidate pairs of the scene.
    #[wasm_bindgen(getter, js_name = pairCount)]
    #[must_use]
    pub fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// What the engine runs on, in words.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn adapter(&self) -> Option<String> {
        self.engine.choice().adapter.clone()
    }

    /// Decides the pairs from `begin` to before `end`, from polygons in the caller's form to relations in the caller's memory.
    ///
    /// # Errors
    /// An `Error` where the device fails.
    pub async fn run(&self, begin: usize, end: usize) -> Answer<JsValue> {
        let end = end.min(self.pairs.len());
        let pairs = &self.pairs[begin.min(end)..end];
        let found = self
            .engine
            .piece_pairs(&self.set, &self.set, pairs)
            .query_async(Relations)
            .await
            .map_err(Failure::from)?;
        let ms = |time: std::time::Duration| 1e3 * time.as_secs_f64();
        let codes: Vec<u8> = found.items.iter().map(|&relation| relation as u8).collect();
        plain(&Run {
            pack: ms(found.timings.pack),
            upload: ms(found.timings.upload),
            kernel: ms(found.timings.kernel),
            readback: ms(found.timings.readback),
            exact: ms(found.timings.exact),
            relations: codes.as_slice().into(),
            uncertain: found.counts.uncertain as f64,
        })
    }

    /// All pairs by the engine and by exact arithmetic alone.
    ///
    /// # Errors
    /// An `Error` where the device fails.
    pub async fn verify(&self) -> Answer<JsValue> {
        let join =
            self.engine.self_join(&self.set).check().query_async(Relations).await.map_err(Failure::from)?;
        let count = |relation| join.iter().filter(|pair| pair.relation == relation).count() as f64;
        plain(&Truth {
            touching: count(Relation::Touching),
            overlapping: count(Relation::Overlapping),
            disagreeing: join.check.map_or(f64::NAN, |check| check.disagreement_count() as f64),
        })
    }
}
