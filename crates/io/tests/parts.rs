//! Folders of part files, and patterns: the files form one input, in the order of their names.

use std::fs;
use std::path::{Path, PathBuf};

use sat2d_io::{Error, Features, ReadOptions, Result, read};
use tempfile::TempDir;

const TRIANGLE: &str =
    r#""type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0],[0,4],[0,0]]]}"#;
const BOW: &str =
    r#""type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#;
const LINE: &str = r#""type":"Feature","geometry":{"type":"LineString","coordinates":[[0,0],[2,2]]}"#;
const POINT: &str = r#""type":"Feature","geometry":{"type":"Point","coordinates":[1,1]}"#;

fn folder(files: &[(&str, String)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Returns a folder with copies of files of the corpus.
fn copies(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (index, name) in names.iter().enumerate() {
        let ending = Path::new(name).extension().unwrap().to_str().unwrap();
        fs::copy(data(name), folder.path().join(format!("part-{index}.{ending}"))).unwrap();
    }
    folder
}

fn lenient(path: &Path) -> Result<Features> {
    read(path, &ReadOptions::default().skip_invalid(true))
}

fn names(features: &Features) -> Vec<String> {
    features.ids.iter().map(|id| id.to_string()).collect()
}

fn error_of(folder: &TempDir, options: &ReadOptions) -> String {
    let error = read(folder.path(), options).map(|_| ()).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn features_are_numbered_through_and_errors_count_in_their_file() {
    let folder = folder(&[
        ("part-1.ndjson", format!("{{{TRIANGLE}}}\n{{{TRIANGLE}}}")),
        ("part-2.ndjson", String::from(r#"{"type":"FeatureCollection","features":[]}"#)),
        ("part-3.ndjson", format!("{{\"id\":\"a\",{TRIANGLE}}}\n{{{BOW}}}\n{{{TRIANGLE}}}")),
        ("part-4.ndjson", format!("{{{LINE}}}\n{{{TRIANGLE}}}\n{{\"id\":\"b\",{LINE}}}")),
        ("_SUCCESS", String::new()),
        (".part-1.ndjson.crc", "crc".into()),
    ]);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let features = lenient(folder.path()).unwrap();
            assert_eq!(names(&features), ["0", "1", "a", "3", "4", "5", "6", "b"]);
            assert_eq!((features.left_out, features.counts.features), (vec![3, 5, 7], 8));
            assert_eq!((features.contents.polygons, features.unsupported["LineString"]), (6, 2));
            let skipped: Vec<String> =
                features.skipped.iter().map(|skipped| skipped.error.to_string()).collect();
            for (text, says) in skipped.iter().zip([
                "part-3.ndjson, feature 1: ",
                "part-4.ndjson, feature 0: ",
                "part-4.ndjson, feature 2 (id b): ",
            ]) {
                assert!(text.contains(says), "{text}");
            }
            let starts = (0..5).map(|piece| features.set.piece_object(piece));
            assert_eq!(starts.collect::<Vec<_>>(), [0, 1, 2, 4, 6]);
            let strict = error_of(&folder, &ReadOptions::default());
            assert_eq!(strict, skipped[0]);
            let pattern = folder.path().join("part-[13].*");
            assert_eq!(names(&lenient(&pattern).unwrap()), ["0", "1", "a", "3", "4"]);
        });
    }
}

#[test]
fn a_damaged_part_is_named_after_the_invalid_features_before_it() {
    let part = |text: &str| text.to_owned();
    let folder = folder(&[("a.json", format!("{{{BOW}}}")), ("b.json", part("{")), ("c.json", part(""))]);
    assert!(error_of(&folder, &ReadOptions::default()).contains("a.json, feature 0"));
    let error = lenient(folder.path()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("b.json, line 1"), "{error}");
}

#[test]
fn a_property_that_some_parts_lack_names_the_others() {
    let named = |name: &str| format!("{{\"properties\":{{\"name\":\"{name}\"}},\"id\":9,{TRIANGLE}}}");
    let folder = folder(&[
        ("1.json", format!("{{\"id\":7,{TRIANGLE}}}")),
        ("2.json", named("x")),
        ("3.json", format!("{{{TRIANGLE}}}")),
    ]);
    for id_otherwise in [false, true] {
        let options = ReadOptions::default().id_property("name".to_owned()).id_otherwise(id_otherwise);
        let features = read(folder.path(), &options).unwrap();
        assert_eq!(
            (names(&features), features.counts.ids_missing),
            (vec!["0".into(), "x".into(), "2".into()], 2)
        );
        let options = options.id_property("other".to_owned());
        match read(folder.path(), &options) {
            Err(Error::IdProperty { paths, .. }) if !id_otherwise => assert_eq!(paths, [folder.path()]),
            Ok(features) if id_otherwise => assert_eq!(names(&features), ["7", "9", "2"]),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn parts_that_differ_are_refused() {
    let csv = |columns: &str| format!("{columns}\n1,\"POLYGON((0 0,1 0,0 1,0 0))\"\n");
    let two = folder(&[("1.csv", csv("id,wkt")), ("2.csv", csv("name,wkt"))]);
    let error = error_of(&two, &ReadOptions::default());
    assert!(
        error.contains("2.csv: its columns are name, wkt, but those of")
            && error.contains("1.csv are id, wkt"),
        "{error}"
    );
    let formats = folder(&[("1.csv", csv("id,wkt")), ("2.json", format!("{{{TRIANGLE}}}"))]);
    let error = error_of(&formats, &ReadOptions::default());
    assert!(error.contains("2.json: it is GeoJSON, but") && error.contains("1.csv is CSV"), "{error}");
    let kinds = folder(&[("1.json", format!("{{{POINT}}}")), ("2.json", format!("{{{TRIANGLE}}}"))]);
    let error = error_of(&kinds, &ReadOptions::default().points(true));
    assert!(error.contains("2.json: it has polygons, but") && error.contains("1.json has points"), "{error}");
    let shapes = copies(&["gdal.shp"]);
    assert!(error_of(&shapes, &ReadOptions::default()).contains("a Shapefile cannot be a part"));
}

#[cfg(feature = "parquet")]
#[test]
fn parts_of_tables_are_one_table() {
    let same = ["geopandas-1.0.0-snappy.parquet"; 3];
    let (one, three) = (lenient(&data(same[0])).unwrap(), lenient(copies(&same).path()).unwrap());
    assert_eq!(three.ids.len(), 3 * one.ids.len());
    assert!(three.ids.iter().eq(one.ids.iter().chain(one.ids.iter()).chain(one.ids.iter())));
    assert_eq!(three.set.piece_count(), 3 * one.set.piece_count());
    assert_eq!((three.crs, three.source.columns), (one.crs, one.source.columns));
    let systems = copies(&["geopandas-crs-2056.parquet", "geopandas-crs-4326.parquet"]);
    let error = lenient(systems.path()).map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("part-1.parquet: its reference system is EPSG:4326 (WGS 84), but that of"),
        "{error}"
    );
    assert!(error.contains("part-0.parquet is EPSG:2056 (CH1903+ / LV95)"), "{error}");
}
