//! Tests the dependencies between the rooms of `src`. A room is a folder of `src`. The code of a room uses only the
//! rooms before it in [`ROOMS`], so there are no circular dependencies between rooms.
//!
//! The test reads the `use` lines and the paths that begin with `crate::`. Tests may use any room.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The names of the rooms. A room uses only the rooms before it in this list.
const ROOMS: [&str; 13] = [
    "base",
    "simd",
    "geometry",
    "answers",
    "packed",
    "gpu",
    "broad_phase",
    "kernels",
    "queries",
    "engine",
    "points",
    "scenes",
    "sim",
];
/// The lines that mark the start and the end of the table of rooms in ARCHITECTURE.md.
const MARKS: [&str; 2] = ["<!-- rooms: begin -->", "<!-- rooms: end -->"];

fn root() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from)
}

fn place_of(room: &str) -> Option<usize> {
    ROOMS.iter().position(|&known| known == room)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the modules that are compiled only for tests, such as `#[cfg(test)] mod x;`.
fn test_modules(text: &str) -> BTreeSet<String> {
    let lines: Vec<&str> = text.lines().collect();
    let is_test = |line: &str| line.starts_with("#[cfg(") && line.contains("test");
    let module = |pair: &[&str]| {
        let name = pair[1].rsplit("mod ").next()?.strip_suffix(';')?;
        (is_test(pair[0]) && pair[1].contains("mod ")).then(|| name.to_owned())
    };
    lines.windows(2).filter_map(module).collect()
}

/// Returns the code of a file without comments, without the `use` lines that only documentation needs, and without test
/// modules.
fn code(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_tests = |k: &usize| lines[*k].starts_with("#[cfg(") && lines[*k].contains("test");
    let opens = |k: &usize| lines[k + 1..].iter().find(|line| !line.starts_with("#["));
    let end = (0..lines.len())
        .filter(is_tests)
        .find(|k| opens(k).is_some_and(|line| line.contains("mod ") && line.ends_with('{')));
    let lines = &lines[..end.unwrap_or(lines.len())];
    let code = lines.iter().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut parts = code.split("#[cfg(doc)]");
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |code, part| code + part.split_once(';').map_or("", |(_, rest)| rest))
}

/// Adds all paths that a `use` tree names to `found`. `prefix` is the path before the tree.
fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree).trim();
        found.push(format!("{prefix}{path}"));
        return;
    };
    let head = format!("{prefix}{}", tree[..open].trim());
    let inner = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
    let (mut depth, mut begin) = (0, 0);
    for (at, character) in inner.char_indices().chain([(inner.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[begin..at].trim().is_empty() {
                    expand(&head, &inner[begin..at], found);
                }
                begin = at + 1;
            }
            _ => {}
        }
    }
}

/// Returns the paths in the code: the paths of its `use` lines, and the paths that begin with `crate::`.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let before = rest[..at].trim_end_matches([' ', '\t']);
        let line = before.rsplit('\n').next().unwrap_or("");
        let is_use = line.is_empty() || line.starts_with("pub");
        let end = rest[at..].find(';').map_or(rest.len(), |end| at + end);
        if is_use {
            expand("", &rest[at + 4..end], &mut found);
        }
        rest = &rest[if is_use { end } else { at + 4 }..];
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    for (at, _) in code.match_indices("crate::") {
        let path = code[at..].split(|c| !is_name(c)).next().unwrap_or("");
        found.push(path.trim_end_matches(':').to_owned());
    }
    found
}

/// Returns the name of each item that the root of the crate re-exports, with the room that defines the item.
fn exports(lib: &str) -> BTreeMap<String, String> {
    let found = paths(&code(lib));
    let parts = found.iter().map(|path| path.split("::").collect::<Vec<_>>());
    let of_room = parts.filter(|parts| parts.len() > 1 && place_of(parts[0]).is_some());
    of_room.map(|parts| (parts[parts.len() - 1].to_owned(), parts[0].to_owned())).collect()
}

/// Returns the room of a path in a module at `depth` below the root of the crate. Returns `None` if the path leads to no room.
fn room_of(path: &str, depth: usize, exports: &BTreeMap<String, String>) -> Option<String> {
    let parts: Vec<&str> = path.split("::").collect();
    let above = parts.iter().take_while(|&&part| part == "super").count();
    let first = match parts[0] {
        "crate" => parts.get(1)?,
        "super" if above == depth => parts.get(above)?,
        _ => return None,
    };
    place_of(first).map(|_| (*first).to_owned()).or_else(|| exports.get(*first).cloned())
}

/// Returns each pair of a room and another room that it uses, with the files that use the other room.
fn arrows() -> BTreeMap<(String, String), BTreeSet<String>> {
    let src = root().join("src");
    let exports = exports(&fs::read_to_string(src.join("lib.rs")).unwrap());
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut tests = BTreeSet::new();
    for file in &files {
        let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
            Some("mod" | "lib") => file.parent().unwrap().to_owned(),
            _ => file.with_extension(""),
        };
        let text = fs::read_to_string(file).unwrap();
        tests.extend(test_modules(&text).into_iter().map(|name| folder.join(name)));
    }
    let mut arrows: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let room = inside.iter().next().unwrap().to_string_lossy().into_owned();
        let module = file.with_extension("");
        if place_of(&room).is_none() || module.ancestors().any(|folder| tests.contains(folder)) {
            continue;
        }
        let is_folder = file.file_stem().is_some_and(|stem| stem == "mod");
        let depth = inside.iter().count() - usize::from(is_folder);
        for path in paths(&code(&fs::read_to_string(&file).unwrap())) {
            if let Some(used) = room_of(&path, depth, &exports).filter(|used| *used != room) {
                let name = inside.display().to_string();
                arrows.entry((room.clone(), used)).or_default().insert(name);
            }
        }
    }
    arrows
}

/// Returns the first sentence of a room's documentation.
fn summary(room: &str) -> String {
    let text = fs::read_to_string(root().join("src").join(room).join("mod.rs")).unwrap();
    let lines: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//! ")).collect();
    let all = lines.join(" ");
    all.split_inclusive(". ").next().unwrap_or("").trim().trim_end_matches('.').to_owned()
}

#[test]
fn a_room_uses_only_rooms_before_it() {
    let arrows = arrows();
    assert!(arrows.len() > 40, "the test finds the arrows: {}", arrows.len());
    let wrong: Vec<String> = arrows
        .iter()
        .filter(|((room, used), _)| place_of(used) > place_of(room))
        .map(|((room, used), files)| format!("{room} uses {used}: {files:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_of_rooms_is_the_one_that_the_sources_have() {
    let arrows = arrows();
    let mut table = String::from("| room | contents | uses |\n|---|---|---|\n");
    for room in ROOMS {
        let used = ROOMS.iter().filter(|used| arrows.contains_key(&(room.into(), (**used).into())));
        let used = used.copied().collect::<Vec<_>>().join(", ");
        table += &format!("| `{room}/` | {} | {used} |\n", summary(room));
    }
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let drawn = page.split_once(MARKS[0]).and_then(|(_, rest)| rest.split_once(MARKS[1]));
    let drawn = drawn.map_or("", |(drawn, _)| drawn.trim());
    assert!(drawn == table.trim(), "put this table between the marks in ARCHITECTURE.md:\n{table}");
}

/// Returns the files of a room whose code contains all of `words`.
fn files_with(room: &str, words: &[&str]) -> Vec<String> {
    let mut files = Vec::new();
    sources(&root().join("src").join(room), &mut files);
    let has_all = |path: &PathBuf| {
        let code = code(&fs::read_to_string(path).unwrap());
        words.iter().all(|word| code.contains(word))
    };
    files.retain(has_all);
    let mut names: Vec<String> =
        files.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_driver_exists_once() {
    // `nearest_pieces` may take candidates, because it finds the nearest pieces of pairs of objects.
    let takes_candidates = files_with("queries", &["Candidates", ".next_chunk("]);
    assert_eq!(takes_candidates, ["nearest_pieces.rs", "sources.rs"], "takes candidate pairs");
    assert_eq!(files_with("queries", &[".submit("]), ["drive.rs"], "hands pairs to kernels");
    assert_eq!(files_with("queries", &[".collect::<Q>("]), ["drive.rs"], "takes proposals of kernels");
    assert_eq!(files_with("queries", &[".decided("]), ["drive.rs"], "reports progress");
}

#[test]
fn the_engine_has_at_most_15_public_methods() {
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    let mut methods = BTreeSet::new();
    for path in files {
        let code = code(&fs::read_to_string(&path).unwrap());
        for block in code.split("\nimpl Engine {").skip(1) {
            let block = block.split("\n}").next().unwrap();
            for line in block.lines() {
                let method = line.trim().strip_prefix("pub ").map(|rest| rest.trim_start_matches("async "));
                let name = method
                    .and_then(|rest| rest.strip_prefix("fn "))
                    .and_then(|rest| rest.split(['(', '<']).next());
                methods.extend(name.map(str::to_owned));
            }
        }
    }
    assert!(methods.contains("self_join") && methods.contains("new"), "{methods:?}");
    assert!(methods.len() <= 15, "{methods:?}");
}
