//! What a program printed, sent over any door, and what the hub learned from terminals.

use super::prelude::*;
use crate::actors::learner::Order;
use crate::actors::terminal::Output;
use crate::domain::ids::PatternId;
use crate::tools::LearnedPattern;
use crate::tools::forget_pattern::no_such_pattern;
use crate::tools::once::once;
use crate::tools::terminals::{may_change, print};

/// Where a terminal stands.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Printed {
    /// The session whose terminal it is.
    session_id: String,
    /// How many bytes it ever got.
    file_position: u64,
}

/// An agent may print into its own terminal only. Fails with `INSUFFICIENT_SCOPE`, `SESSION_NOT_FOUND`,
/// `NOT_PERMITTED`, the key's, or when busy.
pub async fn print_output(call: &PersonCall, session: &str, output: Output) -> Result<Printed> {
    if call.who().agent().is_none() {
        call.require(Scope::Operate)?;
    }
    let key = call.keyed(&["output", session, &String::from_utf8_lossy(&output.bytes)]);
    once(&call.hub, &call.caller, key, async {
        let file_position = print(&call.hub, call.who(), session, output).await?;
        Ok(Printed { session_id: session.to_owned(), file_position })
    })
    .await
}

/// Makes a learned pattern global. Fails with `INSUFFICIENT_SCOPE`, `PATTERN_NOT_FOUND`, `NOT_PERMITTED`, the key's.
pub async fn promote_pattern(call: &PersonCall, given: &str) -> Result<LearnedPattern> {
    call.require(Scope::Operate)?;
    once(&call.hub, &call.caller, call.keyed(&["promote", given]), async {
        may_change(&call.hub, call.who(), None).await?;
        let unknown = || no_such_pattern(given);
        let id = PatternId::parse(given).map_err(|_| unknown())?;
        let (by, request) = (call.caller.by(), Some(call.caller.request.clone()));
        let promoted = call.hub.learner.change(id, Order::Promote, by, request).await.map_err(refuse::fault)?;
        promoted.map(|kept| LearnedPattern::from(&kept)).ok_or_else(unknown)
    })
    .await
}
