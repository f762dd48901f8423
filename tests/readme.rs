//! The documents: their lengths, links, examples and promises. `scripts/readme` runs their commands. Their code is
//! compiled as doctests.

use std::fs;
use std::path::{Path, PathBuf};

const README: &str = include_str!("../README.md");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn guide() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        fs::read_dir(root().join("docs/guide")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    pages
}

fn documents() -> Vec<PathBuf> {
    let names = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/benchmarks.md",
        "crates/io/README.md",
        "crates/cli/README.md",
        "python/README.md",
    ];
    let tops = names.map(|name| root().join(name));
    tops.into_iter().chain(guide()).collect()
}

#[test]
fn documents_are_short_enough_to_be_read() {
    assert!(README.split_whitespace().count() <= 1200);
    let limits =
        [("README.md", 150), ("ARCHITECTURE.md", 150), ("CHANGELOG.md", 60), ("docs/benchmarks.md", 350)];
    let limits = limits.map(|(name, limit)| (root().join(name), limit));
    let pages = guide();
    assert!(pages.len() >= 11, "{pages:?}");
    for (path, limit) in limits.into_iter().chain(pages.into_iter().map(|page| (page, 250))) {
        let count = text(&path).lines().count();
        assert!(count <= limit, "{} has {count} lines, more than {limit}", path.display());
    }
}

#[test]
fn the_first_sixty_lines_lead_to_every_page_a_reader_starts_from() {
    let first: Vec<&str> = README.lines().take(60).collect();
    for page in ["joins.md", "simulation.md", "device.md", "benchmarks.md"] {
        assert!(first.iter().any(|line| line.contains(page)), "{page}");
    }
    for page in guide() {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(README.contains(&format!("docs/guide/{name}")), "README does not lead to {name}");
    }
}

#[test]
fn the_example_is_the_one_that_is_run() {
    let library = text(&root().join("docs/guide/library.md"));
    assert!(library.contains(text(&root().join("examples/join.rs")).trim_end()));
}

#[test]
fn linked_files_are_there() {
    let mut count = 0;
    for document in documents() {
        let text = text(&document);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let path = document.parent().unwrap().join(target);
            assert!(path.exists(), "{}: {target}", document.display());
            count += 1;
        }
    }
    assert!(count >= 30, "{count}");
}

#[test]
fn every_promise_names_tests_that_are_there() {
    let promises = text(&root().join("docs/guide/promises.md"));
    let rows: Vec<&str> = promises.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() >= 8, "{rows:?}");
    for row in rows {
        let tests = row.split('|').nth(3).unwrap();
        let mut quoted = tests.split('`').skip(1).step_by(2);
        let mut count = 0;
        while let (Some(file), Some(test)) = (quoted.next(), quoted.next()) {
            let text = text(&root().join(file));
            let line = text.lines().position(|line| line.trim_start().starts_with(&format!("fn {test}(")));
            assert!(line.is_some(), "{file} has no test {test}");
            count += 1;
        }
        assert!(count > 0, "{row}");
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let manifests = ["Cargo.toml", "crates/io/Cargo.toml", "crates/cli/Cargo.toml", "python/Cargo.toml"];
    let manifest: String = manifests.iter().map(|name| text(&root().join(name))).collect();
    let contributing = text(&root().join("CONTRIBUTING.md"));
    let reasons =
        contributing.split("## Dependencies").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let mut count = 0;
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]") && !line.starts_with("[dev-");
            continue;
        }
        let entry = line.split_once(" = ").filter(|_| inside && !line.starts_with('#'));
        // The packages of this repository need no reasons.
        if let Some((name, _)) = entry.filter(|(name, _)| !name.starts_with("sat2d")) {
            assert!(reasons.contains(&format!("`{name}`")), "{name}");
            count += 1;
        }
    }
    assert!(count >= 30, "{count}");
}
