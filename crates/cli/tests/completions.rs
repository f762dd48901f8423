//! `completions`: the scripts of every shell, their syntax and their errors.

use std::process::Command;

use crate::folder::*;
use crate::waits::{output_of, output_with_input};

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// Returns the names of the subcommands that the help of the program lists.
pub(crate) fn subcommands(folder: &Folder) -> Vec<String> {
    let help = folder.run(&["--help"]).answered().out;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let list = list.split("\n\n").next().unwrap();
    let name = |line: &str| {
        let is_name = line.starts_with("  ") && !line.starts_with("   ");
        line.split_whitespace().next().filter(|_| is_name).map(String::from)
    };
    let names: Vec<String> = list.lines().filter_map(name).collect();
    assert!(names.len() >= 11 && names.iter().any(|name| name == "completions"), "{help}");
    names
}

/// Returns whether a text contains a word. `-` and `_` count as letters, because `sat2d__subcmd__join` and `join` are
/// different words.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).any(|found| found == word)
}

#[test]
fn the_script_of_each_shell_names_every_subcommand_and_option() {
    let folder = Folder::new();
    let names = subcommands(&folder);
    let help = folder.run(&["join", "--help"]).answered().out;
    for shell in SHELLS {
        let run = folder.run(&["completions", shell]).answered();
        assert_eq!(run.err, "");
        for name in &names {
            assert!(has_word(&run.out, name), "{shell}: {name}");
        }
        for option in options(&help) {
            // fish names an option without the hyphens.
            let is_named = run.out.contains(&option) || run.out.contains(&format!("-l {}", &option[2..]));
            assert!(is_named, "{shell}: {option}");
        }
        assert!(run.out.ends_with('\n'), "{shell}");
    }
}

/// Returns the long options that begin a line of the help.
pub(crate) fn options(help: &str) -> Vec<String> {
    let option = |line: &str| {
        let line = line.trim_start();
        let line = line.split_once(", ").filter(|(short, _)| short.len() == 2).map_or(line, |(_, long)| long);
        let name = line.split([' ', '[', '=']).next().unwrap_or_default();
        (name.len() > 2 && name.starts_with("--")).then(|| String::from(name))
    };
    let options: Vec<String> = help.lines().filter_map(option).collect();
    assert!(options.len() > 15 && options.iter().any(|option| option == "--verify"), "{options:?}");
    options
}

#[test]
fn a_script_is_written_to_a_file_as_to_standard_output() {
    let folder = Folder::new();
    for shell in SHELLS {
        let run = folder.run(&["completions", shell, "-o", "script"]).answered();
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
        assert_eq!(folder.read_text("script"), folder.run(&["completions", shell]).answered().out);
    }
    assert_eq!(folder.names(), ["script"]);
}

/// Prepares a command that starts a shell. Returns `None` if this machine lacks the shell.
fn shell(folder: &Folder, program: &str, arguments: &[&str]) -> Option<Command> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder.path("."));
    let folders = std::env::var_os("PATH")?;
    let is_there = std::env::split_paths(&folders).any(|folder| folder.join(program).is_file());
    is_there.then_some(command)
}

#[test]
fn shells_accept_their_scripts() {
    let folder = Folder::new();
    for name in ["bash", "fish", "zsh"] {
        folder.run(&["completions", name, "-o", name]).answered();
        let Some(command) = shell(&folder, name, &["-n", name]) else { continue };
        let run = Run::of(output_of(command)).answered();
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "{name}");
    }
}

#[test]
fn bash_completes_subcommands_options_and_values() {
    let folder = Folder::new();
    folder.run(&["completions", "bash", "-o", "script"]).answered();
    for (words, expected) in [
        ("sat2d compl", "completions"),
        ("sat2d join --verif", "--verify"),
        ("sat2d schema wor", "worlds"),
        ("sat2d man expl", "explain"),
        ("sat2d completions po", "powershell"),
    ] {
        // bash passes the word before the last one as the third argument.
        let script = format!(
            "source ./script; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _sat2d sat2d \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let Some(command) = shell(&folder, "bash", &["--norc"]) else { return };
        let run = Run::of(output_with_input(command, script)).answered();
        assert_eq!(run.out, format!("{expected}\n"), "{words}: {}", run.err);
    }
}

#[test]
fn an_unknown_shell_is_an_error_that_lists_the_shells() {
    let folder = Folder::new();
    for shell in ["tcsh", "", "BASH"] {
        let run = folder.run(&["completions", shell]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
        let says = ["'<SHELL>'", "[possible values: bash, elvish, fish, powershell, zsh]"];
        assert!(says.iter().all(|says| run.err.contains(says)), "{}", run.err);
    }
    let run = folder.run(&["completions"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("<SHELL>"), "{}", run.err);
    let error = folder.run(&["completions", "zsh", "-o", "none/_sat2d"]).error();
    assert!(error.starts_with("Error: cannot write none/_sat2d"), "{error}");
}

#[test]
fn the_help_of_texts_about_the_program_has_examples() {
    let folder = Folder::new();
    for name in ["completions", "man", "schema"] {
        let help = folder.run(&[name, "--help"]).answered().out;
        assert!(help.contains(&format!("\nExamples:\n  sat2d {name} ")), "{help}");
        assert!(help.contains("\nExit codes: 0 written, 2 error.\n"), "{help}");
    }
}
