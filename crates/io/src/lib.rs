#![doc = include_str!("../README.md")]

// The rows of tests are shared with the integration tests.
#[cfg(all(test, feature = "arrow"))]
extern crate self as sat2d_io;

mod blocks;
#[allow(dead_code)]
mod chunk;
#[cfg(feature = "arrow")]
mod columnar;
mod columns;
mod csv;
mod decimal;
mod error;
pub mod geojson;
mod geojson_pairs;
mod geojson_writer;
mod id;
mod json_lines;
mod links;
mod output;
mod partial;
mod rounds;
#[cfg(all(test, feature = "arrow"))]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod sample;
mod text;
mod unfinished;

#[cfg(feature = "parquet")]
pub use columnar::ParquetPairWriter;
#[cfg(feature = "arrow")]
pub use columnar::{ArrowFormat, ArrowPairWriter};
pub use columns::{Column, PairRow};
pub use csv::CsvWriter;
pub use error::{Error, Result};
pub use geojson_pairs::GeoJsonPairWriter;
pub use geojson_writer::GeoJsonWriter;
pub use id::Id;
pub use json_lines::JsonLinesWriter;
pub use output::Output;

/// Items that the command line uses. They can change in any version.
#[doc(hidden)]
pub mod internal {
    pub use crate::decimal::Decimals;
    pub use crate::id::escaped_json;
    pub use crate::links::follow as follow_links;
    pub use crate::output::close_standard_output;
    pub use crate::unfinished::remove_all as remove_unfinished;
}
