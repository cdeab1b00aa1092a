//! `wait_for_task`: wait until a task ends, or needs an answer, and hear meanwhile how it gets on.

use std::collections::VecDeque;
use std::pin::pin;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::prelude::*;
use super::wait_for_prompt::{span, this_time};
use crate::actors::common::Fault;
use crate::actors::task::{TaskOutcome, TaskRef};
use crate::domain::task::{Artifact, Progress, Task, TaskStateName};

/// How long to let a task that is being built anew come back.
const BREATH: Duration = Duration::from_millis(200);

/// The most reports of progress that one answer has, the newest of them; the task's history has all.
const REPORTS: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WaitForTask {
    /// The task, as `assign_task` named it.
    task_id: String,
    /// How long to wait at most, in seconds; best left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 31_536_000))]
    timeout: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    task_id: String,
    state: TaskStateName,
    /// Whether it has ended: COMPLETED, FAILED, CANCELLED or DEAD_LETTER.
    ended: bool,
    /// What its worker reported while you waited, and what it had reported last before, oldest first.
    #[serde(skip_serializing_if = "VecDeque::is_empty")]
    progress: VecDeque<Progress>,
    /// What its worker reported last.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    /// What came out of it.
    artifacts: Vec<Artifact>,
    /// Why it is BLOCKED.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_reason: Option<String>,
    /// Who worked on it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<String>,
}

impl Verb for WaitForTask {
    const NAME: &'static str = "wait_for_task";
    const TITLE: &'static str = "Wait for a task";
    const DESCRIPTION: &'static str = "\
        Wait until a task that you assigned has ended, or is BLOCKED and needs your answer (answer_task). When \
        it returns before that, call it again; progress says how far its worker is.";
    const FOR: For = For::Anybody(Scope::View);
    const HINTS: Hints = Hints::LOOKS;
    const BLOCKS: bool = true;
    const REPORTS: bool = true;
    const REST: Option<Remainder> = Some(Remainder::OfTask);
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let until = Instant::now() + span(&call, input.timeout);
        let task = call.visible_task(&input.task_id).await?;
        let mut heard = ProgressReports::default();
        let task = watch(&call, task, until, &mut heard).await?;
        let mut answer = answer(&call, &task, heard.0).await?;
        if let Some(prompt) = answer.prompt.as_mut().filter(|_| !settled(&task)) {
            prompt.push_str(&this_time(&call, input.timeout).unwrap_or_default());
        }
        Ok(answer)
    }
}

/// The reports of progress that came, oldest first.
#[derive(Debug, Default)]
struct ProgressReports(VecDeque<Progress>);

impl ProgressReports {
    /// Hears what is reported until the task has ended, or is BLOCKED.
    async fn listens(&mut self, call: &Call, line: &TaskRef) -> Result<TaskOutcome, Fault> {
        let (tell, mut told) = mpsc::channel(REPORTS);
        let agent = call.agent.as_ref().map(|agent| agent.id.clone());
        let mut outcome = pin!(line.watch(agent, tell));
        let outcome = loop {
            tokio::select! {
                biased;
                Some(progress) = told.recv() => self.take(call, progress),
                outcome = &mut outcome => break outcome,
            }
        };
        while let Ok(progress) = told.try_recv() {
            self.take(call, progress);
        }
        outcome
    }

    /// One that is not the last one again, which a watch that begins anew hears first.
    fn take(&mut self, call: &Call, progress: Progress) {
        if self.0.back() == Some(&progress) {
            return;
        }
        if let Some(reports) = &call.caller.reports {
            reports.show(progress.in_words());
        }
        if self.0.len() == REPORTS {
            self.0.pop_front();
        }
        self.0.push_back(progress);
    }
}

/// The task as it stands when it has ended, is BLOCKED, or time is over.
async fn watch(call: &Call, mut task: Task, until: Instant, heard: &mut ProgressReports) -> Result<Task> {
    let mut draining = call.hub.draining.clone();
    let id = task.id().clone();
    loop {
        if settled(&task) || Instant::now() >= until || *draining.borrow() {
            return Ok(task);
        }
        let line = call.hub.dispatcher.task(&id).await.map_err(refuse::fault)?;
        let outcome = match &line {
            Some(line) => tokio::select! {
                outcome = timeout_at(until, heard.listens(call, line)) => outcome.ok(),
                _ = draining.wait_for(|down| *down) => None,
            },
            None => None,
        };
        match outcome {
            Some(Ok(outcome)) => return Ok(outcome.task),
            // Its actor is being built anew, or it closed between two questions: ask again in a moment.
            Some(Err(_)) | None => {
                let _ = timeout_at(until, tokio::time::sleep(BREATH)).await;
                task = call.hub.task(&id).await.map_err(refuse::fault)?.ok_or_else(|| refuse::gone(&id))?;
            }
        }
    }
}

fn settled(task: &Task) -> bool {
    task.name().is_closed() || task.name() == TaskStateName::Blocked
}

/// What came of a task, with its result whole, however long it is.
pub(super) async fn shown_whole(call: &Call, task: &Task) -> Result<Output> {
    let result = match task.last_attempt().and_then(|attempt| attempt.message.as_ref()) {
        Some(text) => Some(call.unshortened(text).await?),
        None => None,
    };
    Ok(fields(task, VecDeque::new(), result))
}

fn fields(task: &Task, progress: VecDeque<Progress>, result: Option<String>) -> Output {
    Output {
        task_id: task.id().to_string(),
        state: task.name(),
        ended: task.name().is_closed(),
        progress,
        result,
        artifacts: task.artifacts(),
        blocked_reason: task.blocked_reason(),
        agent_id: task.last_attempt().map(|attempt| attempt.agent.to_string()),
    }
}

async fn answer(call: &Call, task: &Task, progress: VecDeque<Progress>) -> Result<Answer<Output>> {
    let id = task.id();
    let result = match task.last_attempt().and_then(|attempt| attempt.message.as_ref()) {
        Some(text) => Some(call.whole(text).await?),
        None => None,
    };
    let fields = fields(task, progress, result);
    let message = if settled(task) {
        format!("Task {id} is {}.", task.name())
    } else {
        format!("Task {id} is still {}.", task.name())
    };
    let answer = Answer::new(message, fields);
    Ok(match next(id, task.name(), settled(task)) {
        Some(prompt) => answer.prompt(prompt),
        None => answer,
    })
}

fn next(id: &TaskId, state: TaskStateName, settled: bool) -> Option<String> {
    if !settled {
        return Some(format!("## NEXT STEP\nCall wait_for_task with taskId {id} again to go on waiting."));
    }
    (state == TaskStateName::Blocked).then(|| {
        format!(
            "## NEXT STEP\nIf its worker needs an answer from you, call answer_task with taskId {id}; then call \
             wait_for_task again."
        )
    })
}
