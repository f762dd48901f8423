//! Tests the output: its formats, its quoting, and that a file appears completely or not at all.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::sample::csv_reader;
use crate::support::bounded;
use sat2d::Relation;
use sat2d_io::{CsvWriter, Error, Id, JsonLinesWriter, Output, PairRow};

fn text(id: &str) -> Id {
    Id::Text(id.into())
}

/// Returns the names of all files in `folder`. Tests use it to show that no temporary file is left.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn csv_quotes_where_it_must_and_keeps_duplicates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pairs.csv");
    let mut rows = CsvWriter::new(Output::create(Some(&path)).unwrap(), &[]).unwrap();
    let pairs = [
        (text("plain"), Id::Index(3), Relation::Touching),
        (text("one, two"), text("say \"hi\""), Relation::Overlapping),
        (text("two\nlines"), Id::Number("1.50".into()), Relation::Touching),
        (text(""), text("plain"), Relation::Disjoint),
        (text("plain"), text("plain"), Relation::Touching),
    ];
    for (a, b, relation) in &pairs {
        rows.write(&PairRow::new(a, b, *relation)).unwrap();
    }
    assert!(!path.exists(), "a file appears when it is whole");
    rows.finish().unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(
        written,
        "a,b,relation\nplain,3,touching\n\"one, two\",\"say \"\"hi\"\"\",overlapping\n\"two\nlines\",1.50,touching\n,plain,disjoint\nplain,plain,touching\n"
    );
    let mut reader = csv_reader(&written);
    for (a, b, _) in &pairs {
        let row = reader.next().unwrap();
        assert_eq!((row[0].as_str(), row[1].as_str()), (a.to_string().as_str(), b.to_string().as_str()));
    }
    assert_eq!(names(folder.path()), ["pairs.csv"]);
}

#[test]
fn json_lines_keep_strings_and_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pairs.jsonl");
    let mut lines = JsonLinesWriter::new(Output::create(Some(&path)).unwrap(), &[]);
    let (a, b) = (text("06001"), Id::Number("123456789012345678901".into()));
    lines.write(&PairRow::new(&a, &b, Relation::Touching)).unwrap();
    lines.write(&PairRow::new(&text("\"\\\n\u{1}é"), &Id::Index(0), Relation::Overlapping)).unwrap();
    lines.finish().unwrap();
    let written = fs::read_to_string(&path).unwrap();
    let (first, second) = written.split_once('\n').unwrap();
    assert_eq!(first, r#"{"a":"06001","b":123456789012345678901,"relation":"touching"}"#);
    let second: serde_json::Value = serde_json::from_str(second).unwrap();
    assert_eq!(second, serde_json::json!({"a": "\"\\\n\u{1}é", "b": 0, "relation": "overlapping"}));
}

#[test]
fn an_output_that_is_dropped_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pairs.csv");
    fs::write(&path, "precious").unwrap();
    let mut rows = CsvWriter::new(Output::create(Some(&path)).unwrap(), &[]).unwrap();
    for i in 0..100_000 {
        rows.write(&PairRow::new(&Id::Index(i), &Id::Index(i + 1), Relation::Touching)).unwrap();
    }
    drop(rows);
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    assert_eq!(names(folder.path()), ["pairs.csv"]);
}

#[test]
fn a_whole_output_replaces_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::write(&path, "a longer text than the new one").unwrap();
    let mut output = Output::create(Some(&path)).unwrap();
    output.write_all(b"new").unwrap();
    output.commit().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn places_that_cannot_be_written_are_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    for (path, says) in [
        (folder.path().to_path_buf(), "directory"),
        (folder.path().join("none/out.csv"), "the folder does not exist"),
    ] {
        let error = Output::create(Some(&path)).unwrap_err();
        assert!(matches!(error, Error::Write { .. }));
        let message = error.to_string();
        assert!(message.contains(says) || cfg!(windows), "{message}");
        assert_eq!(message.matches(path.to_str().unwrap()).count(), 1, "{message}");
        assert!(!error.is_broken_pipe());
    }
    assert!(names(folder.path()).is_empty());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_file_has_the_mode_of_any_new_file_and_an_old_one_keeps_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, ours) = (folder.path().join("plain"), folder.path().join("ours"));
        fs::write(&plain, "").unwrap();
        Output::create(Some(&ours)).unwrap().commit().unwrap();
        assert_eq!(mode(&ours), mode(&plain));
        fs::set_permissions(&ours, fs::Permissions::from_mode(0o640)).unwrap();
        Output::create(Some(&ours)).unwrap().commit().unwrap();
        assert_eq!(mode(&ours), 0o640);
    }

    #[test]
    fn a_symbolic_link_is_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        symlink("file", &link).unwrap();
        let mut output = Output::create(Some(&link)).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_symbolic_link_to_a_file_that_is_yet_to_be_made_is_written_through() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        symlink("below/middle", folder.path().join("link")).unwrap();
        symlink("file", folder.path().join("below/middle")).unwrap();
        let mut output = Output::create(Some(&folder.path().join("link"))).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("below/file")).unwrap(), "new");
        for link in ["link", "below/middle"] {
            assert!(fs::symlink_metadata(folder.path().join(link)).unwrap().is_symlink(), "{link}");
        }
        assert_eq!(names(&folder.path().join("below")), ["file", "middle"]);
    }

    #[test]
    fn a_symbolic_link_that_leads_nowhere_is_one_clear_error() {
        let folder = tempfile::tempdir().unwrap();
        symlink("none/file", folder.path().join("lost")).unwrap();
        symlink("loop", folder.path().join("loop")).unwrap();
        for (name, says) in [("lost", "the folder does not exist"), ("loop", "symbolic link")] {
            let message = Output::create(Some(&folder.path().join(name))).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
            assert!(fs::symlink_metadata(folder.path().join(name)).unwrap().is_symlink());
        }
        assert_eq!(names(folder.path()), ["loop", "lost"]);
    }

    #[test]
    fn a_pipe_is_written_directly_and_its_closing_is_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = {
            let pipe = pipe.clone();
            move || {
                use std::io::Read;
                let mut start = [0; 12];
                fs::File::open(pipe).unwrap().read_exact(&mut start).unwrap();
                start
            }
        };
        let writer = move || {
            let mut rows = CsvWriter::new(Output::create(Some(&pipe)).unwrap(), &[]).unwrap();
            let ids = [Id::Index(1), Id::Index(2)];
            let row = PairRow::new(&ids[0], &ids[1], Relation::Touching);
            // The rows are larger than what a pipe and all buffers can hold.
            (0..1_000_000).find_map(|_| rows.write(&row).err()).unwrap()
        };
        // Each end of a pipe waits until the other one is opened.
        let both = move || {
            let reader = std::thread::spawn(reader);
            (writer(), reader.join().unwrap())
        };
        let (error, start) = bounded::within(60, both);
        assert_eq!(&start, b"a,b,relation");
        assert!(error.is_broken_pipe(), "{error}");
        assert_eq!(names(folder.path()), ["pipe"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn devices_are_written_directly_and_a_full_one_is_an_error() {
        let mut output = Output::create(Some(Path::new("/dev/null"))).unwrap();
        output.write_all(b"gone").unwrap();
        output.commit().unwrap();
        let rows = CsvWriter::new(Output::create(Some(Path::new("/dev/full"))).unwrap(), &[]).unwrap();
        let error = rows.finish().unwrap_err();
        assert!(matches!(error, Error::Write { .. }) && !error.is_broken_pipe());
        assert!(error.to_string().starts_with("cannot write /dev/full: "), "{error}");
    }
}
