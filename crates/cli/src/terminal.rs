//! Writes everything except pairs and polygons to the standard streams.

use std::io::{IsTerminal, Write};

use super::Outcome;
use crate::error::{Error, Result};
use sat2d::internal::escaped;
use sat2d_io::Output;

/// Writes one line to standard error. If standard error is closed or full, the line is lost.
///
/// Control characters in ids and file names are escaped, so that a line stays one line and the terminal executes no control
/// sequence.
pub(super) fn tell(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", escaped(line));
}

/// Writes each of `lines` to standard error.
pub(super) fn tell_lines(lines: &[String]) {
    lines.iter().for_each(|line| tell(line));
}

/// Returns an error if standard output cannot be written. Callers check this before they begin long work.
pub(super) fn check_output() -> Result<()> {
    Ok(Output::create(None).map(drop)?)
}

/// Writes `lines` to standard output. Returns an error if they cannot be written, unless the reader closed standard output.
pub(super) fn print(lines: &[String]) -> Result<()> {
    print_marked(lines, |_| false)
}

/// Prints lines to standard output. Returns an error if they cannot be written, except after a broken pipe. A line is red if
/// `is_red` returns true for its index and standard output is a terminal. The variable `NO_COLOR` turns colours off.
pub(super) fn print_marked(lines: &[String], is_red: impl Fn(usize) -> bool) -> Result<()> {
    let mut output = Output::create(None)?;
    let in_colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mark = |(index, line): (usize, &String)| match escaped(line) {
        line if in_colour && is_red(index) => format!("\u{1b}[31m{line}\u{1b}[0m\n"),
        line => line.into_owned() + "\n",
    };
    let text: String = lines.iter().enumerate().map(mark).collect();
    let written = output.write_all(text.as_bytes());
    let written = written.map_err(|source| Error::write(output.name(), source));
    match written.and_then(|()| Ok(output.commit()?)) {
        Err(error) if error.is_broken_pipe() => Ok(()),
        result => result,
    }
}

/// Formats a name and its value in two columns.
pub(super) fn row(name: &str, value: impl std::fmt::Display) -> String {
    format!("{name:<16}{value}")
}

/// Returns the exit code of a run. If the run failed, prints its error on one line.
pub(super) fn exit_code(result: Result<Outcome>) -> u8 {
    match result {
        Ok(Outcome::Answered) => 0,
        Ok(Outcome::Disagreement) => 1,
        Err(error) if error.is_broken_pipe() => 0,
        Err(error) => {
            tell(&concise(&format!("Error: {error}")));
            2
        }
    }
}

/// Shortens a long message by leaving out its middle. The beginning says where the error is, and the end says what the error
/// is.
pub(super) fn concise(message: &str) -> String {
    /// The number of characters that a shortened message keeps at its beginning.
    const START: usize = 700;
    /// The number of characters that a shortened message keeps at its end.
    const END: usize = 300;
    let count = message.chars().count();
    if count <= START + END {
        return message.into();
    }
    let start = message.chars().take(START);
    start.chain(" ... ".chars()).chain(message.chars().skip(count - END)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat2d::CheckReport;

    #[test]
    fn a_disagreement_is_an_outcome_of_its_own() {
        let report = |agreements| {
            let mut report = CheckReport::default();
            (report.pairs, report.agreements) = (2, agreements);
            report
        };
        assert_eq!(Outcome::of(&report(2)), Outcome::Answered);
        assert_eq!(Outcome::of(&report(1)), Outcome::Disagreement);
    }

    #[test]
    fn outcomes_are_exit_codes() {
        let written = |kind: std::io::ErrorKind| Error::write("-", kind.into());
        assert_eq!(exit_code(Ok(Outcome::Answered)), 0);
        assert_eq!(exit_code(Ok(Outcome::Disagreement)), 1);
        assert_eq!(exit_code(Err(written(std::io::ErrorKind::BrokenPipe))), 0);
        assert_eq!(exit_code(Err(written(std::io::ErrorKind::StorageFull))), 2);
    }

    #[test]
    fn a_long_message_keeps_its_ends() {
        let id = "é".repeat(5000);
        let message = concise(&format!("file, feature 3 (id {id}): what is wrong"));
        assert!(message.starts_with("file, feature 3 (id ééé") && message.ends_with("ééé): what is wrong"));
        assert_eq!(message.chars().count(), 1005);
        assert_eq!(concise("short"), "short");
    }
}
