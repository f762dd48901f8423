//! Finds out whether two paths lead to one file, so that no output replaces an input.

use std::fs;
use std::path::{Path, PathBuf};

use super::{links, parts};

/// The files that a run reads or writes. No two outputs may be one file, and no output may be an input.
#[derive(Debug)]
pub struct TakenFiles {
    inputs: Vec<PathBuf>,
    taken: Vec<PathBuf>,
}

impl TakenFiles {
    /// Takes the files of all inputs. An input is a file, a folder of files or a pattern. The input `-` is standard
    /// input, which is no file.
    pub fn of_inputs<'a>(inputs: impl IntoIterator<Item = &'a Path>) -> Self {
        let inputs: Vec<PathBuf> =
            inputs.into_iter().filter(|path| path.as_os_str() != "-").map(PathBuf::from).collect();
        let taken = inputs.iter().flat_map(|input| identities(input)).collect();
        Self { inputs, taken }
    }

    /// Takes the file of an output. Returns `false` if the file is already taken, or if a later run would read the file
    /// as a part of an input. The file does not need to exist.
    #[must_use]
    pub fn take(&mut self, output: &Path) -> bool {
        let Some(file) = identity(output) else { return true };
        let is_part = |input: &PathBuf| is_in(&file, input) || parts::has_match(input, &file);
        if self.taken.contains(&file) || self.inputs.iter().any(is_part) {
            return false;
        }
        self.taken.push(file);
        true
    }
}

/// Returns the identity of each file of an input.
fn identities(input: &Path) -> Vec<PathBuf> {
    let files = parts::files(input).ok().flatten();
    files.unwrap_or_else(|| vec![input.into()]).iter().filter_map(|file| identity(file)).collect()
}

/// Returns whether a file lies in a folder that is an input.
fn is_in(file: &Path, input: &Path) -> bool {
    input.is_dir() && fs::canonicalize(input).is_ok_and(|folder| file.starts_with(folder))
}

/// Returns an identity that all names of one regular file share, even if the file does not exist yet. The identity of
/// standard output is `-`. Returns `None` for a device or a pipe, to which several outputs may write. Also returns
/// `None` if the folder of the file does not exist.
#[must_use]
pub fn identity(path: &Path) -> Option<PathBuf> {
    if path.as_os_str() == "-" {
        return Some(path.into());
    }
    match fs::metadata(path) {
        Ok(metadata) => metadata.is_file().then(|| fs::canonicalize(path).ok())?,
        Err(_) => {
            let path = links::follow(path).ok()?;
            let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
            Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests {
    use super::*;

    /// Returns a folder with `parts/a.csv`, `parts/more/b.csv` and `other.csv`.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("parts/more")).unwrap();
        for name in ["parts/a.csv", "parts/more/b.csv", "other.csv"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    #[test]
    fn an_output_is_no_part_of_an_input() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        for (input, output, is_free) in [
            ("other.csv", "parts/../other.csv", false),
            ("other.csv", "parts/new.csv", true),
            ("parts", "parts/a.csv", false),
            ("parts", "parts/new.csv", false),
            ("parts", "parts/more/new.txt", false),
            ("parts/", "other.csv", true),
            ("parts/*.csv", "parts/a.csv", false),
            ("parts/*.csv", "parts/new.csv", false),
            ("parts/*.csv", "parts/new.jsonl", true),
            ("parts/*.csv", "parts/_new.csv", true),
            ("parts/*.csv", "parts/more/new.csv", true),
            ("p*/m*/?.csv", "parts/more/c.csv", false),
            ("p*/m*/?.csv", "parts/more/cc.csv", true),
            ("**/*.csv", "parts/more/new.csv", false),
            ("**/*.csv", "new.csv", false),
            ("**/*.csv", "new.jsonl", true),
            ("parts/m*", "parts/more/new.jsonl", false),
            ("parts/**", "parts/new.jsonl", false),
        ] {
            let input = at(input);
            let mut files = TakenFiles::of_inputs([input.as_path()]);
            assert_eq!(files.take(&at(output)), is_free, "{} and {output}", input.display());
        }
    }

    #[test]
    fn two_outputs_are_two_files() {
        let folder = folder();
        let mut files = TakenFiles::of_inputs([Path::new("-")]);
        assert!(files.take(Path::new("-")) && !files.take(Path::new("-")));
        assert!(files.take(&folder.path().join("new")) && !files.take(&folder.path().join("parts/../new")));
        assert!(files.take(&folder.path().join("newer")));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_takes_several_outputs_and_a_link_is_its_target() {
        use std::os::unix::fs::symlink;
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        symlink(at("parts"), at("link")).unwrap();
        symlink(at("parts/new.csv"), at("new")).unwrap();
        let pattern = at("link/*.csv");
        let mut files = TakenFiles::of_inputs([pattern.as_path()]);
        assert!(files.take(Path::new("/dev/null")) && files.take(Path::new("/dev/null")));
        assert!(!files.take(&at("parts/new.csv")) && !files.take(&at("new")));
    }
}
