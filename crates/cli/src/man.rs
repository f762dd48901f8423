//! `sat2d man`: writes manual pages, from the arguments that the program parses.

use std::io;

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::Outcome;
use super::commands::{SUBCOMMANDS, program};
use super::outputs::TextOutput;
use crate::error::{Error, Result};

const EXAMPLES: &str = "\
Examples:
  sat2d man -o sat2d.1
  sat2d man join -o sat2d-join.1
  man ./sat2d-join.1
  sat2d man -o ~/.local/share/man/man1/sat2d.1.gz

Exit codes: 0 written, 2 error.";

/// Print the manual page of sat2d, or of one subcommand, in roff.
///
/// The page of sat2d lists every subcommand. It refers to the page of `join` as `sat2d-join(1)`, which is the file sat2d-join.1.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The subcommand of the page [default: the page of sat2d].
    #[arg(value_name = "SUBCOMMAND", value_parser = SUBCOMMANDS)]
    subcommand: Option<String>,
    #[command(flatten)]
    output: TextOutput,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    // The subcommand `help` has no page.
    let mut program = program().disable_help_subcommand(true);
    program.build();
    let subcommand = arguments.subcommand.as_deref().and_then(|name| program.find_subcommand(name));
    let page = page(subcommand.unwrap_or(&program));
    arguments.output.write(&page.map_err(|source| Error::write(arguments.output.name(), source))?)?;
    Ok(Outcome::Answered)
}

/// Returns the man page of a command, or an error if the page cannot be formatted. Each paragraph of the command's `after_help` text
/// that has a heading (the text before its first colon) becomes a section. The lines of the paragraph are not joined.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let after_help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut page = Vec::new();
    let man = Man::new(command.clone().after_help(None::<&'static str>));
    man.source(concat!("sat2d ", env!("CARGO_PKG_VERSION"))).render(&mut page)?;
    sections(&after_help).to_writer(&mut page)?;
    Ok(page)
}

/// Returns one section for each paragraph. The heading is the text before the first colon, such as `Examples`.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    let paragraphs = text.split("\n\n").filter_map(|paragraph| paragraph.split_once(':'));
    for (heading, lines) in paragraphs {
        roff.control("SH", [&*heading.trim().to_uppercase()]);
        roff.control("nf", []);
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            roff.text([roman(line.trim())]);
        }
        roff.control("fi", []);
    }
    roff
}
