//! All tests of files through the interface of the crate, as one program. `cargo test -p sat2d-io --test integration
//! geojson::` runs one module.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../tests/support/mod.rs"]
mod support;

#[path = "../src/sample.rs"]
mod sample;

#[path = "fuzz_bodies/agreement.rs"]
mod agreement;
mod counties;
mod damage;
mod fuzz_flatgeobuf;
mod fuzz_geojson;
#[cfg(feature = "geopackage")]
mod fuzz_geopackage;
mod fuzz_shapefile;
#[cfg(feature = "parquet")]
mod fuzz_tables;
mod fuzz_texts;
mod geojson;
mod output;
mod parts;
mod rows;
mod systems;
#[cfg(all(feature = "geopackage", feature = "parquet"))]
mod tables;
