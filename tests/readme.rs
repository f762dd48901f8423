//! What README.md says of the repository is so. `scripts/readme` runs its commands; its code is compiled as doctests.

use std::path::Path;

const README: &str = include_str!("../README.md");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_example_is_the_one_that_is_run() {
    assert!(README.contains(include_str!("../examples/join.rs").trim_end()));
}

#[test]
fn linked_files_are_there() {
    let targets: Vec<&str> = README.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(targets.len() >= 4, "{targets:?}");
    for target in targets.iter().filter(|target| !target.contains("://")) {
        assert!(root().join(target).exists(), "{target}");
    }
}

#[test]
fn every_promise_names_tests_that_are_there() {
    let table = README.split("## What it promises").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows: Vec<&str> = table.unwrap().lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() >= 8, "{rows:?}");
    for row in rows {
        let tests = row.split('|').nth(3).unwrap();
        let mut quoted = tests.split('`').skip(1).step_by(2);
        let mut count = 0;
        while let (Some(file), Some(test)) = (quoted.next(), quoted.next()) {
            let text = std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
            let line = text.lines().position(|line| line.trim_start().starts_with(&format!("fn {test}(")));
            assert!(line.is_some(), "{file} has no test {test}");
            count += 1;
        }
        assert!(count > 0, "{row}");
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = include_str!("../Cargo.toml");
    let reasons = README.split("## Dependencies").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let mut count = 0;
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]") && !line.starts_with("[dev-");
        } else if let Some((name, _)) = line.split_once(" = ").filter(|_| inside && !line.starts_with('#')) {
            assert!(reasons.contains(&format!("`{name}`")), "{name}");
            count += 1;
        }
    }
    assert!(count >= 7, "{count}");
}
