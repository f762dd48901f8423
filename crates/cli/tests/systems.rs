//! Files in different coordinate reference systems.

use crate::folder::*;

/// Returns the squares as a collection that states a system by the name `crs`.
fn squares_in(crs: &str) -> String {
    let member = format!(r#"{{"crs":{{"type":"name","properties":{{"name":"{crs}"}}}},"#);
    squares().replacen('{', &member, 1)
}

/// Returns a table with one square. Its text begins with `srid`.
fn table(srid: &str) -> String {
    format!("id,wkt\n1,\"{srid}POLYGON ((0 0, 2 0, 2 2, 0 2))\"\n")
}

#[test]
fn files_that_certainly_differ_are_an_error_that_names_both() {
    let folder = Folder::new();
    folder.write("utm.geojson", squares_in("urn:ogc:def:crs:EPSG::25832"));
    folder.write("degrees.geojson", squares_in("urn:ogc:def:crs:OGC:1.3:CRS84"));
    folder.write("none.geojson", squares());
    folder.write("utm.csv", table("SRID=25832;"));
    folder.write("degrees.csv", table("SRID=4326;"));
    folder.write("none.csv", table(""));
    for (a, of_a, b, of_b) in [
        ("utm.geojson", "EPSG:25832", "degrees.geojson", "OGC:CRS84"),
        ("degrees.csv", "EPSG:4326", "utm.geojson", "EPSG:25832"),
        ("utm.csv", "EPSG:25832", "degrees.geojson", "OGC:CRS84"),
        ("utm.csv", "EPSG:25832", "degrees.csv", "EPSG:4326"),
    ] {
        let error = folder.run(&["join", a, b]).error();
        let start = format!("Error: {a} is in {of_a}, but {b} is in {of_b}; transform one of them");
        assert!(error.starts_with(&start), "{error}");
        folder.run(&["join", a, b, "--ignore-crs", "-q"]).answered();
    }
    for (a, b) in [
        ("utm.geojson", "utm.csv"),
        ("degrees.geojson", "degrees.csv"),
        ("utm.geojson", "none.geojson"),
        ("none.csv", "degrees.geojson"),
        ("none.geojson", "utm.csv"),
    ] {
        folder.run(&["join", a, b, "-q"]).answered();
    }
}

#[test]
fn a_system_without_a_code_differs_from_another_kind() {
    let folder = Folder::new();
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data");
    for (name, text) in [
        ("degrees", r#"GEOGCS["my degrees",DATUM["d"],UNIT["degree",0.0174]]"#),
        ("grid", r#"PROJCS["my grid",GEOGCS["g",DATUM["d"]],UNIT["metre",1]]"#),
        ("other", r#"PROJCS["my other grid",GEOGCS["g",DATUM["d"]],UNIT["metre",1]]"#),
    ] {
        std::fs::copy(data.join("gdal.shp"), folder.path(&format!("{name}.shp"))).unwrap();
        folder.write(&format!("{name}.prj"), text);
    }
    folder.write("utm.csv", table("SRID=25832;"));
    for (a, b) in [("degrees.shp", "grid.shp"), ("degrees.shp", "utm.csv")] {
        let error = folder.run(&["join", a, b, "--skip-invalid"]).err;
        let error = error.lines().last().unwrap();
        assert!(error.starts_with(&format!("Error: {a} is in my degrees, but {b} is in ")), "{error}");
    }
    // The two systems may be one system under two names.
    for (a, b) in [("grid.shp", "other.shp"), ("grid.shp", "utm.csv")] {
        folder.run(&["join", a, b, "--skip-invalid"]).answered();
    }
}

#[test]
fn info_and_the_summary_show_what_collections_and_geometries_state() {
    let folder = Folder::new();
    folder.write("degrees.geojson", squares_in("urn:ogc:def:crs:OGC:1.3:CRS84"));
    folder.write("utm.csv", table("SRID=25832;"));
    let info = |name: &str| folder.run(&["info", name]).answered().out;
    assert!(info("degrees.geojson").contains("\ncrs             OGC:CRS84\n"));
    assert!(info("utm.csv").contains("\ncrs             EPSG:25832\n"));
    let told = folder.summary(&["degrees.geojson"]);
    assert!(told.contains("longitude and latitude (OGC:CRS84), taken as planar"), "{told}");
    assert!(!folder.summary(&["utm.csv"]).contains("longitude"));
}

#[test]
fn two_systems_in_one_file_are_an_error_unless_they_are_ignored() {
    let folder = Folder::new();
    folder.write("mixed.csv", table("SRID=25832;") + "2,\"SRID=4326;POLYGON ((0 0, 2 0, 2 2, 0 2))\"\n");
    let error = folder.run(&["join", "mixed.csv"]).error();
    let says = "mixed.csv: feature 0 (id 1) states the SRID 25832, but feature 1 (id 2) states the SRID 4326";
    assert!(error.contains(says) && error.contains("--ignore-crs"), "{error}");
    assert_eq!(folder.join(&["mixed.csv", "--ignore-crs"]), "a,b,relation\n1,2,overlapping\n");
}

#[test]
fn info_counts_the_features_of_each_srid() {
    let folder = Folder::new();
    let row = |id: u32, srid: &str| format!("{id},\"{srid}POLYGON ((0 0, 2 0, 2 2, 0 2))\"\n");
    let rows = ["SRID=25832;", "SRID=4326;", "", "SRID=25832;"];
    let rows: String = rows.into_iter().zip(1..).map(|(srid, id)| row(id, srid)).collect();
    folder.write("mixed.csv", format!("id,wkt\n{rows}"));
    let run = folder.run(&["info", "mixed.csv"]).answered();
    assert!(run.out.contains("\ncrs             several, by the SRIDs of the features\n"), "{}", run.out);
    let srids = "features        4\n  Polygon       4\n  SRID 4326     1\n  SRID 25832    2\nextent";
    assert!(run.out.contains(srids), "{}", run.out);
    assert_eq!(run.err, "");
    let report = folder.run(&["info", "mixed.csv", "--json"]).answered().out;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["crs"], &report["srids"]["25832"]), (&serde_json::Value::Null, &2.into()));
    let many: String = (0..20).map(|k| row(k, &format!("SRID={};", 2000 + k / 2))).collect();
    folder.write("many.csv", format!("id,wkt\n{many}"));
    let told = folder.run(&["info", "many.csv"]).answered().out;
    assert!(told.contains("\n  SRID 2007     2\n  other SRIDs   4\n"), "{told}");
    // The SRIDs of all part files are counted.
    std::fs::create_dir(folder.path("parts")).unwrap();
    folder.write("parts/a.csv", format!("id,wkt\n{}", row(1, "SRID=25832;")));
    folder.write("parts/b.csv", format!("id,wkt\n{}", row(2, "SRID=25832;")));
    let told = folder.run(&["info", "parts"]).answered().out;
    assert!(
        told.contains("\ncrs             EPSG:25832\n") && told.contains("\n  SRID 25832    2\n"),
        "{told}"
    );
    // A part with several SRIDs states no system, whether it is the first part or a later one.
    for [a, b] in [["", "SRID=25832;"], ["SRID=25832;", ""]] {
        let rows = |srid: &str| match srid {
            "" => row(1, "SRID=25832;") + &row(2, "SRID=4326;"),
            srid => row(1, srid),
        };
        folder.write("parts/a.csv", format!("id,wkt\n{}", rows(a)));
        folder.write("parts/b.csv", format!("id,wkt\n{}", rows(b)));
        let told = folder.run(&["info", "parts"]).answered().out;
        assert!(told.contains("\ncrs             several, by the SRIDs of the features\n"), "{told}");
    }
}
