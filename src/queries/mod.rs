//! Queries: from sets or given pairs to answers.

pub(crate) mod block_on;
mod buckets;
mod check;
mod collect;
mod containment;
mod drive;
pub(crate) mod explain;
mod impact_join;
mod impacts;
mod join;
mod least;
mod lists;
mod measurements;
mod measuring_join;
#[cfg(feature = "cli")]
pub(crate) mod near_check;
pub(crate) mod nearest_pieces;
mod of_pieces;
pub(crate) mod options;
mod piece_trees;
pub(crate) mod prepared;
pub(crate) mod shape_containments;
mod shape_relations;
#[cfg(feature = "cli")]
pub(crate) mod together;
mod walk;
