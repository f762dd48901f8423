//! The fuzz target `geopackage` on fixed inputs: files of the corpus, with and without a fixed sequence of damage.

#[path = "fuzz_bodies/geopackage.rs"]
mod body;

use std::path::Path;

use crate::damage::Random;

#[test]
fn damaged_geopackages_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let rounds = std::env::var("SAT2D_SOAK").map_or(200, |_| 20_000);
    for seed in ["points.gpkg", "gdal-index.gpkg"] {
        let whole = std::fs::read(data.join(seed)).unwrap();
        body::run(&whole, folder.path());
        for round in 0..rounds {
            let mut bytes = whole.clone();
            // In every second round, the damage is at the start of a page, which has the positions of the page's other parts.
            let page = 4096 * random.below(bytes.len() / 4096);
            for _ in 0..1 + random.below(4) {
                let at = page + random.below(if round % 2 == 0 { 120 } else { 4096 });
                if at < bytes.len() {
                    random.damage_at(&mut bytes, at);
                }
            }
            body::run(&bytes, folder.path());
        }
        for length in (0..whole.len()).step_by(1021) {
            body::run(&whole[..length], folder.path());
        }
    }
}
