//! The whole self-join, from rings in memory to sorted pairs in memory. Each contender has its own file.

mod measure;
mod mixed;
pub(crate) mod ours;
mod packed_sat;
pub(crate) mod parry;
mod report;
pub(crate) mod rstar_geo;
mod rstar_sat;
mod sepax;

use sat2d::scenes::Scene;
use sat2d::{RelatedPair, Relation};

use crate::bars::Verdict;
use crate::machine::version;
use crate::measure::Stages;
use crate::{AnyError, Arguments, Rings, SCENES, chosen, expected, machine};
use mixed::Tree;
use report::{Outcome, Report};

/// A way to join a set of convex polygons with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// sat2d's CPU backend.
    Sat2d,
    /// A traversal of parry2d's BVH with itself, then `intersection_test` of polygons in world coordinates.
    Parry,
    /// A traversal of parry2d's BVH with itself, then `intersection_test` of polygons whose vertices are relative to their
    /// centres. A pose moves each polygon to its place.
    ParryPosed,
    /// A traversal of parry2d's BVH with itself, then `intersection_test` of rotated rectangles.
    ParryCuboid,
    /// rstar's R*-tree and geo's `Intersects`, in f64.
    RstarGeo,
    /// rstar's R*-tree, and a textbook test by the separating axis theorem in f32.
    RstarSat,
    /// packed_spatial_index's tree, and the same test as `RstarSat`.
    PackedSat,
    /// parry2d's BVH and sepax2d's `sat_overlap`.
    Sepax,
    /// The tree of one peer, and the fastest test of any peer.
    Mixed(Tree),
}

/// The answer of a contender.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The pairs, sorted. If a contender returns no relations, every meeting pair counts as overlapping.
    pub(crate) pairs: Vec<RelatedPair>,
    pub(crate) has_relations: bool,
    /// The number of candidate pairs that were tested.
    pub(crate) candidates: u64,
    pub(crate) stages: Stages,
}

impl Contender {
    const ALL: &[Self] = &[
        Self::Sat2d,
        Self::Parry,
        Self::ParryPosed,
        Self::ParryCuboid,
        Self::RstarGeo,
        Self::RstarSat,
        Self::PackedSat,
        Self::Sepax,
        Self::Mixed(Tree::Parry),
        Self::Mixed(Tree::Rstar),
        Self::Mixed(Tree::GeoIndex),
        Self::Mixed(Tree::PackedSpatialIndex),
    ];

    /// Returns the contender's name on the command line and in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sat2d => "sat2d",
            Self::Parry => "parry",
            Self::ParryPosed => "parry-posed",
            Self::ParryCuboid => "parry-cuboid",
            Self::RstarGeo => "rstar-geo",
            Self::RstarSat => "rstar-sat",
            Self::PackedSat => "packed-sat",
            Self::Sepax => "sepax",
            Self::Mixed(Tree::Parry) => "parry-mixed",
            Self::Mixed(Tree::Rstar) => "rstar-mixed",
            Self::Mixed(Tree::GeoIndex) => "geo-index-mixed",
            Self::Mixed(Tree::PackedSpatialIndex) => "packed-mixed",
        }
    }

    /// Returns the names of the contender's crates, with their versions.
    pub(crate) fn description(self) -> String {
        match self {
            Self::Sat2d => format!("sat2d {} (CPU backend)", version("sat2d")),
            Self::Parry => format!("parry2d {} (vertices in the world)", version("parry2d")),
            Self::ParryPosed => {
                format!("parry2d {} (vertices about the centre, and a pose)", version("parry2d"))
            }
            Self::ParryCuboid => {
                format!("parry2d {} (Cuboids: half extents and a pose, rounded)", version("parry2d"))
            }
            Self::RstarSat => format!("rstar {} + a textbook SAT in f32", version("rstar")),
            Self::PackedSat => {
                format!("packed_spatial_index {} + a textbook SAT in f32", version("packed_spatial_index"))
            }
            Self::RstarGeo => format!("rstar {} + geo {}", version("rstar"), version("geo")),
            Self::Sepax => format!("parry2d {} BVH + sepax2d {}", version("parry2d"), version("sepax2d")),
            Self::Mixed(tree) => mixed::description(tree),
        }
    }

    /// Returns whether the contender supports a scene and a number of threads. [`Self::RstarGeo`] runs on one thread only.
    /// [`Self::Parry`] rejects slivers that the rounding of world coordinates to f32 makes flat, so it does not support
    /// [`Scene::NearTouching`]. The shapes of [`Self::ParryCuboid`] are rectangles, so it supports only [`Scene::Boxes`].
    fn runs_on(self, scene: Scene, threads: usize) -> bool {
        match self {
            Self::RstarGeo => threads == 1,
            Self::Parry => scene != Scene::NearTouching,
            Self::ParryCuboid => scene == Scene::Boxes,
            _ => true,
        }
    }

    /// Runs the whole self-join in the current thread pool.
    pub(crate) fn join(self, scene: Scene, rings: &Rings) -> Result<Answer, AnyError> {
        match self {
            Self::Sat2d => ours::join(rings),
            Self::Parry => parry::join(rings, parry::in_the_world),
            Self::ParryPosed => parry::join(rings, parry::about_the_centre),
            Self::ParryCuboid => parry::join(rings, parry::cuboid),
            Self::RstarSat => Ok(rstar_sat::join(rings)),
            Self::PackedSat => Ok(packed_sat::join(rings)),
            Self::RstarGeo => Ok(rstar_geo::join(rings)),
            Self::Sepax => Ok(sepax::join(rings)),
            Self::Mixed(tree) => mixed::join(tree, scene, rings),
        }
    }
}

/// Measures every scene, size and number of threads.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let contenders = chosen(&arguments.contender, Contender::ALL, |c| c.name())?;
    let mut report = Report::new(arguments.seed, arguments.repeats);
    report.print_head();
    let counts = arguments.count.clone().unwrap_or_else(|| vec![100_000]);
    for count in counts {
        for scene in arguments.scenes(&SCENES) {
            let rings = scene.generate(count, arguments.seed);
            let exact = expected::exact_answer(&rings)?;
            let stored = expected::stored(scene, count, arguments.seed);
            for threads in arguments.thread_counts() {
                let runs_on = |contender: &Contender| contender.runs_on(scene, threads);
                let contenders: Vec<_> = contenders.iter().copied().filter(runs_on).collect();
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
                let trials =
                    pool.install(|| measure::alternate(arguments.repeats, &contenders, scene, &rings))?;
                let outcomes: Vec<Outcome> = trials.iter().map(|trial| Outcome::of(trial, &exact)).collect();
                report.add(scene, count, threads, &exact.expected, stored, outcomes);
            }
        }
    }
    report.print_foot();
    machine::write_json(arguments.json.as_deref(), &report)?;
    Ok(report.verdict())
}

/// Returns a meeting pair of a contender that does not distinguish touching from overlapping pairs.
fn meeting(a: u32, b: u32) -> RelatedPair {
    RelatedPair { a: a.min(b), b: a.max(b), relation: Relation::Overlapping }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_finds_the_pairs() -> Result<(), AnyError> {
        for scene in [Scene::Boxes, Scene::Ngons, Scene::Crowd, Scene::BigNgons] {
            let rings = scene.generate(2_000, 1);
            let exact = expected::exact_answer(&rings)?;
            let right: Vec<_> = exact.pairs.iter().map(|pair| (pair.a, pair.b)).collect();
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
                for &contender in Contender::ALL.iter().filter(|c| c.runs_on(scene, threads)) {
                    let answer = pool.install(|| contender.join(scene, &rings))?;
                    let found: Vec<_> = answer.pairs.iter().map(|pair| (pair.a, pair.b)).collect();
                    assert!(found.is_sorted_by(|p, q| p < q), "{}", contender.name());
                    let same = found.iter().filter(|pair| right.binary_search(pair).is_ok()).count();
                    // The comparison counts wrong answers, because contenders that compute in f32 decide a few pairs wrongly.
                    let wrong = right.len() + found.len() - 2 * same;
                    assert!(wrong <= 3, "{scene}, {}: {wrong} wrong", contender.name());
                    assert_eq!(answer.candidates, exact.expected.candidates, "{}", contender.name());
                }
            }
        }
        Ok(())
    }
}
