//! The text of a task, with the fields of its moment filled in.

use super::spec::{Due, Trigger};
use super::state::Schedule;
use crate::task::Task;
use crate::text::cut;
use crate::workflow::template;

/// What is filled in: the schedule's name, its moment (RFC 3339), date and time in its zone; and behind `after` the id,
/// title, state and result of the task that ended.
pub const FIELDS: [&str; 8] = ["schedule", "moment", "date", "time", "task", "title", "state", "result"];

/// How much of a result is handed on, in bytes; the whole of it is with its task.
const LONGEST_RESULT: usize = 16 * 1024;

/// A text with the fields of this moment filled in; other names in braces stay. `ended` is the task that ended.
pub fn fill(text: &str, schedule: &Schedule, due: &Due, ended: Option<&Task>) -> String {
    let value = |name: &str| value(name, schedule, due, ended);
    let stands = |name: &str| value(name).is_some_and(|value| !value.is_empty());
    template::fill(text, &stands, &mut |name| value(name).unwrap_or_else(|| format!("{{{name}}}")))
}

fn value(name: &str, schedule: &Schedule, due: &Due, ended: Option<&Task>) -> Option<String> {
    let local = || local(&schedule.spec.trigger, due);
    let after = due.ended.as_ref();
    match name {
        "schedule" => Some(schedule.spec.name.clone()),
        "moment" => Some(due.moment.to_string()),
        "date" => Some(local().split(' ').next().unwrap_or_default().to_owned()),
        "time" => Some(local().split(' ').nth(1).unwrap_or_default().to_owned()),
        "task" => after.map(|ended| ended.task.to_string()),
        "state" => after.map(|ended| ended.state.to_string()),
        "title" => after.map(|_| ended.and_then(|task| task.spec.title.clone()).unwrap_or_default()),
        "result" => after.map(|_| result(ended)),
        _ => None,
    }
}

fn local(trigger: &Trigger, due: &Due) -> String {
    trigger.local(due.moment)
}

fn result(ended: Option<&Task>) -> String {
    let said = ended.and_then(|task| task.attempts.last()).and_then(|attempt| attempt.message.as_ref());
    cut(said.map_or("", |said| said.head()), LONGEST_RESULT).to_owned()
}
