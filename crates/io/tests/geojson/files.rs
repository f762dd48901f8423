//! Reads files: compressed files, files that cannot be read, and the shipped file.

#[path = "sequences.rs"]
mod sequences;

use super::*;

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn gzip_is_expanded_by_its_first_bytes() {
    let lines = [polygon_feature("a") + "\n", polygon_feature("b")];
    let members = [gzip(&lines[0]), gzip(&lines[1])].concat();
    for name in ["in.geojson.gz", "in.geojson", "-"] {
        let features = read_from(&members[..], Path::new(name), &ReadOptions::default()).unwrap();
        assert_eq!(ids(&features), ["a", "b"], "{name}");
    }
    let named = |bytes: &[u8]| message(read_from(bytes, Path::new("in.gz"), &ReadOptions::default()));
    assert_eq!(
        named(&members[..members.len() - 9]),
        "cannot read in.gz: the gzip data is cut short; fetch the file again"
    );
    let mut damaged = members.clone();
    let at = damaged.len() - 6;
    damaged[at] ^= 1;
    assert!(
        named(&damaged).starts_with("cannot read in.gz: the gzip data is damaged"),
        "{}",
        named(&damaged)
    );
    let plain = read_from(lines[0].as_bytes(), Path::new("in.gz"), &ReadOptions::default()).unwrap();
    assert_eq!(ids(&plain), ["a"], "what is plain is read, whatever its name");
    let padded = [&members[..], &[0; 1000]].concat();
    assert_eq!(
        ids(&read_from(&padded[..], Path::new("in.gz"), &ReadOptions::default()).unwrap()),
        ["a", "b"]
    );
    // The reader gets one byte at a time, as from a slow pipe.
    let slow = io::BufReader::with_capacity(1, &padded[..]);
    assert_eq!(ids(&read_from(slow, Path::new("-"), &ReadOptions::default()).unwrap()), ["a", "b"]);
    assert_eq!(named(b""), "in.gz, line 1, column 1: the input is empty; expected GeoJSON");
    assert_eq!(named(&gzip("")), "in.gz, line 1, column 1: the input is empty; expected GeoJSON");
}

#[test]
fn files_that_cannot_be_read_are_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    let error = read(folder.path(), &options).unwrap_err();
    assert!(matches!(error, Error::Read { .. }));
    assert!(cfg!(windows) || error.to_string().ends_with("it is a directory; name a file in it"), "{error}");
    let path = folder.path().join("none.geojson");
    let error = read(&path, &options).unwrap_err();
    assert!(matches!(&error, Error::Read { path: p, .. } if *p == path), "{error}");

    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is on fire"))
        }
    }
    let text = format!("{}\n", polygon_feature("a"));
    let broken = BufReader::new(text.as_bytes().chain(Broken));
    assert_eq!(
        message(read_from(broken, Path::new("-"), &options)),
        "cannot read standard input: the disk is on fire"
    );
}

#[test]
fn the_shipped_counties_are_whole() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/us-counties.geojson.gz");
    let features = read(&path, &ReadOptions::default().skip_invalid(true)).unwrap();
    assert_eq!(features.counts, ReadCounts { features: 3231, empty_geometries: 1, ..ReadCounts::default() });
    assert_eq!(features.ids.of(0), Id::Text("04015".into()));
    let mut ids = ids(&features);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3231, "ids are unique");
    for skipped in &features.skipped {
        let Error::Feature { source, .. } = &skipped.error else { panic!("{}", skipped.error) };
        assert!(!matches!(**source, Error::Malformed { .. } | Error::UnsupportedGeometry { .. }), "{source}");
    }
}
