//! `cargo +nightly fuzz run texts` fuzzes the readers of CSV, TSV and WKT with any bytes. The files of
//! `crates/io/tests/data` are a corpus.

#![no_main]

#[path = "../../crates/io/tests/fuzz_bodies/agreement.rs"]
mod agreement;
#[path = "../../crates/io/tests/fuzz_bodies/texts.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder for the file");
    body::run(bytes, folder.path());
});
