//! What is compared: from rings in memory to sorted pairs in memory, a file a contender.

mod ours;
mod parry;
mod rstar_geo;
mod sepax;

use std::str::FromStr;
use std::time::Duration;

use sat2d::{ObjectPair, Relation};

use crate::machine::version;
use crate::{AnyError, Rings};

/// A way to join a set of convex polygons with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// sat2d's CPU backend.
    Sat2d,
    /// parry2d's BVH against itself and `intersection_test`, vertices in the world.
    Parry,
    /// The same, with vertices about each polygon's centre and a pose that moves it there.
    ParryPosed,
    /// rstar's R*-tree and geo's `Intersects`, in f64.
    RstarGeo,
    /// parry2d's BVH and sepax2d's `sat_overlap`.
    Sepax,
}

/// What a contender found.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Sorted. A contender without relations calls every meeting pair overlapping.
    pub(crate) pairs: Vec<ObjectPair>,
    pub(crate) has_relations: bool,
    /// Candidate pairs that were tested.
    pub(crate) candidates: u64,
    pub(crate) stages: Vec<(&'static str, Duration)>,
}

impl Contender {
    const ALL: [Self; 5] = [Self::Sat2d, Self::Parry, Self::ParryPosed, Self::RstarGeo, Self::Sepax];

    /// The name on the command line and in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sat2d => "sat2d",
            Self::Parry => "parry",
            Self::ParryPosed => "parry-posed",
            Self::RstarGeo => "rstar-geo",
            Self::Sepax => "sepax",
        }
    }

    /// The crates at work, with their versions.
    pub(crate) fn description(self) -> String {
        match self {
            Self::Sat2d => format!("sat2d {} (CPU backend)", version("sat2d")),
            Self::Parry => format!("parry2d {} (vertices in the world)", version("parry2d")),
            Self::ParryPosed => {
                format!("parry2d {} (vertices about the centre, and a pose)", version("parry2d"))
            }
            Self::RstarGeo => format!("rstar {} + geo {}", version("rstar"), version("geo")),
            Self::Sepax => format!("parry2d {} BVH + sepax2d {}", version("parry2d"), version("sepax2d")),
        }
    }

    /// rstar's join has one thread.
    pub(crate) fn runs_on(self, threads: usize) -> bool {
        threads == 1 || self != Self::RstarGeo
    }

    /// The whole self-join, in the current thread pool.
    pub(crate) fn join(self, rings: &Rings) -> Result<Answer, AnyError> {
        match self {
            Self::Sat2d => ours::join(rings),
            Self::Parry => parry::join(rings, parry::in_the_world),
            Self::ParryPosed => parry::join(rings, parry::about_the_centre),
            Self::RstarGeo => Ok(rstar_geo::join(rings)),
            Self::Sepax => Ok(sepax::join(rings)),
        }
    }
}

impl FromStr for Contender {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|c| c.name() == text);
        found.ok_or_else(|| {
            format!("no such contender; give some of {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

/// A meeting pair of a contender that does not tell touching from overlapping.
fn meeting(a: u32, b: u32) -> ObjectPair {
    ObjectPair { a: a.min(b), b: a.max(b), relation: Relation::Overlapping }
}
