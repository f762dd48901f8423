//! `cargo +nightly fuzz run geojson` fuzzes the reader of GeoJSON with any bytes.

#![no_main]

#[path = "../../crates/io/tests/fuzz_bodies/geojson.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
