//! Reads GeoJSON files, and writes CSV, JSON lines and GeoJSON.

mod columns;
mod csv;
#[cfg(feature = "cli")]
mod decimal;
pub mod geojson;
mod geojson_pairs;
mod geojson_writer;
mod id;
mod json_lines;
mod links;
mod output;
mod partial;
#[cfg(feature = "cli")]
mod unfinished;

pub use columns::{Column, PairRow};
pub use csv::CsvWriter;
#[cfg(feature = "cli")]
pub(crate) use decimal::Decimals;
pub use geojson_pairs::GeoJsonPairWriter;
pub use geojson_writer::GeoJsonWriter;
pub use id::Id;
#[cfg(feature = "cli")]
pub(crate) use id::escaped_json;
pub use json_lines::JsonLinesWriter;
#[cfg(feature = "cli")]
pub(crate) use links::follow as follow_links;
pub use output::Output;
#[cfg(feature = "cli")]
pub(crate) use output::close_standard_output;
#[cfg(feature = "cli")]
pub(crate) use unfinished::remove_all as remove_unfinished;
