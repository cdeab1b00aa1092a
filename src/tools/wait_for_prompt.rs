//! `wait_for_prompt`: the agent waits until there is something for it, or the wait ends.

use std::time::Duration;

use tokio::time::Instant;

use super::fit;
use super::prelude::*;
use super::rendering::Words;
use super::work::{self, CommentShown, DependencyResult};
use crate::actors::agent::{Awaited, Held, WaitEnd, WaitRequest};
use crate::actors::task::OfferedTask;
use crate::domain::agent::{Eviction, EvictionAction, NoticeKind};
use crate::domain::task::{Priority, Workspace};
use crate::settings::Remind;

/// The shortest wait: what lies there for the agent must have the time to come.
const SHORTEST: Duration = Duration::from_millis(50);

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WaitForPrompt {
    /// How long to wait at most, in seconds; left out at first.
    #[schemars(range(min = 0, max = 31_536_000))]
    timeout: Option<f64>,
    /// In which form to answer. For a client, and not for its model: hook answers as hooks do, and the task that it
    /// carries is acknowledged by the next call of the agent that names it; nudge only tells that there is something,
    /// and hands nothing over.
    form: Option<Form>,
}

/// A form of its answer beside the usual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Form {
    /// As hooks of clients read it.
    Hook,
    /// Nothing but how it ended.
    Nudge,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Status {
    /// It ended with work.
    Task,
    /// With something to hear, and no work.
    Notice,
    /// It ended without work.
    Idle,
    /// The agent is sent away.
    Evicted,
    /// A newer wait took its place.
    Superseded,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// How the wait ended. TASK: prompt is your task, from says whose words it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    /// Who asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Origin>,
    /// The delegation chain, from who began it down to the asker's asker.
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<Vec<Origin>>,
    /// How urgent it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<Priority>,
    /// Whatever the asker added.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// Which attempt this is, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    /// The number of the offer, and of the lease that it becomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_epoch: Option<u64>,
    /// Until when to acknowledge it, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    ack_by: Option<String>,
    /// How long it lives without a sign of progress, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds: Option<u64>,
    /// When the lease would end if it were acknowledged now, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// What the tasks that it depends on came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    dependency_results: Option<Vec<DependencyResult>>,
    /// A line about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// A longer specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<String>,
    /// Where the work lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<Workspace>,
    /// Answers, reviewers' wishes and remarks so far, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<CommentShown>,
    /// When evicted: why. In a hook's form: what the model is to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// When evicted: what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<EvictionAction>,
    /// The form that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<Form>,
    /// In a hook's form: that the client is to go on, with reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<String>,
}

impl Verb for WaitForPrompt {
    const NAME: &'static str = "wait_for_prompt";
    const TITLE: &'static str = "Wait for work";
    const DESCRIPTION: &'static str = "\
        Wait until there is work for you. Call it after register_agent and after each task, again and again: it \
        blocks for a while and costs nothing. status TASK: prompt is the task to do; acknowledge it first. \
        NOTICE: read notices, then wait again. IDLE: nothing came; wait again. EVICTED: do what prompt says. \
        SUPERSEDED: another call of yours waits already; stop this one.";
    const FOR: For = For::Waiters;
    const HINTS: Hints = Hints::ADDS;
    const KEYED: bool = false;
    const BLOCKS: bool = true;
    const REST: Option<Remainder> = Some(Remainder::OfTask);

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let agent = call.calling()?;
        if call.is_on_call() {
            let fields = Output { status: Some(Status::Idle), ..Output::default() };
            return Ok(Answer::new("You are on call.", fields).prompt(reminder::END_YOUR_TURN));
        }
        let span = span(&call, input.timeout).max(SHORTEST);
        let until = call.hub.clock.moment(Instant::now() + span);
        let (instance, nudges) = (call.caller.instance.clone(), input.form == Some(Form::Nudge));
        let request = WaitRequest { id: call.id, instance, until, awaits: Awaited::Anything, nudges };
        let (end, guard) = agent.line.wait(request).await.map_err(|error| refuse::agent(&agent.id, error))?;
        let mut answer = match end {
            // Boxed: whoever still waits has no room to keep for it. What is still to be read may fail: then the offer
            // goes back with the guard instead of waiting for its deadline.
            WaitEnd::Task(offered) => Box::pin(task(&call, &offered)).await?,
            WaitEnd::Notices(notices) => notice(notices),
            WaitEnd::Idle => idle(&call, input.timeout),
            WaitEnd::Evicted(eviction) => evicted(eviction),
            WaitEnd::Superseded => superseded(),
            WaitEnd::AtCapacity(held) => at_capacity(&call, &held),
            WaitEnd::Draining => draining(),
        };
        answer.fields.form = input.form;
        Ok(Answer { guard: Some(guard), ..answer })
    }
}

/// How long to wait: as long as was asked, and never longer than the client tolerates.
pub(super) fn span(call: &Call, timeout: Option<f64>) -> Duration {
    let asked = timeout.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default());
    let span = call.settings.wait_for(call.caller.client.as_ref(), asked);
    learned(call).map_or(span, |limit| span.min(limit))
}

/// What the agent's connection was seen to bear; none where its client is in a row that says so, or has no name.
fn learned(call: &Call) -> Option<Duration> {
    let client = call.caller.client.as_ref().filter(|client| call.settings.is_in_no_row(Some(client)));
    client.and(call.agent.as_ref()).and_then(|agent| agent.called.wait_limit)
}

/// Behind the order to wait again: a `timeout` other than that of the wait that has just ended, since some clients end
/// a run at the fifth equal call. Nothing for a client with tickets, which is to go on without a time.
pub(super) fn this_time(call: &Call, last: Option<f64>) -> Option<String> {
    let client = call.caller.client.as_ref();
    if client.is_some_and(|client| client.tasks) {
        return None;
    }
    let cap = call.settings.wait_cap(client);
    Some(reminder::this_time(next_timeout(learned(call).map_or(cap, |limit| cap.min(limit)), last)))
}

/// The seconds that the next wait is to ask for: one more than the last one did, from the client's cap on, and after a
/// thousand from there again. The hub blocks no longer than the cap in any case; a program that looks for patterns in
/// its calls (Gemini CLI does) finds none.
fn next_timeout(cap: Duration, last: Option<f64>) -> u64 {
    const VALUES: u64 = 1_000;
    let first = cap.as_secs().max(2);
    let last = last.and_then(|seconds| Duration::try_from_secs_f64(seconds.ceil()).ok()).map(|last| last.as_secs());
    last.filter(|last| (first..first + VALUES).contains(last)).map_or(first, |last| last + 1)
}

async fn task(call: &Call, offered: &OfferedTask) -> Result<Answer<Output>> {
    let spec = &offered.spec;
    let results = work::dependency_results(call, &offered.dependencies).await?;
    let fields = Output {
        status: Some(Status::Task),
        task_id: Some(spec.id.to_string()),
        from: Some(spec.from.clone()),
        via: Some(spec.via.clone()),
        priority: Some(offered.priority),
        context: spec.context.clone(),
        session_id: call.calling()?.session().map(ToString::to_string),
        attempt: Some(offered.attempt),
        lease_epoch: Some(offered.epoch.0),
        ack_by: Some(offered.ack_by.to_string()),
        ttl_seconds: Some(offered.terms.ttl.span().as_secs()),
        expires_at: Some((offered.offered_at + offered.terms.ttl.span()).to_string()),
        dependency_results: Some(results),
        title: spec.title.clone(),
        spec: spec.spec.clone(),
        workspace: spec.workspace.clone(),
        comments: offered.comments.iter().map(CommentShown::from).collect(),
        ..Output::default()
    };
    let shown = fit::beginning(&spec.prompt, fit::PROMPT);
    let message = format!(
        "Task {} from {} ({}). Acknowledge it before {}: call ack_task with taskId {} and leaseEpoch {}, or any other \
         tool that names it, as send_response with status PROGRESS.{}{}",
        spec.id,
        spec.from.display_name,
        spec.from.id,
        offered.ack_by,
        spec.id,
        offered.epoch,
        with_comments(offered.comments.len()),
        with_the_rest(&spec.id, &spec.prompt, shown)
    );
    let mut answer = Answer::new(message, fields).prompt(prompt(offered, shown));
    answer.words = Some(Words { task: spec.id.clone(), from: spec.from.clone(), bytes: shown.len() });
    Ok(answer)
}

/// That there is more to read than the text, where there is.
fn with_comments(many: usize) -> String {
    match many {
        0 => String::new(),
        1 => " It was looked at before: read the one comment in `comments` first.".to_owned(),
        many => format!(" It was looked at before: read the {many} comments in `comments` first."),
    }
}

/// That the text goes on, where it does.
fn with_the_rest(task: &TaskId, whole: &str, shown: &str) -> String {
    if shown.len() == whole.len() {
        return String::new();
    }
    format!(
        " Its text is longer than one result: before you begin, call get_task_context with taskId {task}, field \
         /prompt and offset {}.",
        shown.len()
    )
}

/// The task's text, or its beginning, with the set-up of its worktree where it is to have one.
fn prompt(offered: &OfferedTask, shown: &str) -> String {
    let spec = &offered.spec;
    let whole = spec.prompt.len();
    let mut text = if shown.len() == whole { shown.to_owned() } else { fit::marked(shown, whole) };
    if offered.terms.worktree {
        text.push_str(&reminder::worktree(&spec.id, Some(&offered.terms.role)));
    }
    text
}

fn notice(notices: Vec<Notice>) -> Answer<Output> {
    let message = match notices.len() {
        1 => "There is 1 notice for you.".to_owned(),
        many => format!("There are {many} notices for you."),
    };
    let fields = Output { status: Some(Status::Notice), ..Output::default() };
    let answer = Answer::new(message, fields).prompt(
        "## NEXT STEP\nRead the notices and act on them. Then call wait_for_prompt again, unless you still have a task \
         to work on.",
    );
    Answer { notices, ..answer }
}

fn idle(call: &Call, last: Option<f64>) -> Answer<Output> {
    let answer = Answer::new(reminder::IDLE, Output { status: Some(Status::Idle), ..Output::default() });
    if !call.is_reminded(Remind::Reconnect) {
        return answer;
    }
    answer.prompt(format!("{}{}", reminder::RECONNECT, this_time(call, last).unwrap_or_default()))
}

fn evicted(eviction: Eviction) -> Answer<Output> {
    let prompt = reminder::evicted(eviction.action);
    let message = format!("You were evicted: {}", eviction.reason);
    let fields = Output {
        status: Some(Status::Evicted),
        reason: Some(eviction.reason),
        action: Some(eviction.action),
        ..Output::default()
    };
    Answer::new(message, fields).prompt(prompt)
}

fn superseded() -> Answer<Output> {
    let fields = Output { status: Some(Status::Superseded), ..Output::default() };
    Answer::new("A newer wait of this agent has taken the place of this one.", fields)
        .prompt("## STOP\nAnother call of yours waits already, and gets what comes. Do not repeat this one.")
}

fn draining() -> Answer<Output> {
    let fields = Output { status: Some(Status::Idle), ..Output::default() };
    Answer::new(reminder::GOING_DOWN, fields)
        .prompt("## REQUIRED ACTION\nWait ten seconds, then call wait_for_prompt again.")
}

fn at_capacity(call: &Call, held: &[Held]) -> Answer<Output> {
    let at = call.hub.clock.now();
    let remind = |held: &Held| {
        let (id, text) = (call.hub.ids.notice(), reminder::still_held(&held.id));
        Notice { task_id: Some(held.id.clone()), ..Notice::new(id, NoticeKind::Reminder, text, Origin::hub(), at) }
    };
    let notices = held.iter().map(remind).collect();
    let ids: Vec<TaskId> = held.iter().map(|held| held.id.clone()).collect();
    let fields = Output { status: Some(Status::Notice), ..Output::default() };
    let answer = Answer::new("You hold as much work as you may.", fields).prompt(reminder::at_capacity(&ids));
    Answer { notices, ..answer }
}

#[cfg(test)]
mod tests;
