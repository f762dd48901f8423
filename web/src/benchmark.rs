//! Times the relations of the candidate pairs of a generated scene, for the page.

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

/// The result of [`Contest::run`]: the time of each stage in milliseconds, and the relations of the pairs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    pack: f64,
    upload: f64,
    kernel: f64,
    readback: f64,
    exact: f64,
    /// The relation of each pair: 0 for disjoint, 1 for touching, 2 for overlapping.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    relations: js_sys::Uint8Array,
    /// The number of pairs that exact arithmetic decided.
    uncertain: f64,
}

/// The result of [`Contest::verify`], which compares all pairs with exact arithmetic.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Truth {
    touching: f64,
    overlapping: f64,
    /// The number of pairs for which the engine and exact arithmetic disagree.
    disagreeing: f64,
}

#[wasm_bindgen]
impl Contest {
    /// Generates the scene with this name and `count` polygons, and starts an engine on the GPU or on the CPU.
    ///
    /// # Errors
    /// Returns an `Error` if the scene is unknown or the backend is not available.
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

    /// Returns the number of candidate pairs of the scene.
    #[wasm_bindgen(getter, js_name = pairCount)]
    #[must_use]
    pub fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// Returns a description of the GPU adapter, or `None` if the engine is on the CPU.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn adapter(&self) -> Option<String> {
        self.engine.choice().adapter.clone()
    }

    /// Decides the pairs with the indices `begin..end`, up to the last pair. Returns `{ pack, upload, kernel, readback, exact,
    /// relations, uncertain }`: the time of each stage in milliseconds, the relation of each pair, and the number of pairs that
    /// exact arithmetic decided.
    ///
    /// # Errors
    /// Returns an `Error` if the device fails.
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

    /// Joins the polygons with the engine, and compares the relation of every candidate pair with exact arithmetic. Returns
    /// `{ touching, overlapping, disagreeing }`: the numbers of touching pairs, of overlapping pairs and of disagreements.
    ///
    /// # Errors
    /// Returns an `Error` if the device fails.
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
