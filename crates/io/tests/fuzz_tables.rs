//! The fuzz target `tables` on fixed inputs: files of the corpus, with and without a fixed sequence of damage.

#[path = "fuzz_bodies/tables.rs"]
mod body;

use std::path::Path;

use crate::damage::Random;

/// Small files of the three formats, with several encodings of geometries. Two of them are invalid.
const SEEDS: [&str; 10] = [
    "geopandas-crs-4326.parquet",
    "geopandas-two-columns.parquet",
    "pyarrow-geometry-type-crs84.parquet",
    "points-geoarrow.parquet",
    "broken/offsets-rings-last.arrow",
    "broken/row-rings.parquet",
    "points-multipoint-separated.arrow",
    "pyarrow-dictionary-names.arrow",
    "polars-lz4.arrows",
    "pyarrow-no-rows.arrows",
];

/// Damages a few bytes. Lengths and offsets are near the end of a file, so damage is more often there.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let end = bytes.len();
        let at = if random.below(3) == 0 { random.below(end) } else { end - 1 - random.below(end.min(2000)) };
        random.damage_at(bytes, at);
    }
}

#[test]
fn damaged_tables_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let rounds = std::env::var("SAT2D_SOAK").map_or(60, |_| 20_000);
    // The library turns panics of decoders into errors. Hide their messages.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !sat2d_io::internal::is_guarded() {
            hook(panic);
        }
    }));
    for seed in SEEDS {
        let whole = std::fs::read(data.join(seed)).unwrap();
        body::run(&whole, folder.path());
        for _ in 0..rounds {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut random);
            body::run(&bytes, folder.path());
        }
    }
}
