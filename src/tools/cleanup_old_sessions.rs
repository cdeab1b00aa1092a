//! `cleanup_old_sessions`: drops what the hub itself kept of old terminals, and never a file of anybody's.

use std::time::Duration;

use super::prelude::*;
use super::terminals::may_change;

/// How long a terminal is kept when nobody says otherwise, in days.
const DAYS: u64 = 7;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CleanupOldSessions {
    /// Terminals that were quiet for so many days go, 1 to 365; 7 when left out.
    #[schemars(range(min = 1, max = 365))]
    retention_days: Option<u64>,
    /// Only say what would go.
    dry_run: bool,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    /// Which went, or would.
    deleted_sessions: Vec<String>,
    total_deleted: usize,
    /// How many bytes of text they were.
    bytes_freed: u64,
    /// Whether nothing was really dropped.
    dry_run: bool,
}

impl Verb for CleanupOldSessions {
    const NAME: &'static str = "cleanup_old_sessions";
    const TITLE: &'static str = "Drop old transcripts";
    const DESCRIPTION: &'static str = "\
        Drop what the hub kept of terminals that were quiet for long: yours, or everybody's for an operator. No log \
        file is touched, and nothing that is still followed.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::ENDS;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let dropped = call.once(async {
            may_change(&call.hub, &call.caller.principal, None).await?;
            let age = DAY * u32::try_from(input.retention_days.unwrap_or(DAYS)).unwrap_or(u32::MAX);
            let (before, whose) = (call.hub.clock.now() - age, call.whose());
            let cleaned = call.hub.shelf.clean(before, whose, input.dry_run).await.map_err(refuse::fault)?;
            Ok(Output {
                total_deleted: cleaned.terminals.len(),
                deleted_sessions: cleaned.terminals,
                bytes_freed: cleaned.bytes,
                dry_run: input.dry_run,
            })
        });
        let dropped = dropped.await?;
        let would = if dropped.dry_run { "would be dropped" } else { "were dropped" };
        Ok(Answer::new(format!("{} sessions {would}.", dropped.total_deleted), dropped))
    }
}
