//! `cargo +nightly fuzz run geojson`: the reader, on any bytes.

#![no_main]

#[path = "../../crates/io/tests/fuzz_bodies/geojson.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
