//! `callboard workflow run`: has the hub carry a workflow out, and prints what is said and done as it happens.

use std::time::Duration;

use super::given::Given;
use super::printed_run::{PrintedRun, verdict};
use crate::cli::prelude::*;
use crate::domain::ids::WorkflowId;

/// How often the hub is asked how far it came.
const LOOK: Duration = Duration::from_millis(250);

/// Have the hub carry a workflow out; ends with 0 when all of it is done
///
/// It runs with your rights. A step that asks, reviews or opens pull requests does so in the session of an agent, which
/// --session names; without it such a workflow is refused before anything runs. Where the hub cannot go on, the calls
/// that are left are printed, and the run is yours: it is listed by `callboard workflow runs` and in the inbox.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard workflow run release --session SESSION --arg service=api --arg pr=17
  callboard workflow run RUN                  go on with a run whose command was cut off
  callboard workflow run triage --session SESSION --arg report=\"it is slow\" --arg capability=rust")]
pub(in crate::cli) struct RunArgs {
    /// The workflow's name, or the id of a run of yours
    name: String,
    #[command(flatten)]
    given: Given,
    /// The session in which its steps ask and review, as `callboard session list` shows it
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// The run exists before any step runs, so the same command with the run's id goes on after any end.
pub(super) async fn run(args: &RunArgs, hub: HubClient) -> Result<(), Problem> {
    let session = match &args.session {
        Some(given) => Some(to_change(&hub, NamedKind::Session, given).await?),
        None => None,
    };
    let hub = &hub.in_session(session);
    let json = args.output.is_json();
    let mut told = PrintedRun::default();
    let id = match WorkflowId::parse(&args.name) {
        Ok(id) => id.to_string(),
        Err(_) => {
            let body = json!({"name": args.name, "arguments": args.given.by_name()});
            let begun = hub.post(&["api", "v1", "workflows"], &body).await.map_err(|problem| {
                match problem.told().contains("INVALID_ARGUMENTS") {
                    true => problem.next("callboard workflow list names what each takes: --arg NAME=VALUE"),
                    false => problem,
                }
            })?;
            str_at(&begun, "workflowId").ok_or_else(|| hub.not_a_hub("a run without `workflowId`"))?.to_owned()
        }
    };
    if !json {
        say(&format!("run        {}", for_terminal(&id)))?;
    }
    let (path, nothing) = (["api", "v1", "workflows", &id, "continue"], json!({}));
    let goes_on = hub.post(&path, &nothing);
    tokio::pin!(goes_on);
    let after: Value = loop {
        tokio::select! {
            biased;
            after = &mut goes_on => break after?,
            () = tokio::time::sleep(LOOK), if !json => {
                // What cannot be looked at now comes with the next look, or with the end.
                if let Ok(now) = hub.get(&["api", "v1", "workflows", &id], &[]).await {
                    told.says_more(&now)?;
                }
            }
        }
    };
    if json {
        say_json(&after)?;
    } else {
        told.says_more(&after)?;
    }
    verdict(&after)
}
