//! `callboard workflow …`: definitions, whether they are right, what they have a model do, and their runs.

mod cancel;
mod check;
mod given;
mod hints;
mod list;
mod printed_run;
mod run;
mod runs;
mod show;

use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum WorkflowVerb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Check(check::CheckArgs),
    Run(run::RunArgs),
    Runs(runs::RunsArgs),
    Cancel(cancel::CancelArgs),
}

/// Does it. The definitions are files; of runs the hub is asked.
pub(super) async fn run(verb: &WorkflowVerb, globals: &GlobalArgs) -> Result<(), Problem> {
    let hub = || HubClient::find(globals);
    match verb {
        WorkflowVerb::Check(args) => check::run(args, globals),
        WorkflowVerb::List(args) => list::run(args, globals),
        WorkflowVerb::Show(args) if args.means_a_run() => show::show_run(args, &hub()?).await,
        WorkflowVerb::Show(args) => show::run(args, globals),
        WorkflowVerb::Run(args) => run::run(args, hub()?).await,
        WorkflowVerb::Runs(args) => runs::run(args, &hub()?).await,
        WorkflowVerb::Cancel(args) => cancel::run(args, &hub()?).await,
    }
}
