//! Prints errors in the arguments of the program on one line, like all other errors.

use std::process::ExitCode;

use clap::error::ErrorKind;

use super::commands::SUBCOMMANDS;
use super::terminal::{concise, tell};

/// Prints an error of the argument parser, or a help text. Returns the exit code.
pub(crate) fn report(error: &clap::Error) -> ExitCode {
    // A run without arguments gets the help text, which has many lines.
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let subcommand = words.iter().find_map(|word| SUBCOMMANDS.iter().find(|name| *name == word));
    let help = subcommand.map_or("sat2d --help".into(), |name| format!("sat2d {name} --help"));
    tell(&concise(&one_line(&error.render().to_string(), &help)));
    ExitCode::from(2)
}

/// Returns an error message of the argument parser on one line. `help` is the command that prints the help text.
fn one_line(text: &str, help: &str) -> String {
    let joined = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = text.split("\n\n");
    let fact = joined(paragraphs.next().unwrap_or_default());
    // The other paragraphs are tips, the usage and the advice to read the help text.
    let tips = paragraphs.flat_map(|paragraph| paragraph.split("tip: ").skip(1)).map(joined);
    let parts: Vec<String> = std::iter::once(fact).chain(tips).collect();
    format!("{}; see `{help}`", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_several_paragraphs_becomes_one_line() {
        let text = "error: unexpected argument '--fro' found\n\n  tip: a similar argument exists: '--from'\n  tip: to pass '--fro' as a value, use '-- --fro'\n\nUsage: sat2d join <A|B>\n\nFor more information, try '--help'.\n";
        assert_eq!(
            one_line(text, "sat2d join --help"),
            "error: unexpected argument '--fro' found; a similar argument exists: '--from'; to pass '--fro' as a value, use '-- --fro'; see `sat2d join --help`"
        );
        let text = "error: the following required arguments were not provided:\n  <A>\n\nUsage: sat2d join <A> [B]\n";
        assert_eq!(
            one_line(text, "sat2d join --help"),
            "error: the following required arguments were not provided: <A>; see `sat2d join --help`"
        );
    }
}
