//! Tables in files that other tools wrote, valid and damaged. `tests/data/README.md` describes the files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sat2d::PolygonSet;
use sat2d_io::{Error, Features, Format, ReadOptions, Result, read};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// Returns options that read points and skip invalid features. Some coordinates of the tables are out of the library's
/// range.
fn options() -> ReadOptions {
    ReadOptions::default().points(true).skip_invalid(true)
}

/// Returns the cells of a tab-separated table.
fn table(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Returns the bits of the vertices of each object's pieces.
fn regions(set: &PolygonSet) -> Vec<Vec<Vec<[u64; 2]>>> {
    let mut regions = vec![Vec::new(); set.object_count()];
    for piece in 0..set.piece_count() {
        let bits = set.piece_vertices(piece).iter().map(|v| v.to_array().map(f64::to_bits));
        regions[set.piece_object(piece)].push(bits.collect());
    }
    regions
}

type Region = (Vec<Vec<[u64; 2]>>, Vec<[u64; 2]>);

/// Returns the pieces and the points of each feature by its name.
fn by_name(features: &Features) -> HashMap<String, Region> {
    let mut found = HashMap::new();
    for (index, (id, pieces)) in features.ids.iter().zip(regions(&features.set)).enumerate() {
        let of_feature = features.points.of_feature(index as u32);
        let points = of_feature.iter().map(|point| point.to_array().map(f64::to_bits)).collect();
        found.insert(id.to_string(), (pieces, points));
    }
    found
}

fn skipped(features: &Features) -> Vec<String> {
    features.skipped.iter().map(|skipped| skipped.id.clone().unwrap_or_default()).collect()
}

#[test]
fn every_file_has_the_features_that_its_tool_wrote() {
    let mut kinds = HashMap::new();
    for line in table("files.tsv") {
        let [file, rows, answers, tool, contents] = &line[..] else { panic!("{line:?}") };
        if answers == "error" {
            continue;
        }
        *kinds.entry(file.rsplit('.').next().unwrap().to_owned()).or_insert(0) += 1;
        let what = format!("{file} ({tool}: {contents})");
        let answers = read(&folder().join(answers), &options()).unwrap();
        let (expected, refused) = (by_name(&answers), skipped(&answers));
        let features =
            read(&folder().join(file), &options()).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(features.counts.features.to_string(), *rows, "{what}");
        for name in skipped(&features) {
            assert!(refused.contains(&name), "{what}: feature {name} was refused");
        }
        let found = by_name(&features);
        let distinct = features.counts.features - features.counts.ids_repeated;
        assert_eq!(found.len(), distinct, "{what}");
        for (name, region) in found {
            assert_eq!(Some(&region), expected.get(&name), "{what}: feature {name}");
        }
    }
    assert!(kinds["parquet"] > 30 && kinds["arrow"] > 10 && kinds["arrows"] > 3, "{kinds:?}");
    assert!(kinds["shp"] > 6 && kinds["csv"] > 3 && kinds["tsv"] > 1, "{kinds:?}");
    assert!(kinds["fgb"] > 5 && kinds["gpkg"] > 2, "{kinds:?}");
}

#[test]
fn files_that_cannot_be_read_are_refused_with_a_reason() {
    for line in table("files.tsv") {
        let [file, _, answers, _, contents] = &line[..] else { panic!("{line:?}") };
        if answers != "error" {
            continue;
        }
        let error = read(&folder().join(file), &ReadOptions::default()).unwrap_err().to_string();
        let reason = match file.as_str() {
            "unsupported/brotli.parquet" => "brotli; write the file with Snappy",
            "unsupported/layers.gpkg" => "several layers; name one with `--geometry`: first, second",
            "unsupported/lines.parquet"
            | "unsupported/lines-geoarrow.parquet"
            | "unsupported/lines.arrow" => "type LineString cannot be joined",
            "unsupported/boxes.arrow" => "geoarrow.box",
            "unsupported/mixed.arrow" => "geoarrow.geometry",
            "unsupported/no-geometry.parquet" | "unsupported/no-geometry.arrow" => {
                "no column is known to have geometries; name one with `--geometry`"
            }
            other => panic!("{other}"),
        };
        assert!(error.to_lowercase().contains(&reason.to_lowercase()), "{file} ({contents}): {error}");
    }
}

#[test]
fn broken_files_are_errors_that_name_the_file() {
    for line in table("broken/files.tsv") {
        let [file, answer, contents] = &line[..] else { panic!("{line:?}") };
        let path = folder().join("broken").join(file);
        for skip_invalid in [false, true] {
            let options = options().skip_invalid(skip_invalid);
            let result = read(&path, &options);
            let text = |result: &Result<Features>| result.as_ref().err().map(Error::to_string);
            for threads in [1, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                assert_eq!(text(&pool.install(|| read(&path, &options))), text(&result), "{file}");
            }
            match result {
                Err(error) => {
                    let text = error.to_string();
                    // The file next to a Shapefile has the same name and another ending.
                    let name = file.strip_suffix("shp").unwrap_or(file);
                    assert!(text.contains(name) && !text.contains('\n'), "{file}: {text}");
                }
                Ok(features) if skip_invalid => {
                    assert!(answer == "any" || !features.skipped.is_empty(), "{file}: {contents}");
                }
                Ok(_) => assert_eq!(answer, "any", "{file}: {contents}"),
            }
        }
    }
}

#[test]
fn an_invalid_row_is_named_or_left_out() {
    let path = folder().join("broken/row-rings.parquet");
    let error = read(&path, &options().skip_invalid(false)).unwrap_err();
    let Error::Feature { feature: 5, source, .. } = &error else { panic!("{error}") };
    assert!(source.to_string().contains("4294967295 rings"), "{source}");
    let features = read(&path, &options().skip_invalid(true)).unwrap();
    assert_eq!(features.skipped.iter().map(|skipped| skipped.feature).collect::<Vec<_>>(), [5]);
    assert!(regions(&features.set)[5].is_empty() && !regions(&features.set)[6].is_empty());
}

#[test]
fn columns_are_chosen_by_name() {
    let path = folder().join("geopandas-two-columns.parquet");
    let with = |geometry: Option<&str>, id: Option<&str>| -> Result<Features> {
        let geometry = geometry.map(str::to_owned);
        read(&path, &options().geometry(geometry).id_property(id.map(str::to_owned)))
    };
    assert!(!with(Some("corner"), None).unwrap().points.is_empty());
    assert!(with(Some("shape"), None).unwrap().points.is_empty());
    let named = with(None, Some("name")).unwrap();
    assert_eq!(named.ids.of(0).to_string(), "square");
    let error = with(Some("geom"), None).unwrap_err();
    let Error::NoColumn { column, columns, .. } = &error else { panic!("{error}") };
    assert_eq!(column, "geom");
    assert!(columns.contains(&"corner".to_owned()) && error.to_string().contains("corner"), "{error}");
    let error = with(None, Some("nothing")).unwrap_err();
    assert!(matches!(&error, Error::NoColumn { column, .. } if column == "nothing"), "{error}");
    let error = with(Some("value"), None).unwrap_err().to_string();
    assert!(error.contains("column value"), "{error}");
}

#[test]
fn the_reference_system_is_the_one_that_the_file_states() {
    let crs = |file: &str| read(&folder().join(file), &options()).unwrap().crs;
    for file in
        ["geopandas-crs-2056.parquet", "geopandas-crs-2056-geoarrow.parquet", "geopandas-crs-2056.arrow"]
    {
        let crs = crs(file).unwrap();
        assert!(crs.to_string().starts_with("EPSG:2056 (CH1903+"), "{crs}");
        assert!(!crs.is_geographic());
    }
    let wgs84 = crs("geopandas-crs-4326.parquet").unwrap();
    assert!(wgs84.is_geographic() && wgs84.differs_from(&crs("geopandas-crs-2056.parquet").unwrap()));
    assert!(!wgs84.differs_from(&crs("sedonadb-1.0.parquet").unwrap()));
    let (lv95, of_z) = (crs("gdal.shp").unwrap(), crs("gdal-z.shp").unwrap());
    assert!(
        lv95.differs_from(&wgs84) && !of_z.differs_from(&wgs84) && of_z.is_geographic(),
        "{lv95}, {of_z}"
    );
    let (lv95, polygons) = (crs("gdal-index.fgb").unwrap(), crs("gdal-polygon.fgb").unwrap());
    assert_eq!(lv95.to_string(), "EPSG:2056 (CH1903+ / LV95)");
    assert!(!polygons.differs_from(&wgs84) && polygons.is_geographic());
    assert_eq!(crs("gdal-mixed.fgb"), None);
    assert_eq!(crs("gdal-index.gpkg").unwrap().to_string(), "EPSG:2056 (CH1903+ / LV95)");
    assert_eq!(crs("gdal.gpkg"), None);
    assert_eq!(crs("pyarrow-plain-none.parquet"), None);
}

#[test]
fn the_answer_does_not_depend_on_threads() {
    for file in ["geopandas-1.1.0-bbox-zstd.parquet", "geopandas-wkb-zstd.arrow"] {
        let read = || by_name(&read(&folder().join(file), &options()).unwrap());
        let expected = read();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(read), expected, "{file}");
        }
    }
}

#[test]
fn a_format_that_is_given_overrides_the_one_that_is_recognised() {
    let path = folder().join("geopandas-wkb.arrow");
    let with = |format| read(&path, &options().format(format));
    assert!(with(Format::Arrow).is_ok());
    assert!(matches!(with(Format::Parquet), Err(Error::Format { .. })));
    assert!(matches!(with(Format::GeoJson), Err(Error::Syntax { .. })));
}

#[test]
fn the_bytes_of_every_format_are_counted() {
    for name in [
        "expected.geojson",
        "pandas-quoted.csv.gz",
        "gdal-index.fgb",
        "gdal.shp",
        "gdal-index.gpkg",
        "geopandas-interleaved.arrow",
        "geopandas-interleaved.arrows",
        "geopandas-1.0.0-snappy.parquet",
    ] {
        let bytes = std::sync::Arc::new(sat2d_io::BytesRead::default());
        let path = folder().join(name);
        read(&path, &options().progress(bytes.clone())).unwrap();
        assert_eq!(bytes.all(), std::fs::metadata(&path).unwrap().len(), "{name}");
        // Most of a small GeoPackage consists of tables without features.
        let least = if name.ends_with("gpkg") { 3_000 } else { bytes.all() / 3 };
        assert!(bytes.read() > least && bytes.read() <= bytes.all(), "{name}: {bytes:?}");
    }
    let bytes = std::sync::Arc::new(sat2d_io::BytesRead::default());
    let parts = folder().join("pyarrow-page-v2-*.parquet");
    read(&parts, &options().progress(bytes.clone())).unwrap();
    assert!(bytes.read() > 0 && bytes.all() >= bytes.read(), "{bytes:?}");
}
