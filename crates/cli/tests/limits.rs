//! Tests with little memory or few threads: the program keeps only the necessary data, and reports an error if the data
//! does not fit.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

use crate::folder::*;
use crate::waits::output_of;

/// Returns a gzip file with a collection of two features. The text of the second feature has a gap, which copies of
/// `long` fill up to `mib` MiB. `around` is its text before the gap and after the gap.
fn bomb(around: [&str; 2], long: &[u8], mib: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let first = feature("\"first\"", &polygon(&square(0.0)));
    write!(encoder, "{{\"type\":\"FeatureCollection\",\"features\":[{first},\n{}", around[0]).unwrap();
    let chunk = long.repeat((1 << 20) / long.len());
    (0..mib).for_each(|_| encoder.write_all(&chunk).unwrap());
    write!(encoder, "{}]}}", around[1]).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_feature_may_take_so_much_text_and_no_more() {
    let folder = Folder::new();
    let geometry = r#""geometry":{"type":"Polygon","coordinates":[[[1,0],[3,0],[3,2]]]}"#;
    let with_id = format!("{{\"type\":\"Feature\",{geometry},\"id\":");
    let with_id = with_id.as_str();
    let in_ring = r#"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[1,0],"#;
    let in_position = format!("{in_ring}[3,");
    for (around, long) in [
        ([&format!("{with_id}\""), "\"}"], &b"text"[..]),
        ([with_id, "}"], b"1"),
        ([in_ring, "]]]}}"], b"  \n\t"),
        ([in_ring, "]]]}}"], b"[3,0],[3,2],"),
        ([in_ring, "]]]}}"], b"["),
        ([&in_position, "]]]]}}"], b"0"),
    ] {
        folder.write("in.geojson.gz", bomb(around, long, 3));
        let arguments =
            ["join", "in.geojson.gz", "-o", "pairs.csv", "--max-feature-mib", "2", "--skip-invalid"];
        let error = folder.run(&arguments).error();
        let says = "Error: in.geojson.gz, feature 1: its text exceeds the limit of 2097152 bytes for one feature; \
                    split it, or raise the limit (`--max-feature-mib`";
        assert!(error.starts_with(says), "{around:?}: {error}");
        assert_eq!(folder.names(), ["in.geojson.gz"]);
    }
    folder.write("in.geojson.gz", bomb([&format!("{with_id}\""), "\"}"], b"text", 3));
    let arguments = ["join", "in.geojson.gz", "--max-feature-mib", "4", "--backend", "cpu"];
    assert!(folder.run(&arguments).answered().out.ends_with("text,overlapping\n"));
}

/// Tests that the error in a long feature has a place in the input, although a part of the text was not kept.
#[test]
fn what_is_wrong_in_a_long_feature_is_told_with_its_place() {
    let folder = Folder::new();
    let geometry = r#""geometry":{"type":"Polygon","coordinates":[[[1,0],[3,0],[3,2]]]}"#;
    let start = "{\"type\":\"Feature\",\n\"properties\":{\"a\":[\"";
    for (end, says) in [
        ("\",tru]}}", "line 3, column 2097178: expected ident"),
        ("\",1,]}}", "line 3, column 2097177: expected value"),
        ("\n\"]}}", "line 3, column 2097173: control character"),
        (
            &format!("\"]}},\n{geometry},,}}"),
            "line 4, column 67: expected a member's name in quotes, found `,`",
        ),
        (
            &format!("\"]}},\n{}}}", geometry.replace("[3,2]", "[3 2]")),
            "line 4, column 61: expected `,` or `]`",
        ),
        (&format!("\"],\"b\":NaN}},\n{geometry}}}"), "feature 1: NaN and Infinity are not JSON"),
    ] {
        folder.write("in.geojson.gz", bomb([start, end], b"text", 2));
        let error = folder.run(&["join", "in.geojson.gz"]).error();
        assert!(error.contains(says), "{end}: {error}");
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::process::Command;

    use super::*;

    /// Runs the program with an address space of `kib` KiB.
    fn run_within(folder: &Folder, kib: usize, arguments: &[&str]) -> Run {
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &kib.to_string()]);
        let command = folder.command(arguments);
        limited.arg(command.get_program()).args(command.get_args()).current_dir(folder.path("."));
        Run::of(output_of(limited))
    }

    #[test]
    fn what_nobody_needs_takes_no_memory() {
        let folder = Folder::new();
        let geometry = r#""geometry":{"type":"Polygon","coordinates":[[[1,0],[3,0],[3,2]]]}"#;
        let end = format!(",{geometry}}}");
        let property = r#"{"type":"Feature","id":"second","properties":{"a":"#;
        let foreign = r#"{"type":"Feature","id":"second","a":"#;
        for (around, long) in [
            ([format!("{property}\""), format!("\"}}{end}")], &b"text"[..]),
            ([property.into(), format!("}}{end}")], b"1"),
            ([property.into(), format!("1}}{end}")], b"  \n\t"),
            ([format!("{property}["), format!("1]}}{end}")], b"true, {\"b\": [1e3, \"\\u00e9\"]}, "),
            ([format!("{foreign}\""), format!("\"{end}")], b"text"),
        ] {
            // The text is longer than the address space.
            folder.write("in.geojson.gz", bomb(around.each_ref().map(String::as_str), long, 130));
            let arguments = ["join", "in.geojson.gz", "--backend", "cpu", "--threads", "1"];
            // In more memory, glibc may reserve 64 MiB of addresses for a second thread, which then lack at the end.
            let run = run_within(&folder, 90_000, &arguments).answered();
            assert_eq!(run.out, "a,b,relation\nfirst,second,overlapping\n");
        }
    }

    /// Tests that millions of empty features fit into memory that is too small for their text.
    #[test]
    fn features_without_a_geometry_take_few_bytes() {
        let folder = Folder::new();
        let empty = "{\"type\":\"Feature\",\"geometry\":null}\n";
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let concave = polygon("[[[0,0],[4,0],[4,1],[1,1],[1,4],[0,4]]]");
        writeln!(encoder, "{}\n{}", feature("\"concave\"", &concave), square_features()[0]).unwrap();
        let (chunk, count) = (empty.repeat(10_000), 2_000_000);
        (0..count / 10_000).for_each(|_| encoder.write_all(chunk.as_bytes()).unwrap());
        folder.write("in.ndjson.gz", encoder.finish().unwrap());
        let arguments = ["join", "in.ndjson.gz", "--backend", "cpu", "--threads", "1"];
        let run = run_within(&folder, 350_000, &arguments).answered();
        assert_eq!(run.out, "a,b,relation\nconcave,left,overlapping\n");
        assert!(run.err.contains("2,000,000 null geometries"), "{}", run.err);
    }

    #[test]
    fn memory_that_is_refused_is_an_error() {
        let folder = Folder::new();
        folder.run(&["gen", "--scene", "ngons", "--count", "100000", "-o", "in.geojson"]).answered();
        let property = r#"{"type":"Feature","geometry":null,"id":""#;
        folder.write("one.geojson.gz", bomb([property, "\"}"], b"text", 200));
        folder.write("pairs.csv", "old");
        for (input, kib) in [("in.geojson", 60_000), ("in.geojson", 72_000), ("one.geojson.gz", 120_000)] {
            let arguments = [
                "join",
                input,
                "--backend",
                "cpu",
                "--threads",
                "2",
                "-o",
                "pairs.csv",
                "--stats",
                "stats.json",
            ];
            let error = run_within(&folder, kib, &arguments).error();
            assert!(error.contains("out of memory: ") && error.contains(" bytes were refused"), "{error}");
            assert_eq!(folder.names(), ["in.geojson", "one.geojson.gz", "pairs.csv"]);
            assert_eq!(folder.read_text("pairs.csv"), "old");
        }
    }

    /// Tests that the temporary file is removed even if memory is too scarce to copy its name.
    #[test]
    fn memory_that_is_refused_leaves_no_temporary_file_of_a_long_name() {
        let folder = Folder::new();
        folder.run(&["gen", "--scene", "ngons", "--count", "100000", "-o", "in.geojson"]).answered();
        let deep = format!("{}/{}", "d".repeat(200), "e".repeat(200));
        std::fs::create_dir_all(folder.path(&deep)).unwrap();
        let pairs = format!("{deep}/pairs.csv");
        for kib in [60_000, 72_000] {
            let arguments =
                ["join", "in.geojson", "--backend", "cpu", "--threads", "2", "-o", pairs.as_str()];
            let error = run_within(&folder, kib, &arguments).error();
            assert!(error.contains("out of memory: ") && error.contains(" bytes were refused"), "{error}");
            assert_eq!(std::fs::read_dir(folder.path(&deep)).unwrap().count(), 0, "{error}");
        }
    }

    #[test]
    fn threads_that_are_refused_are_done_without() {
        let folder = Folder::with_squares();
        for arguments in [
            &["join", "squares.geojson", "--backend", "cpu"][..],
            &["explain", "squares.geojson", "--pair", "left", "middle"],
            &["check", "squares.geojson", "--backend", "cpu"],
            &["gen", "--scene", "boxes", "--count", "5000"],
            &["sim", "--scene", "pile", "--bodies", "50", "--steps", "3", "--stats"],
            &["info"],
            &[
                "bench",
                "--scene",
                "boxes",
                "--count",
                "1000",
                "--repeats",
                "1",
                "--no-files",
                "--backend",
                "cpu",
            ],
            &["bench", "--worlds", "--count", "50", "--settle", "1", "--run-steps", "1", "--backend", "cpu"],
        ] {
            let mut command = folder.command(arguments);
            // A stack larger than the address space is refused in the same way as too many threads.
            command.env("RUST_MIN_STACK", (1u64 << 50).to_string());
            let run = Run::of(output_of(command)).answered();
            let usual = folder.run(arguments).answered();
            let note = "note: the system refused one thread per core; 1 of ";
            assert_eq!(run.err.matches(note).count(), 1, "{arguments:?}: {}", run.err);
            assert!(!usual.err.contains("note: "), "{}", usual.err);
            if !["sim", "info", "check", "bench"].contains(&arguments[0]) {
                assert_eq!(run.out, usual.out);
            }
        }
    }
}
