//! `callboard token list`: which tokens there are; never the tokens themselves.

use clap::Args;

use super::keeper::Keeper;
use crate::cli::output::OutputArgs;
use crate::cli::output::cell::{ago, text};
use crate::cli::output::table::Column;
use crate::cli::problem::Problem;
use crate::clock::Clock;

/// List the tokens
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard token list")]
pub(in crate::cli) struct ListArgs {
    #[command(flatten)]
    output: OutputArgs,
}

/// Lists them.
pub(super) async fn run(args: &ListArgs, keeper: &Keeper) -> Result<(), Problem> {
    let tokens = keeper.list().await?;
    let now = Clock::system().now();
    let columns = [
        Column::new("PUBLIC ID", |token| text(token, "id")),
        Column::new("WHO", |token| text(token, "principal")),
        Column::new("MAY", |token| text(token, "scopes")),
        Column::new("MADE", move |token| ago(token, "createdAt", now)),
        Column::new("USED", move |token| ago(token, "lastUsed", now)),
        Column::new("EXPIRES", |token| text(token, "expiresAt")),
    ];
    args.output.list(&tokens.into(), &columns, "No tokens. Make one: callboard token create --agent ID")
}
