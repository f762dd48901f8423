//! `cargo +nightly fuzz run shapefile` fuzzes the reader of Shapefiles with any bytes. The files of
//! `crates/io/tests/data` are a corpus.

#![no_main]

#[path = "../../crates/io/tests/fuzz_bodies/agreement.rs"]
mod agreement;
#[path = "../../crates/io/tests/fuzz_bodies/shapefile.rs"]
mod body;

const GOOD: [&[u8]; 2] = [
    include_bytes!("../../crates/io/tests/data/gdal-z.shp"),
    include_bytes!("../../crates/io/tests/data/gdal-z.dbf"),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder for the file");
    body::run(bytes, GOOD, folder.path());
});
