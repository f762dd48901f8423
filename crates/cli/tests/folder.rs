//! A temporary folder for each test, and functions that run the program in it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::{Compression, write::GzEncoder};
use tempfile::TempDir;

use crate::waits::{output_of, output_with_input};

/// The path of the file of US counties, which is in the repository.
pub(crate) const COUNTIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/us-counties.geojson.gz");

/// The values of `--backend` in this build.
pub(crate) const BACKENDS: &[&str] =
    if cfg!(feature = "gpu") { &["cpu", "gpu", "auto"] } else { &["cpu", "auto"] };

/// Closed squares of side 2: `left` overlaps `middle`, which touches `right`; `far` meets nothing.
pub(crate) const SQUARES: [(&str, f64); 4] = [("left", 0.0), ("middle", 1.0), ("right", 3.0), ("far", 9.0)];
pub(crate) const SQUARES_CSV: &str = "a,b,relation\nleft,middle,overlapping\nmiddle,right,touching\n";

pub(crate) struct Folder(TempDir);

/// The result of a run of the program.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Returns a folder with the four squares in `squares.geojson`.
    pub(crate) fn with_squares() -> Self {
        let folder = Self::new();
        folder.write("squares.geojson", squares());
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn read_text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Returns the names of all files in the folder. Tests use it to show that no temporary file is left.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("sat2d"));
        command.current_dir(self.0.path()).args(arguments);
        // The program runs in the environment of a server without a desktop session.
        command.env_remove("XDG_RUNTIME_DIR").env_remove("NODEVICE_SELECT");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(output_of(self.command(arguments)))
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: impl Into<Vec<u8>>) -> Run {
        Run::of(output_with_input(self.command(arguments), input))
    }

    /// Returns the standard output of a join on the CPU.
    pub(crate) fn join(&self, arguments: &[&str]) -> String {
        self.run(&[&["join", "--backend", "cpu"], arguments].concat()).answered().out
    }

    /// Returns the standard error of a join on the CPU.
    pub(crate) fn summary(&self, arguments: &[&str]) -> String {
        self.run(&[&["join", "--backend", "cpu"], arguments].concat()).answered().err
    }
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        Self { code: output.status.code(), out, err }
    }

    #[track_caller]
    pub(crate) fn answered(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self
    }

    /// Asserts that the run ended with exit code 2 and wrote nothing to standard output. Returns the error, which must
    /// be one line.
    #[track_caller]
    pub(crate) fn error(self) -> String {
        assert_eq!(self.code, Some(2), "{}{}", self.out, self.err);
        assert_eq!(self.out, "");
        assert!(self.err.starts_with("Error: "), "{}", self.err);
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        self.err.trim_end().into()
    }
}

/// Returns the coordinates of a square of side 2 whose lower left corner is (x, 0).
pub(crate) fn square(x: f64) -> String {
    let right = x + 2.0;
    format!("[[[{x},0],[{right},0],[{right},2],[{x},2],[{x},0]]]")
}

pub(crate) fn polygon(coordinates: &str) -> String {
    format!(r#"{{"type":"Polygon","coordinates":{coordinates}}}"#)
}

/// Returns a feature as JSON. `id` and `geometry` are JSON. Its property `name` is `n`, followed by the id without
/// quotes and escapes.
pub(crate) fn feature(id: &str, geometry: &str) -> String {
    let name = id.replace(['"', '\\'], "");
    format!(r#"{{"type":"Feature","id":{id},"properties":{{"name":"n{name}"}},"geometry":{geometry}}}"#)
}

pub(crate) fn collection(features: &[String]) -> String {
    format!("{{\"type\":\"FeatureCollection\",\"features\":[\n{}\n]}}\n", features.join(",\n"))
}

/// Returns the four squares as features.
pub(crate) fn square_features() -> Vec<String> {
    SQUARES.iter().map(|(id, x)| feature(&format!("\"{id}\""), &polygon(&square(*x)))).collect()
}

pub(crate) fn squares() -> String {
    collection(&square_features())
}

/// Returns the geometries of `polars.tsv` as text with one geometry on each line.
pub(crate) fn geometries() -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data");
    let table = fs::read_to_string(data.join("polars.tsv")).unwrap();
    let geometries = table.lines().skip(1).map(|row| match row.split('\t').nth(2).unwrap() {
        // A line without a geometry is not a feature.
        "" => "POLYGON EMPTY\n".into(),
        geometry => format!("{geometry}\n"),
    });
    geometries.collect()
}

pub(crate) fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}
