//! What the hub tells an agent to do next: the `prompt` of a tool result, and what it adds to a task's text.
//!
//! A model does what a tool result says. So these texts are made here and nowhere else, and take nothing but typed ids:
//! there is no way for the words of an agent or a person to come into them.

use super::agent::EvictionAction;
use super::ids::{AgentId, LeaseEpoch, QuestionId, RoleId, TaskId};

/// The `message` of a wait that ended without work.
pub const IDLE: &str = "No tasks available. Waiting.";

/// The `message` of a wait that ended because the hub goes down. `callboard proxy` knows it by this.
pub const GOING_DOWN: &str = "The hub is going down for a moment.";

/// After a wait without work, for roles that are reminded to come back.
pub const RECONNECT: &str = "## REQUIRED ACTION\nCall wait_for_prompt again to continue listening.";

/// Behind the order to wait again. Some clients end a run at the fifth tool call in a row with the same arguments.
pub fn this_time(seconds: u64) -> String {
    format!("\nGive it `timeout` {seconds} this time.")
}

/// The next step after `register_agent`.
pub const REGISTERED: &str = "## NEXT STEP\nCall wait_for_prompt next, and again after each task.";

/// To who calls without having registered.
pub fn not_registered(agent: &AgentId) -> String {
    format!(
        "## REQUIRED ACTION\n1. Call register_agent with agentId \"{agent}\" and your role.\n\
         2. Then call wait_for_prompt."
    )
}

/// To the older of two registrations of one agent.
pub fn superseded(agent: &AgentId) -> String {
    format!(
        "## STOP\nA newer registration speaks for \"{agent}\" now, and gets its work. Stop here: do not register \
         again, and do not call wait_for_prompt."
    )
}

/// To who is sent away.
pub const fn evicted(action: EvictionAction) -> &'static str {
    match action {
        EvictionAction::Restart => {
            "## REQUIRED ACTION\nYour tasks were given back. End this run, start anew, and call register_agent before \
             anything else."
        }
        EvictionAction::Shutdown => {
            "## REQUIRED ACTION\nYour tasks were given back. End this run now: do not register again, and do not call \
             wait_for_prompt."
        }
    }
}

/// To who was sent away, heard it, and calls again without having registered.
pub fn evicted_before(agent: &AgentId) -> String {
    format!("## REQUIRED ACTION\nCall register_agent with agentId \"{agent}\" before anything else.")
}

/// The `message` of a recorded response.
pub fn recorded(task: &TaskId) -> String {
    format!("Response recorded for {task}")
}

pub fn after_progress(task: &TaskId) -> String {
    format!(
        "## NEXT STEP\nGo on with task {task}. Report again when you get further, and at the end with send_response."
    )
}

pub fn after_blocked(task: &TaskId) -> String {
    format!(
        "## NEXT STEP\nCall wait_for_prompt: the answer to task {task} comes with the task itself, and other work may \
         come meanwhile."
    )
}

pub fn after_failed(task: &TaskId) -> String {
    format!("## NEXT STEP\nLeave task {task} as it is and call wait_for_prompt for the next task.")
}

/// After COMPLETED, where there is nothing to clean up.
pub fn after_completed(task: &TaskId) -> String {
    format!("## NEXT STEP\nTask {task} is done. Call wait_for_prompt for the next task.")
}

/// The next step after `submit_for_review`.
pub fn after_submitted(task: &TaskId) -> String {
    format!("## NEXT STEP\nTask {task} waits for its reviewer. Call wait_for_prompt: what is to change comes there.")
}

/// To who submitted what is approved now. What the reviewer says beside it is theirs: this goes into a notice.
pub fn approved(said: Option<&str>) -> String {
    match said {
        Some(said) => format!("approved: merge and call complete_task ({said})"),
        None => "approved: merge and call complete_task".to_owned(),
    }
}

/// After COMPLETED, for roles that are reminded to clean up, and a task that was given a worktree.
pub fn cleanup(task: &TaskId) -> String {
    format!(
        "## REQUIRED ACTION\n1. Verify merged: git log origin/main --oneline | head -1\n\
         2. If not merged: git push origin feature-{task}\n\
         3. Cleanup: git worktree remove .worktrees/feature-{task} --force"
    )
}

/// Added to the text of a task that is to be done in a worktree. With a role, the branch is named as its template says.
pub fn worktree(task: &TaskId, named_for: Option<&RoleId>) -> String {
    let mut block = format!(
        "\n\n## WORKTREE\nBefore you change anything, run this in the repository, and work in that folder only:\n\
         git worktree add .worktrees/feature-{task} -b feature-{task}\n"
    );
    if let Some(role) = named_for {
        block.push_str(&format!("When you open a pull request, name its branch {}.\n", branch(role, task)));
    }
    block
}

/// The branch of a role's work on a task: `feature/<role>/<task-id-short>`.
pub fn branch(role: &RoleId, task: &TaskId) -> String {
    format!("feature/{role}/{}", task.short())
}

/// To who waits for more work than it may hold at once.
pub fn at_capacity(held: &[TaskId]) -> String {
    let (noun, each) = if held.len() == 1 { ("task", "it") } else { ("tasks", "each of them") };
    format!(
        "## REQUIRED ACTION\nYou still hold {noun} {}. Go on with the work, and end {each} with send_response: \
         COMPLETED, BLOCKED or FAILED. Then call wait_for_prompt.",
        list(held)
    )
}

/// The text of the notice to who waits again and still holds work.
pub fn still_held(task: &TaskId) -> String {
    format!("You still hold task {task}: go on with it, or end it with send_response.")
}

/// To who hands in a task whose reviewer sent it back meanwhile.
pub fn sent_back(task: &TaskId, offer: Option<LeaseEpoch>) -> String {
    match offer {
        Some(epoch) => format!(
            "## REQUIRED ACTION\nRead what is to change, call ack_task with taskId {task} and leaseEpoch {epoch}, make \
            the changes, and hand it in again."
        ),
        None => format!(
            "## REQUIRED ACTION\nCall wait_for_prompt: task {task} comes back to you with every comment. Make the \
            changes, and hand it in again."
        ),
    }
}

/// To who calls about a task that was called off.
pub fn cancelled(task: &TaskId) -> String {
    format!(
        "## STOP\nTask {task} was cancelled. Stop working on it, do not push or merge what you have, and call \
         wait_for_prompt."
    )
}

/// To who calls about a task that somebody else has now.
pub fn lease_lost(task: &TaskId) -> String {
    format!("## STOP\nTask {task} moved on without you. Stop working on it and call wait_for_prompt.")
}

/// To who holds a task, and names another lease of it: a slip, or an elder run of the same agent.
pub fn other_lease(task: &TaskId, current: LeaseEpoch) -> String {
    format!(
        "## NEXT STEP\nIf you were handed task {task} last, repeat the call with leaseEpoch {current}, which \
         get_task_context shows, too. If you began it before that, stop: it was handed out anew."
    )
}

/// To who calls about a task that ended.
pub fn closed(task: &TaskId) -> String {
    format!("## NEXT STEP\nTask {task} has ended and takes no more responses. Call wait_for_prompt for the next task.")
}

fn list(tasks: &[TaskId]) -> String {
    tasks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Nobody answered a question in time, and its default applies.
pub fn no_response(default: &str) -> String {
    format!("No response received; proceeding with default: {default}")
}

/// A question is open: wait, or do something else.
pub fn pending(question: &QuestionId) -> String {
    format!(
        "## NEXT STEP\nCall wait_for_answer with question_id {question}, or go on with work that does not depend on \
        the answer."
    )
}

/// A question is open whose default does not apply by itself, and another default would.
pub fn held_back(question: &QuestionId) -> String {
    format!(
        "## NEXT STEP\nDo not act on the default: a person has to answer. Call wait_for_answer with question_id \
        {question}, or go on with work that does not depend on the answer. If you could go on without acting, call \
        withdraw_question and ask again with a default that does not act (no, skip, keep, wait): that one always \
        applies. An operator can let the defaults of your role apply: `defaults: trusted` in agents.yaml."
    )
}

/// A question's deadline passed, and its default may do harm.
pub fn overdue(question: &QuestionId) -> String {
    format!(
        "## NEXT STEP\nDo not act on the default. Call wait_for_answer with question_id {question} to go on waiting, \
        or call wait_for_prompt to take other work."
    )
}

pub const fn go_on_with_answer() -> &'static str {
    "## NEXT STEP\nGo on with the answer in resolution.value: a person gave it."
}

/// An answer is asked for that was heard before.
pub const fn heard_before() -> &'static str {
    "## NEXT STEP\nYou have acted on this answer, or are about to: go on where you are, and do nothing twice."
}

pub const fn go_on_with_default() -> &'static str {
    "## NEXT STEP\nGo on with the default in resolution.value: nobody answered in time. Say so in your report."
}

/// Nothing is left to do for now.
pub const fn next_task() -> &'static str {
    "## NEXT STEP\nCall wait_for_prompt."
}

/// What a run is told in place of a wait.
pub const END_YOUR_TURN: &str = "## REQUIRED ACTION\nYou are on call. If your task is done, you have told so with \
     send_response: end your turn now. You are started again when there is something for you. Do not call \
     wait_for_prompt.";

/// What a run is told whose question is open.
pub const RESUMED_WITH_THE_ANSWER: &str = "## REQUIRED ACTION\nEnd your turn now; you are resumed with the answer.";

#[cfg(test)]
mod tests;
