//! `callboard workflow …`: the workflows that are defined, whether they are right, and what they would have a model do.

mod check;
mod hints;
mod list;
mod show;

use clap::{Args, Subcommand};

use super::problem::Problem;

/// Check, list and show workflows
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  callboard workflow list
  callboard workflow show release --arg service=api --arg pr=17"
)]
pub(super) struct WorkflowArgs {
    #[command(subcommand)]
    verb: WorkflowVerb,
}

#[derive(Debug, Subcommand)]
enum WorkflowVerb {
    Check(check::CheckArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
}

/// Does it. No hub is asked: the definitions are files.
pub(super) fn run(args: &WorkflowArgs) -> Result<(), Problem> {
    match &args.verb {
        WorkflowVerb::Check(args) => check::run(args),
        WorkflowVerb::List(args) => list::run(args),
        WorkflowVerb::Show(args) => show::run(args),
    }
}
