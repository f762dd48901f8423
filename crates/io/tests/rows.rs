//! Tests that writing many rows at once gives the same text as writing single rows, for any number of threads.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::ThreadPoolBuilder;
use sat2d_io::{Column, CsvWriter, GeoJsonPairWriter, Id, JsonLinesWriter, Output};

use crate::sample::{ALL_COLUMNS, mixed_ids, row};

const FORMATS: [&str; 3] = ["csv", "jsonl", "geojson"];

/// Writes rows with `write` one at a time, or with `write_rows` if `at_once` is true.
fn write(path: &Path, format: &str, ids: &[Id], columns: &[Column], count: usize, at_once: bool) {
    let output = Output::create(Some(path)).unwrap();
    let row = |k| row(ids, k);
    macro_rules! with {
        ($writer:expr) => {{
            let mut writer = $writer;
            if at_once {
                // Write the rows in two calls. The first call may be empty.
                writer.write_rows(count / 3, row).unwrap();
                writer.write_rows(count - count / 3, |k| row(count / 3 + k)).unwrap();
            } else {
                (0..count).for_each(|k| writer.write(&row(k)).unwrap());
            }
            writer.finish().unwrap();
        }};
    }
    match format {
        "csv" => with!(CsvWriter::new(output, columns).unwrap()),
        "jsonl" => with!(JsonLinesWriter::new(output, columns)),
        _ => with!(GeoJsonPairWriter::new(output, columns).unwrap()),
    }
}

fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

#[test]
fn rows_at_once_have_the_text_of_rows_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let (one, many) = (folder.path().join("one"), folder.path().join("many"));
    let ids = mixed_ids();
    // A block has 2,048 rows, and a round has two blocks for each thread.
    let counts = [0, 1, 2, 31, 32, 33, 2047, 2048, 2049, 4097, 3 * 2048, 8192 + 1, 20_480, 31_000];
    for format in FORMATS {
        for columns in [&[][..], &ALL_COLUMNS] {
            for count in counts {
                write(&one, format, &ids, columns, count, false);
                for threads in [1, 2, 5] {
                    on_threads(threads, || write(&many, format, &ids, columns, count, true));
                    let same = fs::read(&one).unwrap() == fs::read(&many).unwrap();
                    assert!(same, "{format}, {columns:?}, {count} rows, {threads} threads");
                }
            }
        }
    }
}

#[test]
fn long_ids_are_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (one, many) = (folder.path().join("one"), folder.path().join("many"));
    let long = |k: usize| Id::Text("long, ".repeat(k * 10_000).into());
    let ids: Vec<Id> = (0..7).map(long).collect();
    // The longest ids are several times as long as the buffer of an output.
    let count = 70;
    for format in FORMATS {
        write(&one, format, &ids, &[], count, false);
        on_threads(2, || write(&many, format, &ids, &[], count, true));
        assert!(fs::read(&one).unwrap() == fs::read(&many).unwrap(), "{format}");
    }
}

#[test]
fn rows_at_once_are_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, compressed) = (folder.path().join("pairs.csv"), folder.path().join("pairs.csv.gz"));
    let ids = mixed_ids();
    write(&plain, "csv", &ids, &ALL_COLUMNS, 30_000, false);
    on_threads(2, || write(&compressed, "csv", &ids, &ALL_COLUMNS, 30_000, true));
    let mut text = Vec::new();
    let file = fs::File::open(&compressed).unwrap();
    flate2::read::GzDecoder::new(file).read_to_end(&mut text).unwrap();
    assert!(text == fs::read(&plain).unwrap());
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_ends_the_writing_soon() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        move || fs::File::open(pipe).unwrap().read_exact(&mut [0; 12]).unwrap()
    };
    let writer = move || {
        let mut rows = CsvWriter::new(Output::create(Some(&pipe)).unwrap(), &[]).unwrap();
        let (ids, formatted) = (mixed_ids(), AtomicUsize::new(0));
        let count_and_make = |k| {
            formatted.fetch_add(1, Ordering::Relaxed);
            row(&ids, k)
        };
        let written = on_threads(2, || rows.write_rows(100_000_000, count_and_make));
        (written.unwrap_err(), formatted.into_inner())
    };
    // Each end of a pipe waits until the other one is opened.
    let both = move || {
        let reader = std::thread::spawn(reader);
        let written = writer();
        reader.join().unwrap();
        written
    };
    let (error, formatted) = crate::support::bounded::within(60, both);
    assert!(error.is_broken_pipe(), "{error}");
    assert!(formatted < 100_000, "{formatted} rows were formatted");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_an_error() {
    let ids = mixed_ids();
    let output = Output::create(Some(Path::new("/dev/full"))).unwrap();
    let mut rows = JsonLinesWriter::new(output, &ALL_COLUMNS);
    let error = rows.write_rows(100_000, |k| row(&ids, k)).unwrap_err();
    assert!(error.to_string().starts_with("cannot write /dev/full: "), "{error}");
}
