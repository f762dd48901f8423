//! Queries: from sets or given pairs to answers.

mod area_join;
mod areas;
pub(crate) mod block_on;
mod buckets;
mod check;
mod collect;
mod containment;
mod distances;
mod drive;
pub(crate) mod explain;
pub(crate) mod given;
mod impact_join;
mod impacts;
mod join;
pub(crate) mod joins;
pub(crate) mod kinds;
pub(crate) mod kinds_of_areas;
mod least;
mod lists;
mod measuring_join;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod near_check;
mod nearest;
pub(crate) mod nearest_pieces;
mod nearest_search;
mod of_pairs;
mod of_pieces;
mod outline_join;
mod piece_trees;
pub(crate) mod prepared;
pub(crate) mod progress;
mod shape_containments;
mod shape_relations;
mod shared;
mod sources;
mod walk;
