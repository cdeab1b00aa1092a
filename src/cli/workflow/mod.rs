//! `callboard workflow …`: the workflows that are defined, whether they are right, what they would have a model do, and
//! their runs.

mod cancel;
mod check;
mod given;
mod hints;
mod list;
mod run;
mod runs;
mod show;
mod told;

use clap::{Args, Subcommand};

use super::client::HubClient;
use super::problem::Problem;

/// Check, list, show and run workflows
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  callboard workflow list
  callboard workflow show release --arg service=api --arg pr=17
  callboard workflow run release --arg service=api --arg pr=17
  callboard workflow runs"
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
    Run(run::RunArgs),
    Runs(runs::RunsArgs),
    Cancel(cancel::CancelArgs),
}

impl WorkflowArgs {
    /// Whether a hub is asked; the definitions are files.
    pub(super) fn asks_a_hub(&self) -> bool {
        match &self.verb {
            WorkflowVerb::Check(_) | WorkflowVerb::List(_) => false,
            WorkflowVerb::Show(args) => args.means_a_run(),
            WorkflowVerb::Run(_) | WorkflowVerb::Runs(_) | WorkflowVerb::Cancel(_) => true,
        }
    }
}

/// Does what needs no hub.
pub(super) fn run(args: &WorkflowArgs) -> Result<(), Problem> {
    match &args.verb {
        WorkflowVerb::Check(args) => check::run(args),
        WorkflowVerb::List(args) => list::run(args),
        WorkflowVerb::Show(args) => show::run(args),
        WorkflowVerb::Run(_) | WorkflowVerb::Runs(_) | WorkflowVerb::Cancel(_) => Ok(()),
    }
}

/// Does what is asked of a hub.
pub(super) async fn ask(args: &WorkflowArgs, hub: &HubClient) -> Result<(), Problem> {
    match &args.verb {
        WorkflowVerb::Show(args) => show::show_run(args, hub).await,
        WorkflowVerb::Run(args) => run::run(args, hub).await,
        WorkflowVerb::Runs(args) => runs::run(args, hub).await,
        WorkflowVerb::Cancel(args) => cancel::run(args, hub).await,
        WorkflowVerb::Check(_) | WorkflowVerb::List(_) => Ok(()),
    }
}
