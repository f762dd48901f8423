//! Compressed files: formats that the program reads, and formats that must be unpacked first.

use std::io::Write;
use std::path::Path;

use flate2::{Compression, write::GzEncoder};

use crate::folder::*;

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns a Zstandard frame (RFC 8878) whose blocks are not compressed.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    // The frame has one segment, whose size has 4 bytes.
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0xA0];
    frame.extend((bytes.len() as u32).to_le_bytes());
    let blocks: Vec<&[u8]> = bytes.chunks(10_000).collect();
    for (index, block) in blocks.iter().enumerate() {
        let is_last = u32::from(index + 1 == blocks.len());
        frame.extend(&((block.len() as u32) << 3 | is_last).to_le_bytes()[..3]);
        frame.extend(*block);
    }
    frame
}

fn data(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data").join(name)).unwrap()
}

type Pack = fn(&[u8]) -> Vec<u8>;

/// The compression formats: the ending of a file name, the function that compresses, and a part of the error message.
const PACKINGS: [(&str, Pack, &str); 2] =
    [("gz", gzipped, "gzip, and a compressed"), ("zst", zstd, "Zstandard, and a compressed")];

#[test]
fn compressed_files_give_the_bytes_of_the_plain_ones() {
    let folder = Folder::new();
    for (name, from) in [
        ("polars.wkt", "wkt"),
        ("expected.geojson", "geojson"),
        ("pandas-wkt.csv", "csv"),
        ("pandas-hex.tsv", "tsv"),
        ("gdal-index.fgb", "flatgeobuf"),
        ("geopandas-interleaved.arrows", "arrows"),
    ] {
        let bytes = if from == "wkt" { geometries().into_bytes() } else { data(name) };
        folder.write(name, &bytes);
        let plain = folder.join(&[name, "--skip-invalid"]);
        assert!(plain.lines().count() > 20, "{name}");
        for (ending, pack, _) in PACKINGS {
            let packed_name = format!("{name}.{ending}");
            folder.write(&packed_name, pack(&bytes));
            assert!(folder.join(&[&packed_name, "--skip-invalid"]) == plain, "{packed_name}");
            let arguments = ["join", "-", "--from", from, "--backend", "cpu", "--skip-invalid", "-q"];
            let run = folder.run_with_input(&arguments, pack(&bytes)).answered();
            assert!(run.out == plain, "{packed_name}");
            // The file has two members or two frames.
            let (start, end) = bytes.split_at(bytes.len() / 2);
            folder.write(&packed_name, [pack(start), pack(end)].concat());
            assert!(folder.join(&[&packed_name, "--skip-invalid"]) == plain, "{packed_name}");
        }
    }
}

#[test]
fn formats_that_are_not_streams_have_to_be_unpacked() {
    let folder = Folder::new();
    for (name, format) in [
        ("geopandas-1.0.0-snappy.parquet", "Parquet"),
        ("geopandas-none.feather", "Arrow IPC file"),
        ("gdal.gpkg", "GeoPackage"),
        ("gdal.shp", "Shapefile"),
    ] {
        for (ending, pack, what) in PACKINGS {
            let packed = format!("{name}.{ending}");
            folder.write(&packed, pack(&data(name)));
            let error = folder.run(&["join", &packed, "--backend", "cpu"]).error();
            let says = format!("{packed}: it is {what} {format} cannot be read; unpack it first (`");
            assert!(error.contains(&says), "{error}");
        }
    }
}

#[test]
fn gzip_that_is_cut_short_is_an_error_that_says_so() {
    let folder = Folder::new();
    for file in ["expected.geojson", "duckdb.csv", "gdal-polygon.fgb"] {
        let packed = gzipped(&data(file));
        for cut in [packed.len() - 4, packed.len() - 40, packed.len() / 2, packed.len() / 4, 30] {
            let name = format!("{file}.gz");
            folder.write(&name, &packed[..cut]);
            let error = folder.run(&["join", &name, "--backend", "cpu", "--skip-invalid"]).error();
            assert!(
                error.contains("the gzip data is cut short; fetch the file again"),
                "{name}, {cut}: {error}"
            );
        }
    }
}

#[test]
fn damaged_zstandard_is_an_error_that_says_so() {
    let folder = Folder::new();
    let whole = zstd(squares().as_bytes());
    let error_of = |name: &str, bytes: Vec<u8>| {
        folder.write(name, bytes);
        folder.run(&["join", name, "--backend", "cpu", "--skip-invalid"]).error()
    };
    for (name, file) in [
        ("a.geojson.zst", "expected.geojson"),
        ("a.csv.zst", "duckdb.csv"),
        ("a.fgb.zst", "gdal-polygon.fgb"),
        ("a.arrows.zst", "geopandas-separated.arrows"),
    ] {
        let packed = zstd(&data(file));
        let error = error_of(name, packed[..packed.len() - 4].to_vec());
        assert!(error.contains("the Zstandard data is cut short; fetch the file again"), "{name}: {error}");
    }
    let mut block = whole.clone();
    // This block type does not exist.
    block[9] |= 6;
    let error = error_of("b.geojson.zst", block);
    assert!(error.contains("the Zstandard data is damaged"), "{error}");
    let error = error_of("c.geojson.zst", [&whole[..], b"junk"].concat());
    assert!(error.contains("the Zstandard data is damaged, or other bytes follow it"), "{error}");
    let error = error_of("d.geojson", gzipped(&whole));
    assert!(error.contains("the unpacked data is Zstandard inside of gzip; unpack it once"), "{error}");
    let error = error_of("e.csv.zst", zstd(&whole));
    assert!(error.contains("Zstandard inside of Zstandard; unpack it once (`zstd -d`)"), "{error}");
}
