//! The fuzz target `geojson` on fixed inputs: small documents, with and without a fixed sequence of damage.

#[path = "fuzz_bodies/geojson.rs"]
mod body;

use std::io::Write;

use sat2d_io::ReadOptions;
use sat2d_io::geojson::read_from;

const SEEDS: &[&str] = &[
    r#"{"type":"FeatureCollection","features":[{"type":"Feature","id":"a","properties":{"name":"x"},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1],[0,0]]]}}]}"#,
    r#"{"features":[{"geometry":{"coordinates":[[[0,0,5],[1e3,0],[0.1,1]]],"type":"Polygon"},"id":12,"type":"Feature"},{"type":"Feature","geometry":null}],"crs":{},"type":"FeatureCollection"}"#,
    r#"{"type":"Feature","id":1.50,"properties":{"name":null},"geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[-1,0],[0,-1],[0,0]]],[],[[[5,5],[6,5],[6,6],[5,5]]]]}}"#,
    r#"{"type":"Polygon","coordinates":[[[1e-40,0],[1,0],[1,1],[1e-40,1]]]}"#,
    "{\"type\":\"Polygon\",\"coordinates\":[]}\n{\"type\":\"GeometryCollection\",\"geometries\":[]}\n{\"type\":\"Point\",\"coordinates\":[1,2]}\n",
    "\u{1e}{\"type\":\"Feature\",\"geometry\":null,\"id\":\"\\u00e9\\\"\\n\"}\n\u{1e}{\"type\":\"Feature\",\"geometry\":null,\"properties\":{\"name\":7}}\n",
    "\u{feff}{\"type\":\"FeatureCollection\",\"features\":[]}",
    "{\"type\":\"Feature\",\"properties\":{\"a\":[[[[{\"b\":\"]}\"}]]]]},\r\n\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[179,-0.0],[180,0],[180,1e0],[179,-0.0]]]}}",
    "",
    "[1e999,NaN]",
];

/// Tokens of GeoJSON that the damage inserts at arbitrary places.
const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\n",
    "\u{1e}",
    "null",
    "1e999",
    "NaN",
    "-0",
    "[[[[",
    "]]]]",
    "\"features\":[",
    "\"type\":\"Feature\",",
    "\"Polygon\"",
    "\"MultiPolygon\"",
    "\"id\":0,",
    "1e-300",
    "\u{feff}",
    "\\ud800",
    "/*",
];

#[test]
fn seeds_and_their_mutations_hold() {
    // SplitMix64 gives the same numbers on every machine.
    let mut state = 0x5EED_u64;
    let mut random = |below: usize| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below.max(1) as u64) as usize
    };
    for seed in SEEDS {
        body::run(seed.as_bytes());
        for end in 0..seed.len() {
            body::run(&seed.as_bytes()[..end]);
        }
        for _ in 0..500 {
            let mut bytes = seed.as_bytes().to_vec();
            for _ in 0..=random(3) {
                let at = random(bytes.len());
                match random(5) {
                    0 if !bytes.is_empty() => bytes[at] = random(256) as u8,
                    1 => {
                        bytes.drain(at..(at + random(9)).min(bytes.len()));
                    }
                    2 => {
                        let copied = bytes[at..(at + random(60)).min(bytes.len())].to_vec();
                        let to = random(bytes.len());
                        bytes.splice(to..to, copied);
                    }
                    _ => {
                        bytes.splice(at..at, TOKENS[random(TOKENS.len())].bytes());
                    }
                }
            }
            body::run(&bytes);
        }
    }
}

/// Tests that the reader accepts the undamaged documents. If it did not, damaged documents would show nothing.
#[test]
fn seeds_are_read() {
    let options = ReadOptions::default().skip_invalid(true);
    let read = |seed: &str| read_from(seed.as_bytes(), "seed".as_ref(), &options).map(|f| f.counts.features);
    let counts: Vec<Option<usize>> = SEEDS.iter().map(|seed| read(seed).ok()).collect();
    let expected = [Some(1), Some(2), Some(1), Some(1), Some(3), Some(2), Some(0), Some(1), None, None];
    assert_eq!(counts, expected);
}

#[test]
fn damaged_gzip_holds() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(SEEDS[0].as_bytes()).expect("a Vec takes all");
    let packed = packed.finish().expect("a Vec takes all");
    body::run(&packed);
    for at in 0..packed.len() {
        body::run(&packed[..at]);
        let mut damaged = packed.clone();
        damaged[at] ^= 0x41;
        body::run(&damaged);
    }
    // The damage of the compressed data comes after a byte that is not JSON. The reader may report either problem.
    body::run(b"\x1f\x8b\x08\0\0a\xf4\0\0\0\x12\x12\x12\x8b\x08\0\0a\xf4\0\0\0\x12\x12\x12\x12");
}
