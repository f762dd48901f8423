//! A list of the points at which two polygons have been compared. At such a point, all sectors between the edges of A
//! and all sectors between the edges of B have been compared.

use std::collections::{BTreeSet, HashSet};

use foldhash::fast::RandomState;

use crate::geometry::outline::{Centre, Crossing};

/// The greatest number of crossings in a [`Seen`] list. A crossing takes a few hundred bytes.
const MOST_CROSSINGS: usize = 1 << 14;

/// The points at which the sectors of both polygons have been compared. Without this list, a point on very many edges
/// would be compared once for each pair of these edges.
#[derive(Default)]
pub(super) struct Seen {
    vertices: HashSet<[u64; 2], RandomState>,
    /// The crossings of edges in the list. If the list has [`MOST_CROSSINGS`] crossings, the next crossing replaces all
    /// of them, so a crossing may be compared several times.
    crossings: BTreeSet<Crossing>,
}

impl Seen {
    /// Adds a point to the list. Returns true if the list did not contain the point before.
    pub(super) fn is_new(&mut self, centre: &Centre) -> bool {
        match centre {
            Centre::Point(at) => self.vertices.insert(at.to_array().map(f64::to_bits)),
            Centre::Crossing(crossing) if self.crossings.contains(crossing) => false,
            Centre::Crossing(crossing) => {
                if self.crossings.len() >= MOST_CROSSINGS {
                    self.crossings.clear();
                }
                self.crossings.insert(crossing.clone())
            }
        }
    }
}
