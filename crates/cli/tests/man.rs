//! Tests of `man`: the pages of the program and of its subcommands.

use crate::completions::{options, subcommands};
use crate::folder::*;

/// Returns the text of a manual page, without the escapes of roff.
fn text_of(page: &str) -> String {
    let escapes = [("\\-", "-"), ("\\fB", ""), ("\\fI", ""), ("\\fR", ""), ("\\*(Aq", "'")];
    escapes.iter().fold(page.into(), |page: String, (escape, text)| page.replace(escape, text))
}

fn page(folder: &Folder, arguments: &[&str]) -> String {
    let run = folder.run(&[&["man"], arguments].concat()).answered();
    assert_eq!(run.err, "");
    assert!(run.out.ends_with('\n'), "{}", run.out);
    run.out
}

#[test]
fn the_page_of_the_program_lists_every_subcommand() {
    let folder = Folder::new();
    let page = text_of(&page(&folder, &[]));
    assert!(page.lines().any(|line| line.starts_with(".TH sat2d 1 ")), "{page}");
    for name in subcommands(&folder) {
        // `help` is an option of each page.
        let is_listed = page.lines().any(|line| line == format!("sat2d-{name}(1)"));
        assert_eq!(is_listed, name != "help", "{name}: {page}");
    }
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "SUBCOMMANDS", "VERSION", "EXAMPLES"] {
        assert!(page.lines().any(|line| line == format!(".SH {section}")), "{section}: {page}");
    }
    assert!(page.contains("\n.SH \"EXIT CODES\"\n.nf\n0 answered, 1 a cross-check found"), "{page}");
    assert!(page.contains(env!("CARGO_PKG_VERSION")), "{page}");
}

#[test]
fn the_page_of_a_subcommand_names_every_option_and_value() {
    let folder = Folder::new();
    let help = folder.run(&["join", "--help"]).answered().out;
    let page = text_of(&page(&folder, &["join"]));
    assert!(page.lines().any(|line| line.starts_with(".TH sat2d-join 1 ")), "{page}");
    for option in options(&help) {
        let is_heading = |line: &str| {
            let (short, long) = line.split_at_checked(4).unwrap_or_default();
            let line = if short.ends_with(", ") { long } else { line };
            line.split(' ').next() == Some(&option)
        };
        assert!(page.lines().any(is_heading), "{option}: {page}");
    }
    for value in ["overlapping", "boundary", "geojson", "penetration", "gpu"] {
        assert!(help.contains(value) && page.contains(value), "{value}: {page}");
    }
}

#[test]
fn a_page_has_the_examples_of_the_help_one_on_each_line() {
    let folder = Folder::new();
    for name in ["join", "sim", "explain", "schema"] {
        let help = folder.run(&[name, "--help"]).answered().out;
        let page = text_of(&page(&folder, &[name]));
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        for example in examples.lines().take_while(|line| !line.is_empty()) {
            assert!(page.lines().any(|line| line == example.trim()), "{example}: {page}");
        }
    }
}

#[test]
fn every_subcommand_has_a_page_of_its_own() {
    let folder = Folder::new();
    for name in subcommands(&folder).iter().filter(|name| *name != "help") {
        let page = text_of(&page(&folder, &[name]));
        assert!(page.lines().any(|line| line.starts_with(&format!(".TH sat2d-{name} 1 "))), "{page}");
        assert!(page.contains(&format!("\nsat2d-{name} - ")), "{page}");
        assert!(page.contains(&format!("\nsat2d {name} [")), "{page}");
    }
}

#[test]
fn a_page_is_written_to_a_file_as_to_standard_output() {
    let folder = Folder::new();
    let run = folder.run(&["man", "sim", "-o", "sat2d-sim.1"]).answered();
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
    assert_eq!(folder.read_text("sat2d-sim.1"), page(&folder, &["sim"]));
    folder.run(&["man", "-o", "sat2d.1.gz"]).answered();
    assert_eq!(folder.read("sat2d.1.gz")[..2], [0x1f, 0x8b]);
}

#[test]
fn a_page_of_no_subcommand_is_an_error() {
    let folder = Folder::new();
    for name in ["joins", "help", ""] {
        let run = folder.run(&["man", name]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
        let says = ["'[SUBCOMMAND]'", "[possible values: join, explain, check, "];
        assert!(says.iter().all(|says| run.err.contains(says)), "{}", run.err);
    }
    let error = folder.run(&["man", "-o", "none/sat2d.1"]).error();
    assert!(error.starts_with("Error: cannot write none/sat2d.1"), "{error}");
}
