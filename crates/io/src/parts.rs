//! Finds the files of an input: one file, the part files of a folder, or the files that match a pattern.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::{Error, Result};

/// The largest depth of nested folders that the search for files follows. Without a limit, the search would not end if symbolic
/// links form a circle.
const MAX_DEPTH: usize = 16;

/// Returns the files of an input, in order. Returns `None` if the input is one file, or does not exist.
///
/// # Errors
/// - [`Error::Read`] if a folder cannot be listed, if folders are inside each other too deeply, or if there is no file.
/// - [`Error::Format`] if the folder is a database of another program.
pub(crate) fn files(input: &Path) -> Result<Option<Vec<PathBuf>>> {
    let mut found = Vec::new();
    if input.as_os_str() == "-" {
        return Ok(None);
    }
    if input.is_dir() {
        if input.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gdb")) {
            let problem = "it is a File Geodatabase of Esri; convert it first (`ogr2ogr out.gpkg in.gdb`)";
            return Err(Error::Format { path: input.into(), problem: problem.into() });
        }
        add_folder(input, 0, &mut found)?;
    } else if let Some((start, names)) = pattern(input) {
        add_matches(&start, &names, 0, &mut found)?;
    } else {
        return Ok(None);
    }
    if found.is_empty() {
        let problem =
            if input.is_dir() { "the folder has no part files" } else { "no file matches the pattern" };
        let source = io::Error::new(io::ErrorKind::NotFound, format!("{problem}; name another input"));
        return Err(Error::Read { path: input.into(), source });
    }
    found.sort();
    found.dedup();
    Ok(Some(found))
}

/// Splits a pattern. Returns the folder at which the search for files starts, and one pattern for each name in the path
/// below this folder. Returns `None` if `input` has no wildcard, or is the name of an existing file.
fn pattern(input: &Path) -> Option<(PathBuf, Vec<String>)> {
    if !is_pattern(input.as_os_str()) || std::fs::symlink_metadata(input).is_ok() {
        return None;
    }
    let (mut start, mut names) = (PathBuf::new(), Vec::new());
    for component in input.components() {
        match component {
            Component::Normal(name) if !names.is_empty() || is_pattern(name) => {
                names.push(name.to_string_lossy().into_owned());
            }
            component => start.push(component),
        }
    }
    Some((start, names))
}

/// Returns whether a file with this name is not a part file. The name of such a file begins with `.` or `_`, as in
/// `_SUCCESS`.
fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_'])
}

/// Returns the paths in a folder, or [`Error::Read`] if the folder cannot be read. An empty path means the current folder.
fn names_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |source| Error::Read { path: folder.into(), source };
    let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(shown).map_err(unreadable)? {
        names.push(folder.join(entry.map_err(unreadable)?.file_name()));
    }
    Ok(names)
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Adds the part files of a folder and of all folders inside it. Returns an error if a folder cannot be read, or if there are
/// more than [`MAX_DEPTH`] folders inside each other.
fn add_folder(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    if depth > MAX_DEPTH {
        let problem =
            format!("there are more than {MAX_DEPTH} folders inside of each other; name the inner folder");
        let source = io::Error::new(io::ErrorKind::InvalidInput, problem);
        return Err(Error::Read { path: folder.into(), source });
    }
    for path in names_in(folder)? {
        if is_hidden(&name_of(&path)) {
            continue;
        }
        if path.is_dir() {
            add_folder(&path, depth + 1, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// Adds the files whose path relative to `folder` matches `patterns`, which has one pattern for each name in the path. If a
/// folder matches, adds its part files. Returns an error if a folder cannot be read, or the errors of [`add_folder`].
fn add_matches(folder: &Path, patterns: &[String], depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let Some((pattern, rest)) = patterns.split_first() else {
        if folder.is_dir() {
            return add_folder(folder, depth, found);
        }
        found.push(folder.into());
        return Ok(());
    };
    // The pattern `**` matches any number of folders.
    let is_deep = pattern == "**";
    if is_deep {
        add_matches(folder, rest, depth, found)?;
    }
    if depth > MAX_DEPTH || !(folder.as_os_str().is_empty() || folder.is_dir()) {
        return Ok(());
    }
    for path in names_in(folder)? {
        let name = name_of(&path);
        if is_deep && !is_hidden(&name) && path.is_dir() {
            add_matches(&path, patterns, depth + 1, found)?;
        }
        if !is_deep && takes(pattern, &name) {
            add_matches(&path, rest, depth + 1, found)?;
        }
    }
    Ok(())
}

fn is_pattern(name: &OsStr) -> bool {
    name.to_string_lossy().contains(['*', '?', '['])
}

/// Returns whether [`files`] would find `file` by the pattern `input` if the file existed. `file` is an absolute path without
/// symbolic links. Returns `false` if `input` is not a pattern.
pub(crate) fn has_match(input: &Path, file: &Path) -> bool {
    let Some((start, names)) = pattern(input) else { return false };
    leads_to(file, &start, &names, 0)
}

/// Returns whether [`add_matches`] with the same arguments would add `file` if the file existed.
fn leads_to(file: &Path, folder: &Path, patterns: &[String], depth: usize) -> bool {
    let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(real) = std::fs::canonicalize(shown) else { return false };
    let Some((pattern, rest)) = patterns.split_first() else {
        return real.is_dir() && file.starts_with(real);
    };
    let is_deep = pattern == "**";
    if is_deep && leads_to(file, folder, rest, depth) {
        return true;
    }
    if depth > MAX_DEPTH || !real.is_dir() {
        return false;
    }
    let is_new = rest.is_empty() && file.parent() == Some(real.as_path());
    if !is_deep && is_new && takes(pattern, &name_of(file)) {
        return true;
    }
    names_in(folder).unwrap_or_default().into_iter().filter(|path| path.is_dir()).any(|path| {
        let name = name_of(&path);
        (is_deep && !is_hidden(&name) && leads_to(file, &path, patterns, depth + 1))
            || (!is_deep && takes(pattern, &name) && leads_to(file, &path, rest, depth + 1))
    })
}

/// Returns whether a name matches a pattern. A hidden name (a name that begins with `.` or `_`) matches only a pattern
/// that begins with `.` or `_`.
fn takes(pattern: &str, name: &str) -> bool {
    (!is_hidden(name) || is_hidden(pattern)) && matches(pattern, name)
}

/// Returns whether a name matches a pattern. `*` is any text, `?` is any character, `[a-z]` is one character of a set,
/// and `[!a-z]` is a character outside a set.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut next) = (0, 0);
    // The index in the pattern of the last star, and the index in the name after the characters that this star matches.
    let mut star: Option<(usize, usize)> = None;
    while next < name.len() {
        let found = match pattern.get(at) {
            Some('*') => {
                star = Some((at, next));
                at += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => one_of(&pattern[at..], name[next]),
            Some(&character) => (character == name[next]).then_some(1),
            None => None,
        };
        match (found, star) {
            (Some(length), _) => (at, next) = (at + length, next + 1),
            // The last star now matches one more character.
            (None, Some((place, start))) => {
                star = Some((place, start + 1));
                (at, next) = (place + 1, start + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[at..].iter().all(|&character| character == '*')
}

/// Returns the length of the set at the start of `pattern` if the set contains `character`, otherwise `None`. A bracket that is
/// never closed stands for itself.
fn one_of(pattern: &[char], character: char) -> Option<usize> {
    let is_not = matches!(pattern.get(1), Some('!' | '^'));
    let start = if is_not { 2 } else { 1 };
    // A closing bracket directly after the start of the set belongs to the set.
    let end = pattern.iter().skip(start + 1).position(|&character| character == ']').map(|at| start + 1 + at);
    let Some(end) = end else { return (character == '[').then_some(1) };
    let mut set = &pattern[start..end];
    let mut has = false;
    while let Some((&first, rest)) = set.split_first() {
        match rest {
            ['-', last, ..] => {
                has |= (first..=*last).contains(&character);
                set = &rest[2..];
            }
            _ => {
                has |= first == character;
                set = rest;
            }
        }
    }
    (has != is_not).then_some(end + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*.parquet", "a.parquet", true),
            ("*.parquet", "a.parquet.crc", false),
            ("part-?.csv", "part-1.csv", true),
            ("part-?.csv", "part-10.csv", false),
            ("part-[0-4].csv", "part-3.csv", true),
            ("part-[0-4].csv", "part-5.csv", false),
            ("part-[!0-4].csv", "part-5.csv", true),
            ("[]a]", "]", true),
            ("[a", "[a", true),
            ("*a*b*c", "xxaxxbxxbxxc", true),
            ("*a*b*c", "xxaxxcxxb", false),
            ("é*", "été", true),
            ("**", "anything", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
        // Each star is tried at each position only once.
        assert!(!matches(&"*a".repeat(2_000), &"a".repeat(1_999)));
    }

    #[test]
    fn a_folder_has_its_parts_in_order_and_nothing_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            "part-2.csv",
            "part-1.csv",
            "_SUCCESS",
            ".part-1.csv.crc",
            "_temporary/part-9.csv",
            "kind=a/part-0.csv",
            "kind=b/more/part-0.csv",
        ];
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let names = |input: &Path| -> Vec<String> {
            let files = files(input).unwrap().unwrap();
            let short = |path: &PathBuf| {
                path.strip_prefix(folder.path()).unwrap().to_string_lossy().replace('\\', "/")
            };
            files.iter().map(short).collect()
        };
        let all = ["kind=a/part-0.csv", "kind=b/more/part-0.csv", "part-1.csv", "part-2.csv"];
        assert_eq!(names(folder.path()), all);
        assert_eq!(names(&folder.path().join("*.csv")), all[2..]);
        assert_eq!(names(&folder.path().join("kind=*")), all[..2]);
        assert_eq!(names(&folder.path().join("**/part-0.csv")), all[..2]);
        assert_eq!(names(&folder.path().join("kind=[ab]/**/*.csv")), all[..2]);
        assert_eq!(names(&folder.path().join("_temporary/*")), ["_temporary/part-9.csv"]);
        assert_eq!(files(&folder.path().join("part-1.csv")).unwrap(), None);
        assert_eq!(files(Path::new("-")).unwrap(), None);
        for input in ["*.txt", "nothing/*.csv"] {
            let error = files(&folder.path().join(input)).unwrap_err().to_string();
            assert!(error.contains("no file matches") || error.contains("cannot read"), "{error}");
        }
        let empty = folder.path().join("empty");
        std::fs::create_dir(&empty).unwrap();
        assert!(files(&empty).unwrap_err().to_string().contains("the folder has no part files"));
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_end() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        let error = files(folder.path()).unwrap_err().to_string();
        assert!(error.contains("more than 16 folders inside of each other"), "{error}");
    }
}
