//! `stop_session_monitor`: the hub follows a log file no more. The file stays as it is.

use super::prelude::*;
use super::terminals::{may_change, not_found};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StopSessionMonitor {
    /// The name that `start_session_monitor` was given.
    session_id: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    session_id: String,
    /// `stopped`.
    status: String,
    /// Where in the file it ended.
    file_position: u64,
    /// How many bytes were read since it began.
    total_bytes_processed: u64,
    /// How long it was followed, in seconds.
    session_duration_seconds: f64,
}

impl Verb for StopSessionMonitor {
    const NAME: &'static str = "stop_session_monitor";
    const TITLE: &'static str = "Follow a log file no more";
    const DESCRIPTION: &'static str = "\
        End a monitor that start_session_monitor began. The file is left as it is, and what was read stays searchable \
        with search_session_history until cleanup_old_sessions drops it.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::SETTLES;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let stopped = call.once(async {
            let given = input.session_id.as_str();
            let terminal = call.terminal(given).await?.ok_or_else(|| not_found(given))?;
            let view = terminal.view().await.map_err(refuse::fault)?;
            if !view.kind.follows_a_file() {
                return Err(not_found(given));
            }
            may_change(&call.hub, &call.caller.principal, view.agent_id).await?;
            let by = call.caller.by();
            let (view, began_at) = terminal.stop(by, Some(call.caller.request.clone())).await.map_err(refuse::fault)?;
            Ok(Output {
                session_id: view.session_id,
                status: "stopped".to_owned(),
                file_position: view.file_position,
                total_bytes_processed: view.file_position.saturating_sub(began_at),
                session_duration_seconds: call.hub.clock.now().since(view.started_at).as_secs_f64(),
            })
        });
        let stopped = stopped.await?;
        Ok(Answer::new(format!("Session {} is followed no more.", stopped.session_id), stopped))
    }
}
