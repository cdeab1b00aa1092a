//! `get_session_updates`: what was printed since. Reading takes nothing away: each caller brings its own place.

use super::prelude::*;
use crate::actors::terminal::Updates;

/// How much is given at once, in bytes.
const AT_ONCE: usize = 64 * 1024;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetSessionUpdates {
    /// The session whose terminal is meant: yours, or a monitor's.
    session_id: String,
    /// The `file_position` of your last call; from the oldest that is kept when left out.
    #[serde(default)]
    since: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    session_id: String,
    /// What was printed, without what only a terminal understands.
    new_content: String,
    /// Give this as since the next time.
    file_position: u64,
    /// Whether there is more: call again at once.
    has_more: bool,
    /// How many bytes between since and this are kept no longer.
    missed_bytes: u64,
}

impl Verb for GetSessionUpdates {
    const NAME: &'static str = "get_session_updates";
    const TITLE: &'static str = "Read on in a terminal";
    const DESCRIPTION: &'static str = "\
        What was printed in a terminal since a place. Nothing is taken away by reading: keep file_position and give it \
        as since the next time.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let Self { session_id, since } = input;
        let terminal = call.terminal(&session_id).await?;
        let read = match &terminal {
            Some(terminal) => terminal.read(since, AT_ONCE).await.map_err(refuse::fault)?,
            None => Updates { position: since.unwrap_or_default(), ..Updates::default() },
        };
        let message = match read.text.is_empty() {
            _ if terminal.is_none() => "Nothing was printed yet.",
            true => "Nothing new.",
            false => "Something was printed.",
        };
        let output = Output {
            session_id,
            new_content: read.text,
            file_position: read.position,
            has_more: read.more,
            missed_bytes: read.missed,
        };
        Ok(Answer::new(message, output))
    }
}
