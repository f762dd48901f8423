//! The properties of the GeoJSON reader for arbitrary bytes. The fuzz target and an ordinary test share them.

use std::fmt::Write;
use std::io::{self, BufReader, Read};
use std::path::Path;

use sat2d_io::IdRef;
use sat2d_io::geojson::read_from;
use sat2d_io::{Features, ReadOptions};

/// The first bytes of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Asserts four properties of the reader. It does not panic. It gives the same result for the whole input and for the
/// input in small parts, except for the texts of errors in gzip data. It skips only errors that would otherwise end the
/// run. The polygons and ids of its result can be written as GeoJSON and read again.
pub(crate) fn run(bytes: &[u8]) {
    let name = Path::new("fuzz");
    let id_property = bytes.len().is_multiple_of(2).then(|| "name".to_owned());
    let id_otherwise = bytes.len().is_multiple_of(4);
    let lenient = ReadOptions::default()
        .id_property(id_property)
        .id_otherwise(id_otherwise)
        .skip_invalid(true)
        .points(true);
    let strict = lenient.clone().skip_invalid(false);

    let whole = read_from(bytes, name, &lenient);
    let parts = read_from(BufReader::with_capacity(3, Trickle(bytes)), name, &lenient);
    let strict = read_from(bytes, name, &strict);
    match (&whole, &parts) {
        (Ok(whole), Ok(parts)) => assert_same(whole, parts),
        // The number of bytes that a decoder returns before the damage depends on how many bytes it gets at a time.
        (Err(_), Err(_)) if bytes.starts_with(&GZIP) => {}
        (Err(whole), Err(parts)) => assert_eq!(whole.to_string(), parts.to_string()),
        _ => panic!("whole: {whole:?}; in parts: {parts:?}"),
    }
    let Ok(features) = whole else {
        assert!(strict.is_err());
        return;
    };
    let count = features.counts.features;
    assert_eq!((features.set.object_count(), features.ids.len()), (count, count));
    match (features.skipped.first(), strict) {
        (None, Ok(strict)) => assert_same(&features, &strict),
        (Some(skipped), Err(error)) => assert_eq!(skipped.error.to_string(), error.to_string()),
        (skipped, strict) => panic!("skipped {skipped:?}, but strictly {strict:?}"),
    }
    let again = read_from(written(&features).as_bytes(), name, &ReadOptions::default());
    let again = again.expect("what was read can be written and read");
    assert_eq!(again.ids, features.ids);
    assert_eq!(regions(&again.set), regions(&features.set));
}

/// Returns the bits of the vertices of each object's pieces.
fn regions(set: &sat2d::PolygonSet) -> Vec<Vec<Vec<[u64; 2]>>> {
    let mut regions = vec![Vec::new(); set.object_count()];
    for piece in 0..set.piece_count() {
        let bits = set.piece_vertices(piece).iter().map(|v| v.to_array().map(f64::to_bits));
        regions[set.piece_object(piece)].push(bits.collect());
    }
    regions
}

fn assert_same(a: &Features, b: &Features) {
    assert_eq!(a.ids, b.ids);
    assert_eq!(regions(&a.set), regions(&b.set));
    assert_eq!(a.counts, b.counts);
    let errors = |features: &Features| -> Vec<String> {
        features.skipped.iter().map(|skipped| skipped.error.to_string()).collect()
    };
    assert_eq!(errors(a), errors(b));
}

/// Returns the convex pieces of every feature as MultiPolygons.
fn written(features: &Features) -> String {
    let mut text = String::from("{\"type\":\"FeatureCollection\",\"features\":[");
    for (i, (id, pieces)) in features.ids.iter().zip(regions(&features.set)).enumerate() {
        text.push_str(if i == 0 { "" } else { "," });
        text.push_str("{\"type\":\"Feature\",\"geometry\":{\"type\":\"MultiPolygon\",\"coordinates\":[");
        for (i, piece) in pieces.iter().enumerate() {
            text.push_str(if i == 0 { "[[" } else { ",[[" });
            for (i, v) in piece.iter().enumerate() {
                let (comma, [x, y]) = (if i == 0 { "" } else { "," }, v.map(f64::from_bits));
                write!(text, "{comma}[{x:e},{y:e}]").expect("a String takes all");
            }
            text.push_str("]]");
        }
        text.push_str("]}");
        match id {
            // GeoJSON has no times.
            IdRef::Index(_) | IdRef::Time(_) => {}
            IdRef::Integer(number) => write!(text, ",\"id\":{number}").expect("a String takes all"),
            IdRef::Number(number) => write!(text, ",\"id\":{number}").expect("a String takes all"),
            IdRef::Text(id) => {
                text.push_str(",\"id\":\"");
                for unit in id.encode_utf16() {
                    write!(text, "\\u{unit:04x}").expect("a String takes all");
                }
                text.push('"');
            }
        }
        text.push('}');
    }
    text + "]}"
}

/// A reader that returns two bytes at a time, as a slow pipe may.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.len().min(buffer.len()).min(2);
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}
