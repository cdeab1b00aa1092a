//! `callboard token revoke`: a token that nobody may use any more; its connections end.

use clap::Args;
use serde_json::json;

use super::keeper::Keeper;
use super::public_id;
use crate::cli::output::OutputArgs;
use crate::cli::problem::Problem;

/// Revoke a token; its connections end at once, and an agent's leases go back
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard token revoke PUBLIC_ID")]
pub(in crate::cli) struct RevokeArgs {
    /// Which, as `callboard token list` shows it
    #[arg(value_parser = public_id)]
    public_id: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// Revokes it.
pub(super) async fn run(args: &RevokeArgs, keeper: &Keeper) -> Result<(), Problem> {
    keeper.revoke(&args.public_id).await?;
    let done = json!({ "id": args.public_id, "revoked": true });
    args.output.show(&done, || format!("Token `{}` is revoked.", args.public_id))
}
