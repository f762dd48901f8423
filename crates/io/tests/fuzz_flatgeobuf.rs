//! The fuzz target `flatgeobuf` on fixed inputs: files of the corpus, with and without a fixed sequence of damage.

#[path = "fuzz_bodies/flatgeobuf.rs"]
mod body;

use std::path::Path;

use crate::damage::Random;

#[test]
fn damaged_files_of_flatgeobuf_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let rounds = std::env::var("SAT2D_SOAK").map_or(300, |_| 20_000);
    for seed in ["gdal-mixed.fgb", "gdal-z.fgb", "points-multi.fgb"] {
        let whole = std::fs::read(data.join(seed)).unwrap();
        body::run(&whole, folder.path());
        for _ in 0..rounds {
            let mut bytes = whole.clone();
            random.damage(&mut bytes, 400);
            body::run(&bytes, folder.path());
        }
    }
}
