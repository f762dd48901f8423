//! `sat2d completions`: writes the completion script of a shell, from the arguments that the program parses.

use clap::Args;
use clap_complete::Shell;

use super::Outcome;
use super::commands::program;
use super::outputs::TextOutput;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  sat2d completions bash -o ~/.local/share/bash-completion/completions/sat2d
  sat2d completions zsh -o ~/.zfunc/_sat2d
  sat2d completions fish -o ~/.config/fish/completions/sat2d.fish
  sat2d completions powershell | Out-String | Invoke-Expression
  eval (sat2d completions elvish | slurp)

Exit codes: 0 written, 2 error.";

/// Print a script with which a shell completes the subcommands and options of sat2d.
///
/// The folder of FILE must exist. zsh reads the script if the folder is in `fpath` before `compinit` runs.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The shell that reads the script.
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
    #[command(flatten)]
    output: TextOutput,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut program = program();
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, name, &mut script);
    arguments.output.write(&script)?;
    Ok(Outcome::Answered)
}
