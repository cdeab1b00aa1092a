//! `callboard completions`: what a shell needs to complete commands.

use clap::{Args, Command};
use clap_complete::Shell;

use super::problem::Problem;

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard completions bash > ~/.local/share/bash-completion/completions/callboard
  callboard completions zsh > ~/.zfunc/_callboard")]
pub(super) struct CompletionsArgs {
    /// The shell that they are for
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, mut command: Command) -> Result<(), Problem> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "callboard", &mut script);
    super::output::say(&String::from_utf8_lossy(&script))
}
