//! `cargo +nightly fuzz run tables` fuzzes the readers of Parquet and Arrow with any bytes. The files of
//! `crates/io/tests/data` are a corpus.

#![no_main]

#[path = "../../crates/io/tests/fuzz_bodies/agreement.rs"]
mod agreement;
#[path = "../../crates/io/tests/fuzz_bodies/tables.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder for the file");
    body::run(bytes, folder.path());
});
