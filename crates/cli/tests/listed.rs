//! The bytes that joins write, as `tests/data/pairs.csv` lists them. The tests of the Python package expect the same bytes of
//! `join_files`.

use std::fmt::Write;

use flate2::Crc;

use crate::folder::*;

const LIST: &str = include_str!("../../../tests/data/pairs.csv");

/// Returns a file of points: a point at each whole degree from 125 to 66 degrees west and from 24 to 49 degrees north, and the
/// corner that four counties share. The id of a point is its coordinates.
fn points() -> String {
    let mut text = String::new();
    let mut add = |x: &str, y: &str| {
        let geometry = format!(r#"{{"type":"Point","coordinates":[{x},{y}]}}"#);
        writeln!(text, r#"{{"type":"Feature","id":"{x} {y}","geometry":{geometry}}}"#).unwrap();
    };
    for x in -125..=-66 {
        for y in 24..=49 {
            add(&x.to_string(), &y.to_string());
        }
    }
    add("-109.04483902389023", "36.998763973029725");
    text
}

#[test]
fn joins_write_the_listed_bytes() {
    let folder = Folder::new();
    folder.write("points.geojson", points());
    let mut found = String::from("input,within,with,format,bytes,crc32\n");
    for row in LIST.lines().skip(1) {
        let [input, within, with, format, ..] = row.split(',').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let with_list = with.replace('+', ",");
        let mut arguments = vec![COUNTIES, "--skip-invalid", "--format", format];
        if input == "points" {
            arguments.insert(0, "points.geojson");
        }
        if !within.is_empty() {
            arguments.extend(["--within", within]);
        }
        if !with.is_empty() {
            arguments.extend(["--with", &with_list]);
        }
        let out = folder.join(&arguments);
        let mut crc = Crc::new();
        crc.update(out.as_bytes());
        writeln!(found, "{input},{within},{with},{format},{},{}", out.len(), crc.sum()).unwrap();
    }
    assert_eq!(found, LIST);
}
