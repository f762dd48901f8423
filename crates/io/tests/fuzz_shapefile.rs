//! The fuzz target `shapefile` on fixed inputs: files of the corpus, with and without a fixed sequence of damage.

#[path = "fuzz_bodies/shapefile.rs"]
mod body;

use std::path::Path;

use crate::damage::Random;

#[test]
fn damaged_shapefiles_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let rounds = std::env::var("SAT2D_SOAK").map_or(100, |_| 20_000);
    for seed in ["gdal-z", "broken/parts-1000", "points-multi", "points-z"] {
        let file = |ending: &str| std::fs::read(data.join(format!("{seed}.{ending}"))).unwrap();
        let (shapes, table) = (file("shp"), file("dbf"));
        for whole in [&shapes, &table] {
            body::run(whole, [&shapes, &table], folder.path());
            for _ in 0..rounds {
                let mut bytes = whole.clone();
                // Most of the damage is near the start of the file, where the lengths are.
                random.damage(&mut bytes, 150);
                body::run(&bytes, [&shapes, &table], folder.path());
            }
        }
    }
}
