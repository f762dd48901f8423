//! All tests of the command line, as one program. `cargo test -p sat2d-cli --test integration points::` runs one
//! module.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../tests/support/mod.rs"]
mod support;

mod areas;
mod bench;
mod commands;
mod completions;
mod counts;
mod damaged;
mod decimals;
mod endings;
mod explain;
mod faults;
mod figures;
mod folder;
mod formats;
mod info;
mod limits;
mod listed;
mod man;
mod names;
mod near_points;
mod nearest;
mod options;
mod output;
mod packed;
mod points;
mod points_alone;
mod row_groups;
mod schema;
mod sim;
mod streams;
mod systems;
mod validation;
mod waits;
