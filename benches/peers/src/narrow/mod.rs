//! Measures the narrow phase alone: from shapes made beforehand and a given list of pairs, in its order, to one answer
//! per pair.

#[cfg(feature = "box2d")]
pub(crate) mod box2d;
pub(crate) mod geo;
mod lanes;
mod measure;
mod ours;
mod parry;
mod report;
mod sepax;
pub(crate) mod textbook;

use rayon::prelude::*;
use sat2d::scenes::Scene;
use sat2d::{Aabb, Engine, PolygonSet, Relation, broad_phase};

use crate::bars::Verdict;
use crate::expected::{self, Exact};
use crate::machine::{self, version};
use crate::{AnyError, Arguments, Rings, SCENES, chosen};
use report::Report;

/// A method of deciding pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// sat2d's CPU backend, through `Prepared`.
    Sat2d,
    /// parry2d's `intersection_test` of convex polygons, with vertices in world coordinates.
    Parry,
    /// parry2d's `intersection_test` of convex polygons, with vertices relative to each polygon's centre, and a pose that moves
    /// the polygon to its place.
    ParryPosed,
    /// parry2d's `intersection_test` of rotated rectangles.
    ParryCuboid,
    /// Box2D's `b2CollidePolygons`.
    #[cfg(feature = "box2d")]
    Box2dManifold,
    /// Box2D's `b2ShapeDistance`.
    #[cfg(feature = "box2d")]
    Box2dDistance,
    /// geo's `Intersects`, in f64.
    Geo,
    /// sepax2d's `sat_overlap`.
    Sepax,
    /// The separating axis theorem as in textbooks, in f32.
    Textbook,
    /// The separating axis theorem in f32, with eight vertices in a vector register.
    SimdSimple,
}

/// The shapes that a contender has made of the polygons.
pub(crate) trait Shapes {
    /// Decides pairs in the current thread pool. Returns one answer per pair.
    fn answer(&mut self, pairs: &[[u32; 2]]) -> Result<Verdicts, AnyError>;
}

/// The answers of a contender, one per pair.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdicts {
    /// For each pair, whether the two polygons meet.
    Meets(Vec<bool>),
    /// The relation of each pair.
    Relations(Vec<Relation>),
}

/// A list of pairs in one order, and the right answers.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) name: &'static str,
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) truth: Vec<Relation>,
}

impl Contender {
    const ALL: &[Self] = &[
        Self::Sat2d,
        Self::Parry,
        Self::ParryPosed,
        Self::ParryCuboid,
        #[cfg(feature = "box2d")]
        Self::Box2dManifold,
        #[cfg(feature = "box2d")]
        Self::Box2dDistance,
        Self::Geo,
        Self::Sepax,
        Self::Textbook,
        Self::SimdSimple,
    ];

    /// Returns the contender's name on the command line and in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sat2d => "sat2d",
            Self::Parry => "parry",
            Self::ParryPosed => "parry-posed",
            Self::ParryCuboid => "parry-cuboid",
            #[cfg(feature = "box2d")]
            Self::Box2dManifold => "box2d-manifold",
            #[cfg(feature = "box2d")]
            Self::Box2dDistance => "box2d-distance",
            Self::Geo => "geo",
            Self::Sepax => "sepax",
            Self::Textbook => "textbook",
            Self::SimdSimple => "simd-simple",
        }
    }

    /// Returns the contender's crate, the version of the crate, and the function that the contender calls.
    pub(crate) fn description(self) -> String {
        let of = |package: &str, what: &str| format!("{package} {}, {what}", version(package));
        match self {
            Self::Sat2d => of("sat2d", "Engine::prepare and the query Relations, CPU backend"),
            Self::Parry => of("parry2d", "intersection_test, vertices in the world"),
            Self::ParryPosed => of("parry2d", "intersection_test, vertices about the centre, and a pose"),
            Self::ParryCuboid => {
                of("parry2d", "intersection_test of Cuboids, half extents and a pose, rounded")
            }
            #[cfg(feature = "box2d")]
            Self::Box2dManifold => of("boxdd-sys", &box2d::says("b2CollidePolygons: a point at or below 0")),
            #[cfg(feature = "box2d")]
            Self::Box2dDistance => of("boxdd-sys", &box2d::says("b2ShapeDistance: a distance of 0")),
            Self::Geo => of("geo", "Intersects of Polygon<f64>"),
            Self::Sepax => of("sepax2d", "sat_overlap"),
            Self::Textbook => "all edge normals, both projected, f32, early out; a yardstick, no peer".into(),
            Self::SimdSimple => {
                "each edge against 8 vertices in lanes, f32, nothing precomputed; a yardstick, no peer".into()
            }
        }
    }

    /// Returns whether sat2d is compared with this contender as a peer. The other contenders are only for reference.
    pub(crate) fn is_peer(self) -> bool {
        !matches!(self, Self::Sat2d | Self::Textbook | Self::SimdSimple)
    }

    /// Returns whether the contender supports a scene. parry2d in world coordinates rejects slivers that f32 makes
    /// flat. Cuboids must be rectangles. Box2D has polygons of up to 8 vertices only.
    fn runs_on(self, scene: Scene) -> bool {
        match self {
            Self::Parry => scene != Scene::NearTouching,
            Self::ParryCuboid => scene == Scene::Boxes,
            #[cfg(feature = "box2d")]
            Self::Box2dManifold | Self::Box2dDistance => scene != Scene::BigNgons,
            _ => true,
        }
    }

    /// Makes the contender's shapes of the polygons. `set` has the polygons of `rings`.
    fn shapes<'a>(
        self,
        rings: &Rings,
        engine: &'a Engine,
        set: &'a PolygonSet,
    ) -> Result<Box<dyn Shapes + 'a>, AnyError> {
        Ok(match self {
            Self::Sat2d => Box::new(ours::Ours::new(engine, set)?),
            Self::Parry => Box::new(parry::in_the_world(rings)?),
            Self::ParryPosed => Box::new(parry::about_the_centre(rings)?),
            Self::ParryCuboid => Box::new(parry::cuboids(rings)?),
            #[cfg(feature = "box2d")]
            Self::Box2dManifold => Box::new(box2d::manifold(rings)?),
            #[cfg(feature = "box2d")]
            Self::Box2dDistance => Box::new(box2d::distance(rings)?),
            Self::Geo => Box::new(geo::shapes(rings)?),
            Self::Sepax => Box::new(sepax::shapes(rings)?),
            Self::Textbook => Box::new(textbook::Textbook::new(rings)),
            Self::SimdSimple => Box::new(lanes::Lanes::new(rings)),
        })
    }
}

/// Measures all contenders on every scene, every number of polygons and every number of threads.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let contenders = chosen(&arguments.contender, Contender::ALL, |c| c.name())?;
    let mut report = Report::new(arguments.seed, arguments.repeats);
    report.print_head();
    let counts = arguments.count.clone().unwrap_or_else(|| vec![100_000, 1_000_000]);
    for count in counts {
        for scene in arguments.scenes(&SCENES) {
            let rings = scene.generate(count, arguments.seed);
            let exact = expected::exact_answer(&rings)?;
            let stored = expected::stored(scene, count, arguments.seed);
            let orders = orders(&rings, &exact)?;
            report.begin_scene(scene, count, &exact.expected, stored);
            let contenders: Vec<_> = contenders.iter().copied().filter(|c| c.runs_on(scene)).collect();
            for threads in arguments.thread_counts() {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
                let trials =
                    pool.install(|| measure::alternate(arguments.repeats, &contenders, &rings, &orders))?;
                report.add(threads, &trials, &orders);
            }
        }
    }
    report.print_foot();
    machine::write_json(arguments.json.as_deref(), &report)?;
    Ok(report.verdict())
}

/// Returns the candidate pairs of the scene in two orders: sorted by the caller's indices, which are random in space,
/// and in the order of the broad phase, in which neighbours are close together.
pub(crate) fn orders(rings: &Rings, exact: &Exact) -> Result<[Order; 2], AnyError> {
    let boxes: Vec<Aabb> = PolygonSet::from_convex_rings(rings)?.piece_aabbs();
    let mut candidates = broad_phase::self_join(&boxes, None)?;
    let mut spatial = Vec::new();
    candidates.next_chunk(usize::MAX, &mut spatial);
    let mut random = spatial.clone();
    random.par_sort_unstable();
    let truth = |pairs: &[[u32; 2]]| {
        let relation = |&[a, b]: &[u32; 2]| {
            let found = exact.pairs.binary_search_by_key(&(a, b), |pair| (pair.a, pair.b));
            found.map_or(Relation::Disjoint, |index| exact.pairs[index].relation)
        };
        pairs.par_iter().map(relation).collect()
    };
    Ok([("random", random), ("spatial", spatial)].map(|(name, pairs)| Order {
        name,
        truth: truth(&pairs),
        pairs,
    }))
}

/// Returns one answer per pair, from a function of two indices.
fn decide(pairs: &[[u32; 2]], meets: impl Fn(u32, u32) -> bool + Sync) -> Verdicts {
    let meets = |&[a, b]: &[u32; 2]| meets(a, b);
    Verdicts::Meets(if rayon::current_num_threads() > 1 {
        pairs.par_iter().with_min_len(1024).map(meets).collect()
    } else {
        pairs.iter().map(meets).collect()
    })
}

/// A contender with one shape per polygon: the shapes, and a function that decides whether two shapes meet.
#[derive(Debug)]
struct Each<S, F> {
    shapes: Vec<S>,
    meets: F,
}

impl<S: Send, F> Each<S, F> {
    /// Makes one shape per ring. Returns an error if a ring has no shape.
    fn new(
        rings: &Rings,
        shape: impl Fn(&[[f64; 2]]) -> Option<S> + Sync,
        meets: F,
    ) -> Result<Self, AnyError> {
        let shape = |ring: &Vec<[f64; 2]>| shape(ring).ok_or("a contender refuses a polygon");
        let shapes = if rayon::current_num_threads() > 1 {
            rings.par_iter().map(shape).collect::<Result<_, _>>()
        } else {
            rings.iter().map(shape).collect::<Result<_, _>>()
        };
        Ok(Self { shapes: shapes?, meets })
    }
}

impl<S: Sync, F: Fn(&S, &S) -> bool + Sync> Shapes for Each<S, F> {
    fn answer(&mut self, pairs: &[[u32; 2]]) -> Result<Verdicts, AnyError> {
        let Self { shapes, meets } = self;
        Ok(decide(pairs, |a, b| meets(&shapes[a as usize], &shapes[b as usize])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a rectangle with half sides (x, y) about a point, rotated by the angle whose tangent is 3/4.
    fn rectangle(half: [f64; 2], place: [f64; 2]) -> Vec<[f64; 2]> {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let turned = |[x, y]: [f64; 2]| [place[0] + 0.8 * x - 0.6 * y, place[1] + 0.6 * x + 0.8 * y];
        corners.iter().map(|c| turned([half[0] * c[0], half[1] * c[1]])).collect()
    }

    #[test]
    fn every_contender_answers_clear_cases() -> Result<(), AnyError> {
        let rings = [
            rectangle([2.0, 0.5], [0.0, 0.0]),
            // This rectangle is inside the first rectangle.
            rectangle([0.5, 0.25], [0.4, 0.3]),
            // This rectangle crosses the end of the first rectangle.
            rectangle([0.5, 1.0], [1.6, 1.2]),
            // This rectangle is beside the first rectangle. The boxes of the two meet.
            rectangle([2.0, 0.5], [-0.9, 1.2]),
            rectangle([1.0, 1.0], [100.0, 50.0]),
        ];
        let pairs = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [0, 3], [3, 0], [3, 1], [4, 0], [3, 4]];
        let right = [true, true, true, true, false, false, false, false, false, false];
        let (engine, set) = (Engine::new(sat2d::Backend::Cpu)?, PolygonSet::from_convex_rings(&rings)?);
        for &contender in Contender::ALL {
            let meets = match contender.shapes(&rings, &engine, &set)?.answer(&pairs)? {
                Verdicts::Meets(meets) => meets,
                Verdicts::Relations(r) => r.iter().map(|&r| r == Relation::Overlapping).collect(),
            };
            assert_eq!(meets, right, "{}", contender.name());
        }
        Ok(())
    }

    #[test]
    fn orders_hold_the_same_pairs_and_the_truth() -> Result<(), AnyError> {
        let rings = Scene::Crowd.generate(500, 3);
        let exact = expected::exact_answer(&rings)?;
        let [random, spatial] = orders(&rings, &exact)?;
        assert!(random.pairs.is_sorted() && !spatial.pairs.is_sorted());
        assert_eq!(random.pairs.len() as u64, exact.expected.candidates);
        for order in [&random, &spatial] {
            let of = |relation| order.truth.iter().filter(|&&r| r == relation).count() as u64;
            assert_eq!(of(Relation::Overlapping), exact.expected.overlapping);
            assert_eq!(of(Relation::Disjoint), exact.expected.disjoint);
        }
        let mut both: Vec<_> = spatial.pairs.iter().zip(&spatial.truth).collect();
        both.sort_unstable();
        assert!(both.into_iter().eq(random.pairs.iter().zip(&random.truth)));
        Ok(())
    }
}
