//! `callboard token revoke`: a token that nobody may use any more; its connections end.

use super::keeper::Keeper;
use super::list::old_until;
use super::public_id;
use crate::cli::prelude::*;

/// Revoke a token; its connections end at once, and an agent's leases go back
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard token revoke PUBLIC_ID

It ends the whole token: after a rotation the new secret as well as the old one, and the page's sessions that were \
opened with it. To end the old secret alone, rotate once more: callboard token rotate PUBLIC_ID --overlap 0s")]
pub(in crate::cli) struct RevokeArgs {
    /// Which, as `callboard token list` shows it, or at least four characters of its beginning
    #[arg(value_parser = public_id)]
    public_id: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &RevokeArgs, keeper: &Keeper) -> Result<(), Problem> {
    let id = &keeper.whole_id(&args.public_id).await?;
    let now = Clock::system().now();
    // Whoever may end a token need not be allowed to list all of them: then less is told.
    let known = keeper.list().await.unwrap_or_default();
    let rotated =
        known.iter().find(|token| str_at(token, "id") == Some(id.as_str())).and_then(|token| old_until(token, now));
    keeper.revoke(id).await?;
    let done = json!({ "id": id, "revoked": true });
    args.output.show(&done, || match rotated {
        Some(until) => {
            format!(
                "Token `{id}` is revoked: both its new secret and the one before the rotation, which had until {until}."
            )
        }
        None => format!("Token `{id}` is revoked."),
    })
}
