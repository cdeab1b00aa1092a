//! Lists of tasks and agents: their order, their lines, and how much of them one message shows.

use super::text::{quoted, units};
use super::words::{OPTION_LABEL, label, when};
use crate::agent::{AgentView, Availability};
use crate::task::{BlockedOn, Task, TaskState, TaskStateName};
use crate::time::Timestamp;

/// The most lines of a list, and the most UTF-16 units of them.
const LISTED: usize = 30;
const LENGTH: usize = 1_700;

/// As many lines as fit into one message, and how many more there are.
pub fn list(lines: &[String], nothing: &str) -> String {
    let mut shown = String::new();
    for (at, line) in lines.iter().enumerate() {
        if at == LISTED || units(&shown) + units(line) > LENGTH {
            return format!("{shown}… and {} more", lines.len() - at);
        }
        shown.push_str(line);
        shown.push('\n');
    }
    if shown.is_empty() { nothing.to_owned() } else { shown.trim_end().to_owned() }
}

/// A task: how it stands, what it is, who has it, since when. `asks` where a question for its sake is open.
pub fn task_line(task: &Task, who: &str, asks: bool) -> String {
    let holder = task.holder().map_or_else(|| who.to_owned(), ToString::to_string);
    let ((sign, state), age) = (state_of(task, asks), when(task.spec.created_at));
    format!("{sign} {state} · {} · {} · asked {age}", quoted(title(task), 60), quoted(&holder, 60))
}

/// A task as a choice, which shows no markup; `asks` as in [`task_line`].
pub fn task_choice(task: &Task, who: &str, asks: bool) -> String {
    label(&format!("{} · {who} · {}", state_of(task, asks).1, title(task)), OPTION_LABEL)
}

fn title(task: &Task) -> &str {
    task.spec.title.as_deref().unwrap_or(&task.spec.prompt)
}

/// Whether a person has to do something about an open task.
pub const fn waits_for_people(task: &Task) -> bool {
    matches!(
        task.state,
        TaskState::Blocked { on: BlockedOn::Answer { .. }, .. }
            | TaskState::InReview { approved: false, .. }
            | TaskState::Timeout { .. }
    )
}

fn state_of(task: &Task, asks: bool) -> (&'static str, &'static str) {
    if asks || matches!(task.state, TaskState::Blocked { on: BlockedOn::Answer { .. }, .. }) {
        ("❓", "needs an answer")
    } else if matches!(task.state, TaskState::InReview { approved: true, .. }) {
        ("👍", "approved")
    } else {
        state_words(task.state.name())
    }
}

/// A state: its sign, and the words that go behind "it is".
pub const fn state_words(state: TaskStateName) -> (&'static str, &'static str) {
    match state {
        TaskStateName::Queued => ("⏳", "queued"),
        TaskStateName::Assigned => ("📨", "offered to an agent"),
        TaskStateName::InProgress => ("🔧", "at work"),
        TaskStateName::Blocked => ("⏸", "waiting for other work"),
        TaskStateName::InReview => ("👀", "in review"),
        TaskStateName::Timeout => ("⚠️", "out of time"),
        TaskStateName::Completed => ("✅", "completed"),
        TaskStateName::Failed => ("❌", "failed"),
        TaskStateName::Cancelled => ("🚫", "cancelled"),
        TaskStateName::DeadLetter => ("❌", "given up"),
    }
}

/// An agent: how people call it and its role, and what it does.
pub fn agent_line(agent: &AgentView, role: &str) -> String {
    let seen = agent.last_seen.as_deref().and_then(Timestamp::parse).map(|at| format!(", last seen {}", when(at)));
    let doing = match agent.availability {
        Availability::Waiting => "🟢 free",
        Availability::Working => "🔧 at work",
        Availability::Offline => "⚪ away",
        Availability::Evicted => "🚫 sent away",
    };
    let seen = seen.filter(|_| agent.availability == Availability::Offline).unwrap_or_default();
    format!("{doing} · {} · {}{seen}", quoted(&agent.display_name, 80), quoted(role, 80))
}

/// Agents as people look for them: who is free first, and by name as people count.
pub fn sort_agents(agents: &mut [AgentView]) {
    agents.sort_by_cached_key(|agent| {
        let rank = match agent.availability {
            Availability::Waiting => 0,
            Availability::Working => 1,
            Availability::Offline => 2,
            Availability::Evicted => 3,
        };
        (rank, natural(&agent.display_name))
    });
}

/// A name in pieces of text and number, so that `fs-2` is before `fs-10`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let (mut pieces, mut rest) = (Vec::new(), name);
    while !rest.is_empty() {
        let (text, behind) = rest.split_at(rest.find(is_digit).unwrap_or(rest.len()));
        let (number, behind) = behind.split_at(behind.find(|c| !is_digit(c)).unwrap_or(behind.len()));
        pieces.push((text.to_lowercase(), number.parse().unwrap_or(u64::MAX)));
        rest = behind;
    }
    pieces
}
