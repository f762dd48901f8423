#![doc = include_str!("../README.md")]

// Unit tests share the rows of the integration tests, which name the crate `sat2d_io`.
#[cfg(all(test, feature = "arrow"))]
extern crate self as sat2d_io;

mod area_selection;
mod blocks;
mod bytes_read;
mod chunk;
mod collector;
mod column_names;
#[cfg(feature = "arrow")]
mod columnar;
mod columns;
mod counts;
mod crs;
mod csv;
mod decimal;
mod delimited;
mod error;
mod feature_points;
mod features;
mod flatgeobuf;
mod foreign;
pub mod geojson;
mod geojson_pairs;
mod geojson_writer;
#[cfg(feature = "geopackage")]
mod geopackage;
#[cfg(feature = "arrow")]
mod guard;
mod id;
mod identity;
mod ids;
#[cfg(feature = "arrow")]
mod in_memory;
mod incoming;
#[cfg(feature = "arrow")]
mod ipc;
mod json_lines;
mod lines;
mod links;
mod name;
mod options;
mod output;
mod pair_decimals;
#[cfg(feature = "parquet")]
mod parquet;
mod partial;
mod parts;
#[cfg(feature = "arrow")]
mod positioned;
mod read;
mod region;
mod rounds;
#[cfg(all(test, feature = "arrow"))]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod sample;
mod shapefile;
mod srids;
#[cfg(feature = "arrow")]
mod table;
mod text;
mod time;
mod unfinished;
mod wkb;
mod wkt;

#[cfg(feature = "arrow")]
pub use arrow_array;
#[cfg(feature = "arrow")]
pub use arrow_schema;
pub use bytes_read::BytesRead;
#[cfg(feature = "parquet")]
pub use columnar::ParquetPairWriter;
#[cfg(feature = "arrow")]
pub use columnar::{ArrowFormat, ArrowPairWriter};
pub use columns::{Column, PairRow};
pub use crs::Crs;
pub use csv::CsvWriter;
pub use error::{Error, Result};
pub use feature_points::FeaturePoints;
pub use features::{Contents, Features, Filled, ReadCounts, RowGroups, Skipped, Source};
pub use geojson_pairs::GeoJsonPairWriter;
pub use geojson_writer::GeoJsonWriter;
pub use id::{Id, IdRef};
pub use ids::Ids;
#[cfg(feature = "arrow")]
pub use in_memory::read_arrow;
pub use json_lines::JsonLinesWriter;
pub use options::{MAX_DESCRIBED, MAX_FEATURE_BYTES, ReadOptions};
pub use output::Output;
pub use read::{Format, read};
pub use time::{Time, TimeKind, TimeUnit};

/// Items that the command line uses. They can change in any version.
#[doc(hidden)]
pub mod internal {
    pub use crate::area_selection::{AreaSelection, DirectedPair, SelectedPairs};
    pub use crate::counts::{count_row, counts_of_pairs};
    pub use crate::crs::systems_differ;
    #[cfg(feature = "arrow")]
    pub use crate::guard::is_guarded;
    pub use crate::id::escaped_json;
    pub use crate::identity::{TakenFiles, identity};
    pub use crate::options::OptionNames;
    pub use crate::output::close_standard_output;
    pub use crate::pair_decimals::{PairDecimals, TOLERANCE, written_overlap};
    pub use crate::read::{check_input, grouped_bytes, of_one_kind};
    pub use crate::unfinished::remove_all as remove_unfinished;
}
