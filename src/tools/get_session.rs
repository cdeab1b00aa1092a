//! `get_session`: everything about an agent's working context.

use super::prelude::*;
use crate::actors::noticeboard::Event;
use crate::actors::session::SessionView;
use crate::domain::review::ReviewState;
use crate::domain::task::TaskStateName;
use crate::journal::HistoryFilter;

/// How many events are shown, the newest.
const EVENTS: usize = 20;

/// It takes no arguments of its own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetSession {}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// Identity, lifecycle, workflow status, open question.
    session: SessionView,
    /// The task that it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<LinkedTask>,
    /// The task's pull request, and where its review stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pull_request: Option<LinkedPr>,
    /// What happened last, the newest first.
    events: Vec<Event>,
}

/// A task in a few words.
#[derive(Debug, Serialize, JsonSchema)]
struct LinkedTask {
    task_id: String,
    /// A line about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    state: TaskStateName,
}

/// A pull request in a few words.
#[derive(Debug, Serialize, JsonSchema)]
struct LinkedPr {
    /// As its forge names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pr_id: Option<String>,
    /// As a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pr_url: Option<String>,
    /// Where its review stands.
    review: ReviewState,
}

impl Verb for GetSession {
    const NAME: &'static str = "get_session";
    const TITLE: &'static str = "Look at your session";
    const DESCRIPTION: &'static str = "\
        Your working context: status, open question, the task you are on, its pull request, and what happened last. \
        Call it when you do not remember where you are.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const IN_SESSION: bool = true;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, Self {}: Self) -> Result<Answer<Output>> {
        let output = shown(&call).await?;
        let session = &output.session;
        let message = format!("Session {} is {}.", session.session_id, session.workflow_status);
        Ok(Answer::new(message, output))
    }
}

pub(super) async fn shown(call: &Call) -> Result<Output> {
    let session = call.session_view().await?;
    let id = SessionId::parse(&session.session_id).map_err(|_| refuse::session())?;
    let task = session.task_id.as_deref().and_then(|task| TaskId::parse(task).ok());
    let read = call.hub.journal.read(move |reader| {
        let filter = HistoryFilter { limit: EVENTS, before: None, types: Vec::new(), query: None };
        let (mut linked, mut pull_request) = (None, None);
        if let Some(task) = task {
            linked = reader.task(&task)?;
            pull_request = reader.review(&task)?;
        }
        Ok((reader.session_history(&id, &filter)?, linked, pull_request))
    });
    let (events, task, review) = read.await.map_err(|error| refuse::read(&error))?;
    let task = task.map(|task| LinkedTask {
        task_id: task.spec.id.to_string(),
        title: task.spec.title.clone(),
        state: task.name(),
    });
    let pull_request = review.and_then(|review| {
        let named = review.rounds.iter().rev().map(|round| &round.change);
        let change = named.into_iter().find(|change| change.pr_id.is_some() || change.pr_url.is_some())?;
        Some(LinkedPr { pr_id: change.pr_id.clone(), pr_url: change.pr_url.clone(), review: review.state })
    });
    let events = events.iter().map(Event::of).collect();
    Ok(Output { session, task, pull_request, events })
}
