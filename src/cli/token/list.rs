//! `callboard token list`: which tokens there are; never the tokens themselves.

use super::keeper::Keeper;
use crate::cli::columns::TOKENS;
use crate::cli::output::Listed;
use crate::cli::prelude::*;

/// When it ends, and before that the secret that a rotation left to go on.
pub(in crate::cli) fn expires(token: &Value, now: Timestamp) -> String {
    match old_until(token, now) {
        Some(until) if str_at(token, "expiresAt").is_some() => {
            format!("{}, old until {until}", text(token, "expiresAt"))
        }
        Some(until) => format!("old until {until}"),
        None => text(token, "expiresAt"),
    }
}

/// Until when the secret before the last rotation is accepted, where it still is.
pub(super) fn old_until(token: &Value, now: Timestamp) -> Option<&str> {
    str_at(token, "oldUntil").filter(|until| Timestamp::parse(until).is_some_and(|until| until > now))
}

/// List the tokens
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard token list")]
pub(in crate::cli) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,
}

pub(super) async fn run(args: &ListArgs, keeper: &Keeper) -> Result<(), Problem> {
    let tokens = Listed::first(keeper.list().await?, args.page.limit, "id");
    let empty = "No tokens. Make one: callboard token create --agent ID";
    args.page.output.table(&tokens, (TOKENS, Clock::system().now()), empty)
}
