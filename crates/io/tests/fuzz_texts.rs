//! The fuzz target `texts` on fixed inputs: files of the corpus, with and without a fixed sequence of damage.

#[path = "fuzz_bodies/texts.rs"]
mod body;

use std::path::Path;

use crate::damage::Random;

#[test]
fn damaged_texts_are_read_or_refused() {
    /// The texts that are written in place of damaged bytes.
    const PIECES: [&str; 12] =
        ["\"", "\"\"", ",", "\n", "(", ")", " ", "EMPTY", "1e999", "-", "GEOMETRYCOLLECTION (", "SRID=1;"];
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let rounds = std::env::var("SAT2D_SOAK").map_or(150, |_| 20_000);
    let seeds = ["points.csv", "broken/wkt-comma.csv", "broken/wkt-two.csv", "broken/gzip.csv.gz"];
    let mut seeds = seeds.map(|seed| std::fs::read(data.join(seed)).unwrap()).to_vec();
    seeds.push(b"POINT (1 2)\r\n\nSRID=1;POINT\n (3\n 4)\nMULTIPOINT ((5 6),\n7 8)\nPOINT EMPTY\n".to_vec());
    for whole in seeds {
        body::run(&whole, folder.path());
        for _ in 0..rounds {
            let mut bytes = whole.clone();
            random.damage(&mut bytes, 600);
            if !bytes.is_empty() {
                let (at, piece) = (random.below(bytes.len()), PIECES[random.below(PIECES.len())]);
                bytes.splice(at..at, piece.bytes());
            }
            body::run(&bytes, folder.path());
        }
    }
}
