//! Files: GeoJSON in, CSV and JSON lines out.

mod csv;
pub mod geojson;
mod id;
mod json_lines;
mod output;

pub use csv::CsvWriter;
pub use id::Id;
pub use json_lines::JsonLinesWriter;
pub use output::Output;
