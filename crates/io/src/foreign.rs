//! Formats that the crate recognises by their first bytes or by their name, but does not read. The reader of GeoJSON
//! recognises zip archives and TopoJSON.

use std::path::Path;

/// Returns the name of the format and the remedy if the crate recognises the format of a file but cannot read it.
/// Otherwise, returns `None`. `start` has the first 8 bytes of the file.
pub(crate) fn problem(start: &[u8], path: &Path) -> Option<&'static str> {
    let text = start.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(start).trim_ascii_start();
    if start.starts_with(b"fgb") && !start.starts_with(&crate::flatgeobuf::MAGIC) {
        return Some("it is FlatGeobuf of another version than 3; write it again (`ogr2ogr out.fgb in.fgb`)");
    }
    if text.starts_with(b"<") {
        return Some(
            "it is XML or HTML, such as KML or GML; convert it to GeoJSON first (`ogr2ogr out.geojson in.kml`)",
        );
    }
    let ending = path.extension()?.to_string_lossy().to_lowercase();
    let is_text = matches!(text.first(), Some(b'{' | b'['));
    match ending.as_str() {
        "shx" | "dbf" | "prj" | "cpg" | "sbn" | "sbx" | "qix" if !is_text => {
            Some("it is a part of a Shapefile that has no shapes; name the `.shp` file beside it")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_is_not_read_is_named() {
        for (start, name, says) in [
            (&b"fgb\x02fgb\0"[..], "in.fgb", "FlatGeobuf of another version than 3"),
            (b"<?xml ve", "in.kml", "KML or GML"),
            (b"\xEF\xBB\xBF <gml", "in", "KML or GML"),
            (b"\0\0\x27\x0a\0\0\0\0", "in.SHX", "name the `.shp` file"),
            (b"\x03\x7a\x01\x01\0\0\0\0", "in.dbf", "name the `.shp` file"),
        ] {
            let problem = problem(start, Path::new(name));
            assert!(problem.is_some_and(|problem| problem.contains(says)), "{name}: {problem:?}");
        }
        for (start, name) in
            [(&b"{\"type\":"[..], "in.dbf"), (b"", "in.geojson"), (b"\0\0\x27\x0a\0\0\0\0", "in.shp")]
        {
            assert_eq!(problem(start, Path::new(name)), None, "{name}");
        }
    }
}
