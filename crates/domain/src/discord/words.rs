//! What the hub says on Discord of a task, a question, a review: texts, and the buttons below them.

use serde_json::{Value, json};

use super::press::Press;
use super::text::{beginning, quoted, units, whole_words};
use crate::ids::{AgentId, QuestionId, TaskId};
use crate::review::{DiffMap, DiffSize, Round};
use crate::session::question::{Question, QuestionSpec, Resolution, ResolutionType};
use crate::task::{ArtifactKind, BlockedOn, Task, TaskState};
use crate::time::Timestamp;

/// The longest name of a thread, in UTF-16 units.
const THREAD_NAME: usize = 100;
/// The longest label of a button, the longest value and label of an option of a select.
const BUTTON_LABEL: usize = 80;
pub(super) const OPTION_LABEL: usize = 100;
/// The most options that are buttons, and the most that fit into a select.
const BUTTONS: usize = 4;
const SELECT: usize = 25;
/// The most UTF-16 units that are shown of why an agent stands still, as they are sent.
pub const REASON: usize = 600;
/// The most files that a review names.
const FILES: usize = 4;

/// The name of a task's thread: `FullStack: implement login · a1b2`. The text is the asker's own.
pub fn thread_name(who: &str, text: &str, task: &TaskId) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    let mark = mark(task);
    let room = THREAD_NAME.saturating_sub(units(who) + units(&mark) + 5);
    let name = format!("{who}: {} · {mark}", label(&line, room));
    whole_words(&name, THREAD_NAME).to_owned()
}

/// The end of a task's id, by which people tell one from another.
fn mark(task: &TaskId) -> String {
    let id = task.as_str();
    id.chars().skip(id.chars().count().saturating_sub(4)).collect()
}

/// How a task stands: the text of its status message. `who` is whom it is for, as people call it; `waits` says why
/// nobody has it yet, or what its agent waits for.
pub fn status(task: &Task, who: &str, waits: Option<&str>) -> String {
    let state = match &task.state {
        TaskState::Queued { .. } => format!("⏳ queued{}", waits.map(|why| format!("; {why}")).unwrap_or_default()),
        TaskState::Assigned { offer } => format!("📨 offered to `{}`", offer.agent),
        TaskState::InProgress { lease } => match waits {
            Some(why) => format!("❓ `{}` {why}", lease.agent),
            None => format!("🔧 `{}` works on it, begun {}", lease.agent, when(lease.since)),
        },
        TaskState::Blocked { on, .. } => match on {
            BlockedOn::Dependencies => "⏸ waits for other tasks".to_owned(),
            BlockedOn::DependencyFailed { .. } => "⚠️ a task that it waits for failed".to_owned(),
            BlockedOn::Answer { agent, .. } => format!("⚠️ `{agent}` needs an answer"),
        },
        TaskState::InReview { holder, approved: true, .. } => format!("👍 approved; `{holder}` completes it"),
        TaskState::InReview { holder, .. } => format!("👀 `{holder}` handed it in for review"),
        TaskState::Timeout { .. } => "⚠️ its time ran out".to_owned(),
        TaskState::Completed { at } => format!("✅ completed {}", when(*at)),
        TaskState::Failed { at } => format!("❌ failed {}", when(*at)),
        TaskState::Cancelled { at, .. } => format!("🚫 cancelled {}", when(*at)),
        TaskState::DeadLetter { at, .. } => format!("❌ given up {}", when(*at)),
    };
    let mut text = format!("**{who}** · {state}\n-# asked {}", when(task.spec.created_at));
    if let Some(progress) = task.progress.as_ref().filter(|_| !task.state.name().is_closed()) {
        let percent = progress.percent.map(|percent| format!("{percent} % · ")).unwrap_or_default();
        text.push_str(&format!("\n> {percent}{} ({})", quoted(&progress.message, 400), when(progress.at)));
    }
    text
}

/// The buttons below a status message: what can be done in this state.
pub fn opened(task: &Task) -> Value {
    let id = &task.spec.id;
    let is_late = matches!(task.state, TaskState::Timeout { .. });
    // Below a failure's own message stands Retry.
    let retry = is_late.then(|| button("Retry", 2, &Press::Retry(id.clone())));
    let cancel = (!task.state.name().is_closed()).then(|| button("Cancel", 4, &Press::Cancel(id.clone())));
    let buttons = retry.into_iter().chain(cancel).collect();
    rows(vec![buttons])
}

/// The first line about how a task moved on: `✅ @FullStack completed: PR #42`, with its sign for a reaction. It is
/// empty where nobody hears of it: the task goes on, or waits for others.
pub fn headline(task: &Task, who: &str) -> (&'static str, String) {
    let artifacts = task.attempts.last().map(|attempt| attempt.artifacts.as_slice()).unwrap_or_default();
    let first = artifacts.iter().find_map(|one| match (&one.kind, &one.title, &one.url) {
        (_, Some(title), Some(url)) => Some(format!(": {} {}", quoted(title, 120), quoted(url, 300))),
        (ArtifactKind::Pr, None, Some(url)) => {
            let number =
                url.rsplit('/').next().filter(|end| !end.is_empty() && end.bytes().all(|b| b.is_ascii_digit()));
            let url = quoted(url, 300);
            Some(number.map_or_else(|| format!(": {url}"), |number| format!(": PR #{number} {url}")))
        }
        (_, None, Some(url)) => Some(format!(": {}", quoted(url, 300))),
        (_, Some(title), None) => Some(format!(": {}", quoted(title, 120))),
        (_, None, None) => None,
    });
    let first = first.unwrap_or_default();
    match &task.state {
        TaskState::Completed { .. } => ("✅", format!("✅ @{who} completed{first}")),
        TaskState::Failed { .. } => ("❌", format!("❌ @{who} failed{first}")),
        TaskState::DeadLetter { reason, .. } => ("❌", format!("❌ @{who} gave up: {}", quoted(reason, 300))),
        TaskState::Cancelled { reason, .. } => {
            let why = reason.as_deref().map(|why| format!(": {}", quoted(why, 300))).unwrap_or_default();
            ("⚠️", format!("⚠️ cancelled{why}"))
        }
        TaskState::Blocked { on: BlockedOn::Answer { reason, .. }, .. } => {
            ("⚠️", format!("⚠️ {}\n-# {who} needs an answer: reply here", quoted(reason, REASON)))
        }
        TaskState::Blocked { .. } => ("⚠️", String::new()),
        TaskState::Timeout { .. } => ("⚠️", format!("⚠️ @{who} ran out of time; retry or cancel it")),
        TaskState::InReview { .. } => ("👀", format!("👀 @{who} asks for a review{first}")),
        TaskState::Queued { .. } | TaskState::Assigned { .. } | TaskState::InProgress { .. } => ("👀", String::new()),
    }
}

/// The buttons below a message about how a task moved on; `round` is the one of the review that the message shows.
pub fn ended(task: &Task, round: Option<u32>) -> Value {
    let id = &task.spec.id;
    let buttons = if let TaskState::InReview { approved: false, .. } = task.state {
        vec![
            button("Approve", 3, &Press::Approve(id.clone(), round)),
            button("Request changes…", 2, &Press::Changes(id.clone(), round)),
        ]
    } else if matches!(task.state, TaskState::Failed { .. } | TaskState::Timeout { .. }) {
        vec![button("Retry", 2, &Press::Retry(id.clone()))]
    } else {
        Vec::new()
    };
    rows(vec![buttons])
}

/// Whether every option can be read whole on what it is chosen by.
pub(super) fn fits_labels(spec: &QuestionSpec) -> bool {
    let most = if spec.options.len() <= BUTTONS { BUTTON_LABEL } else { OPTION_LABEL };
    spec.options.iter().all(|option| units(option) <= most)
}

/// What stands below a question: who asks, what happens when nobody answers, who may answer.
pub fn question_foot(question: &Question, who: &str) -> String {
    let spec = &question.spec;
    let (default, until) = (quoted(&spec.default_action, 200), when(spec.expires_at));
    let otherwise = if spec.is_dangerous() {
        format!("I wait for you (wanted {until})")
    } else {
        format!("{default} if nobody answers, {until}")
    };
    format!("-# {who} · {otherwise} · you, or who may answer {who}")
}

/// Who speaks of which part of the work, below what is said in the thread of the whole.
pub fn part_of_work(agent: &AgentId, task: &Task) -> String {
    let part = task.spec.title.as_ref().unwrap_or(&task.spec.prompt);
    format!("-# `{agent}` for a part of this: {}", quoted(part, 120))
}

/// The size of a change: `3 files, +120 −14`.
pub fn size_text(size: &DiffSize) -> String {
    let files = if size.files == 1 { "1 file".to_owned() } else { format!("{} files", size.files) };
    format!("{files}, +{} −{}", size.added, size.removed)
}

/// A review's buttons, once it has its verdict: what it was stands there, and nothing can be pressed.
pub fn judged(verdict: &str) -> Value {
    let verdict = label(verdict, BUTTON_LABEL);
    json!([{"type": 1, "components": [
        {"type": 2, "style": 2, "label": verdict, "custom_id": "cb:judged", "disabled": true},
    ]}])
}

/// The one button below the question whether a task is called off that somebody works on.
pub fn sure_to_cancel(task: &TaskId) -> Value {
    rows(vec![vec![button("Yes, cancel it", 4, &Press::CancelAnyway(task.clone()))]])
}

/// The one button below the question whether an answer is given that may destroy something.
pub fn sure_to_answer(question: &QuestionId, at: usize, option: &str) -> Value {
    rows(vec![vec![button(&format!("Yes: {option}"), 4, &Press::OptionAnyway(question.clone(), at))]])
}

/// What a question is answered with: up to four options that fit are buttons, up to 25 a select; otherwise a modal.
///
/// The label of an option that is too long is its number and its beginning; `question_body` shows it whole.
pub fn question_components(question: &Question) -> Value {
    let spec = &question.spec;
    let id = &spec.id;
    let short = fits_labels(spec);
    let mut above = Vec::new();
    let mut select = None;
    let options = spec.options.iter().enumerate();
    match spec.options.len() {
        1..=BUTTONS if short => {
            above = options.map(|(at, option)| button(option, 1, &Press::Option(id.clone(), at))).collect();
        }
        1..=SELECT => {
            let options = options.map(|(at, option)| {
                let option = if short { option.clone() } else { format!("{}. {option}", at + 1) };
                json!({"label": label(&option, OPTION_LABEL), "value": at.to_string()})
            });
            let (options, custom_id) = (options.collect::<Vec<_>>(), Press::Select(id.clone()).to_string());
            let menu = json!({"type": 3, "custom_id": custom_id, "placeholder": "Choose…", "options": options});
            select = Some(json!({"type": 1, "components": [menu]}));
        }
        _ => {}
    }
    let mut below = Vec::new();
    let fits = above.len() + usize::from(select.is_some()) > 0;
    if spec.allow_free_text || !fits {
        below.push(button("Answer…", 2, &Press::Words(id.clone())));
    }
    if !spec.is_dangerous() {
        below.push(button("Use default", 2, &Press::Default(id.clone())));
    }
    let Value::Array(buttons) = rows(vec![above, below]) else { return json!([]) };
    Value::Array(select.into_iter().chain(buttons).collect())
}

/// What a reviewer looks at beside the report: notes, the first files, and where all of it is.
pub fn to_review(round: &Round, diff: &str, links: &[String]) -> String {
    let notes = round.notes.as_deref().map(|notes| format!("📝 {}", beginning(notes, 600)));
    let files = DiffMap::of(diff).files;
    let mut names: Vec<_> = files.iter().take(FILES).map(|file| quoted(&file.path, 80)).collect();
    if files.len() > FILES {
        names.push(format!("… and {} more", files.len() - FILES));
    }
    let names = (!names.is_empty()).then(|| format!("-# {}", names.join(" · ")));
    let links = links.iter().map(|link| quoted(link, 300));
    notes.into_iter().chain(names).chain(links).collect::<Vec<_>>().join("\n")
}

/// What stands below a question that has its answer.
pub fn resolved_text(resolution: &Resolution) -> String {
    let (value, who) = (quoted(&resolution.value, 300), quoted(&resolution.by.display_name, 80));
    match resolution.kind {
        ResolutionType::Human => {
            format!("✅ **{who}** answered: {value}")
        }
        ResolutionType::Timeout => format!("⏰ nobody answered in time; the default applies: {value}"),
        ResolutionType::Cancelled => "🚫 the question was withdrawn".to_owned(),
        ResolutionType::Superseded => "🚫 nobody needs the answer any more".to_owned(),
    }
}

/// A moment, as each reader's own client shows it.
pub(super) fn when(at: Timestamp) -> String {
    format!("<t:{}:R>", at.0 / 1_000)
}

/// A text where Discord shows no markup, in one line of at most so many units.
pub fn label(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if whole_words(&line, most).len() == line.len() {
        return if line.is_empty() { "(empty)".to_owned() } else { line };
    }
    format!("{}…", whole_words(&line, most.saturating_sub(1)))
}

fn button(text: &str, style: u8, press: &Press) -> Value {
    json!({"type": 2, "style": style, "label": label(text, BUTTON_LABEL), "custom_id": press.to_string()})
}

/// Rows of buttons; an empty row is none.
fn rows(rows: Vec<Vec<Value>>) -> Value {
    let full = rows.into_iter().filter(|row| !row.is_empty());
    full.map(|row| json!({"type": 1, "components": row})).collect()
}
