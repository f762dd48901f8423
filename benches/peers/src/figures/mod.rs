//! Measures given pairs with one thread: penetrations, contact manifolds and distances. The shapes are made beforehand.
//! Every answer is compared with the result in f64.

#[cfg(feature = "box2d")]
mod box2d;
mod geo;
#[cfg(test)]
mod integers;
mod measure;
mod ours;
mod parry;
mod report;
#[cfg(test)]
mod tests;
pub(crate) mod truth;

use sat2d::scenes::Scene;
use sat2d::{Engine, PolygonSet};

use crate::bars::Verdict;
use crate::expected;
use crate::machine::{self, version};
use crate::{APART, AnyError, Arguments, Rings, chosen, narrow};
use report::Report;
use truth::Truth;

/// The measurement that a contender makes of each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// The depth of the overlap and the normal.
    Penetration,
    /// The points of contact.
    Manifold,
    /// The Euclidean distance between the two polygons.
    Distance,
}

/// A function of sat2d or of a peer that measures pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    Penetrations,
    Manifolds,
    Distances,
    ParryContact,
    ParryContactPosed,
    ParryContactCuboid,
    ParryManifold,
    ParryManifoldCuboid,
    ParryDistance,
    ParryDistancePosed,
    ParryDistanceCuboid,
    ParryClosest,
    #[cfg(feature = "box2d")]
    Box2dCollide,
    #[cfg(feature = "box2d")]
    Box2dDistance,
    GeoDistance,
}

/// The shapes that a contender has made of the polygons.
pub(crate) trait Shapes {
    /// Measures the pairs of polygons `pairs`. Returns one answer per pair.
    fn measure(&mut self, pairs: &[[u32; 2]]) -> Result<Box<dyn Found>, AnyError>;
}

/// The answers of one run, in the form of the contender.
pub(crate) trait Found {
    /// Returns the measured value of the pair at an index of the list: the separation, which is negative if the polygons
    /// overlap, or the distance. Returns `None` if the contender finds no contact.
    fn value(&self, at: usize) -> Option<f64>;
}

/// A list of pairs in one order, and their true values, which are computed in f64.
#[derive(Debug)]
struct Order {
    name: &'static str,
    pairs: Vec<[u32; 2]>,
    truth: Vec<Truth>,
}

/// The greatest distance between two polygons that get contact points. It is the distance that Box2D uses, which cannot be
/// changed.
pub(crate) const MARGIN: f64 = 0.02;

impl Contender {
    pub(crate) const ALL: &[Self] = &[
        Self::Penetrations,
        Self::Manifolds,
        Self::ParryContact,
        Self::ParryContactPosed,
        Self::ParryContactCuboid,
        Self::ParryManifold,
        Self::ParryManifoldCuboid,
        #[cfg(feature = "box2d")]
        Self::Box2dCollide,
        Self::Distances,
        Self::ParryDistance,
        Self::ParryDistancePosed,
        Self::ParryDistanceCuboid,
        Self::ParryClosest,
        #[cfg(feature = "box2d")]
        Self::Box2dDistance,
        Self::GeoDistance,
    ];

    /// Returns the contender's name on the command line and in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Penetrations => "sat2d-penetrations",
            Self::Manifolds => "sat2d-manifolds",
            Self::Distances => "sat2d-distances",
            Self::ParryContact => "parry-contact",
            Self::ParryContactPosed => "parry-contact-posed",
            Self::ParryContactCuboid => "parry-contact-cuboid",
            Self::ParryManifold => "parry-manifold",
            Self::ParryManifoldCuboid => "parry-manifold-cuboid",
            Self::ParryDistance => "parry-distance",
            Self::ParryDistancePosed => "parry-distance-posed",
            Self::ParryDistanceCuboid => "parry-distance-cuboid",
            Self::ParryClosest => "parry-closest-points",
            #[cfg(feature = "box2d")]
            Self::Box2dCollide => "box2d-collide",
            #[cfg(feature = "box2d")]
            Self::Box2dDistance => "box2d-distance",
            Self::GeoDistance => "geo-distance",
        }
    }

    /// Returns the contender's crate, the version of the crate, and the function or query that the contender measures.
    fn description(self) -> String {
        let of = |package: &str, what: &str| format!("{package} {}, {what}", version(package));
        match self {
            Self::Penetrations => of("sat2d", "prepared sets and the query Penetrations, CPU backend"),
            Self::Manifolds => {
                of("sat2d", &format!("prepared sets and the query Manifolds, CPU backend, margin {MARGIN}"))
            }
            Self::Distances => {
                of("sat2d", "prepared sets and the query Distances, CPU backend: closest points included")
            }
            Self::ParryContact => of("parry2d", "contact, vertices in the world, prediction 0"),
            Self::ParryContactPosed => of("parry2d", "the same, vertices about the centre, and a pose"),
            Self::ParryContactCuboid => of("parry2d", "the same of Cuboids and a pose, rounded"),
            Self::ParryManifold => {
                of("parry2d", &format!("contact_manifolds, prediction {MARGIN}, made anew"))
            }
            Self::ParryManifoldCuboid => of("parry2d", "the same of Cuboids and a pose, rounded"),
            Self::ParryDistance => of("parry2d", "distance, vertices in the world"),
            Self::ParryDistancePosed => of("parry2d", "the same, vertices about the centre, and a pose"),
            Self::ParryDistanceCuboid => of("parry2d", "the same of Cuboids and a pose, rounded"),
            Self::ParryClosest => of("parry2d", "closest_points, vertices about the centre, and a pose"),
            #[cfg(feature = "box2d")]
            Self::Box2dCollide => of("boxdd-sys", &narrow::box2d::says("b2CollidePolygons")),
            #[cfg(feature = "box2d")]
            Self::Box2dDistance => of("boxdd-sys", &narrow::box2d::says("b2ShapeDistance")),
            Self::GeoDistance => of("geo", "Euclidean distance of Polygon<f64>"),
        }
    }

    pub(crate) fn is_ours(self) -> bool {
        matches!(self, Self::Penetrations | Self::Manifolds | Self::Distances)
    }

    pub(crate) fn question(self) -> Question {
        match self {
            Self::Penetrations | Self::ParryContact | Self::ParryContactPosed | Self::ParryContactCuboid => {
                Question::Penetration
            }
            Self::Manifolds | Self::ParryManifold | Self::ParryManifoldCuboid => Question::Manifold,
            #[cfg(feature = "box2d")]
            Self::Box2dCollide => Question::Manifold,
            #[cfg(feature = "box2d")]
            Self::Box2dDistance => Question::Distance,
            _ => Question::Distance,
        }
    }

    /// Returns the smallest accepted ratio of sat2d's speed to this contender's speed, or `None` if there is no bound.
    fn bound(self, question: Question) -> Option<f64> {
        use Question::{Distance, Manifold, Penetration};
        match (self, question) {
            (
                Self::ParryContact | Self::ParryContactPosed | Self::ParryContactCuboid,
                Penetration | Manifold,
            ) => Some(3.0),
            #[cfg(feature = "box2d")]
            (Self::Box2dCollide, Penetration | Manifold) => Some(1.5),
            #[cfg(feature = "box2d")]
            (Self::Box2dDistance, Distance) => Some(2.0),
            (
                Self::ParryDistance
                | Self::ParryDistancePosed
                | Self::ParryDistanceCuboid
                | Self::ParryClosest,
                Distance,
            ) => Some(2.0),
            _ => None,
        }
    }

    /// Returns whether the contender supports a scene. Cuboids must be rectangles, and Box2D has polygons of up to 8
    /// vertices only.
    fn runs_on(self, scene: Scene) -> bool {
        match self {
            Self::ParryContactCuboid | Self::ParryManifoldCuboid | Self::ParryDistanceCuboid => {
                scene == Scene::Boxes
            }
            #[cfg(feature = "box2d")]
            Self::Box2dCollide | Self::Box2dDistance => scene != Scene::BigNgons,
            _ => true,
        }
    }

    /// Makes the contender's shapes of the polygons. `set` has the polygons of `rings`.
    pub(crate) fn shapes<'a>(
        self,
        rings: &Rings,
        engine: &'a Engine,
        set: &'a PolygonSet,
    ) -> Result<Box<dyn Shapes + 'a>, AnyError> {
        Ok(match self {
            Self::Penetrations | Self::Manifolds | Self::Distances => {
                Box::new(ours::Ours::new(engine, set, self.question())?)
            }
            Self::ParryContact => Box::new(parry::contact_in_the_world(rings)?),
            Self::ParryContactPosed => Box::new(parry::contact_about_the_centre(rings)?),
            Self::ParryContactCuboid => Box::new(parry::contact_of_cuboids(rings)?),
            Self::ParryManifold => Box::new(parry::manifold_about_the_centre(rings)?),
            Self::ParryManifoldCuboid => Box::new(parry::manifold_of_cuboids(rings)?),
            Self::ParryDistance => Box::new(parry::distance_in_the_world(rings)?),
            Self::ParryDistancePosed => Box::new(parry::distance_about_the_centre(rings)?),
            Self::ParryDistanceCuboid => Box::new(parry::distance_of_cuboids(rings)?),
            Self::ParryClosest => Box::new(parry::closest_points(rings)?),
            #[cfg(feature = "box2d")]
            Self::Box2dCollide => Box::new(box2d::collide(rings)?),
            #[cfg(feature = "box2d")]
            Self::Box2dDistance => Box::new(box2d::distance(rings)?),
            Self::GeoDistance => Box::new(geo::distance(rings)?),
        })
    }
}

/// Measures all contenders on every scene and every number of polygons.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let contenders = chosen(&arguments.contender, Contender::ALL, |c| c.name())?;
    let mut report = Report::new(arguments.seed, arguments.repeats);
    report.print_head();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for count in arguments.count.clone().unwrap_or_else(|| vec![100_000]) {
        for scene in arguments.scenes(APART) {
            let rings = scene.generate(count, arguments.seed);
            let exact = expected::exact_answer(&rings)?;
            let stored = expected::stored(scene, count, arguments.seed);
            let orders = narrow::orders(&rings, &exact)?.map(|order| Order {
                name: order.name,
                truth: truth::of_pairs(&rings, &order.pairs, &order.truth),
                pairs: order.pairs,
            });
            report.begin_scene(scene, count, &exact.expected, stored);
            let contenders: Vec<_> = contenders.iter().copied().filter(|c| c.runs_on(scene)).collect();
            let trials =
                pool.install(|| measure::alternate(arguments.repeats, &contenders, &rings, &orders))?;
            report.add(trials);
        }
    }
    report.print_foot();
    machine::write_json(arguments.json.as_deref(), &report)?;
    Ok(report.verdict())
}

/// A contender with one shape per polygon: the shapes, a function that measures two shapes, and a function that interprets the
/// result.
#[derive(Debug)]
struct Each<S, M, V> {
    shapes: Vec<S>,
    measure: M,
    value: V,
}

impl<S, T, M, V> Each<S, M, V>
where
    M: Fn(&S, &S) -> T,
    V: Fn(&T) -> Option<f64> + Copy + 'static,
{
    /// Makes one shape per ring. Returns an error if a ring has no shape.
    fn new(
        rings: &Rings,
        shape: impl Fn(&[[f64; 2]]) -> Option<S>,
        measure: M,
        value: V,
    ) -> Result<Self, AnyError> {
        let shape = |ring: &Vec<[f64; 2]>| shape(ring).ok_or("a contender refuses a polygon");
        Ok(Self { shapes: rings.iter().map(shape).collect::<Result<_, _>>()?, measure, value })
    }
}

impl<S, T: 'static, M, V> Shapes for Each<S, M, V>
where
    M: Fn(&S, &S) -> T,
    V: Fn(&T) -> Option<f64> + Copy + 'static,
{
    fn measure(&mut self, pairs: &[[u32; 2]]) -> Result<Box<dyn Found>, AnyError> {
        let Self { shapes, measure, value } = self;
        let answers = pairs.iter().map(|&[a, b]| measure(&shapes[a as usize], &shapes[b as usize])).collect();
        Ok(Box::new(Answers { answers, value: *value }))
    }
}

/// The results of a contender for a list of pairs, and a function that interprets a result.
struct Answers<T, V> {
    answers: Vec<T>,
    value: V,
}

impl<T, V: Fn(&T) -> Option<f64>> Found for Answers<T, V> {
    fn value(&self, at: usize) -> Option<f64> {
        (self.value)(&self.answers[at])
    }
}
