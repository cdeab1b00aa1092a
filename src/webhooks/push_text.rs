//! The words that a device shows of an event, where its owner wants them: an event itself has none.
//!
//! Taken from the record when its delivery is written. A message holds 3,993 bytes
//! ([`LONGEST_TEXT`](callboard_platform::push::LONGEST_TEXT)), so they are cut.

use serde::{Deserialize, Serialize};

use crate::domain::danger::find_in;
use crate::domain::session::question::{QuestionRecord, QuestionSpec};
use crate::domain::task::TaskRecord;
use crate::domain::text::shorten;
use crate::journal::Record;

/// How many characters of a text, and of an option, are shown.
const TEXT: usize = 300;
const OPTION: usize = 40;
/// How many options are buttons: browsers show no more beside a notification.
pub const BUTTONS: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShownText {
    title: String,
    text: String,
    /// The first options of a question that may be answered at one press; absent where it may not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    options: Option<Vec<String>>,
}

/// Whether a question may be answered at one press on a locked screen: not where its words may destroy something, it
/// gives leave for a tool, or it and its answers are not shown whole.
pub fn may_be_pressed(spec: &QuestionSpec) -> bool {
    let shown = spec.options.iter().take(BUTTONS);
    let is_whole =
        spec.question.chars().count() <= TEXT && shown.clone().all(|option| option.chars().count() <= OPTION);
    let words: Vec<&str> = std::iter::once(&spec.question).chain(&spec.options).map(String::as_str).collect();
    let is_harmless = !spec.is_dangerous() && spec.permission.is_none() && find_in(&words).is_none();
    is_whole && is_harmless && !spec.options.is_empty()
}

/// What is shown of a record; none where it has no words.
pub(super) fn shown_text(record: &Record) -> Option<ShownText> {
    let made = |title: String, text: &str| ShownText { title, text: shorten(text, TEXT), options: None };
    if let Record::Question(QuestionRecord::Asked { spec }) = record {
        let buttons = || spec.options.iter().take(BUTTONS).map(|option| shorten(option, OPTION)).collect();
        let asked = made(format!("{} asks", spec.agent_id), &spec.question);
        return Some(ShownText { options: may_be_pressed(spec).then(buttons), ..asked });
    }
    let Record::Task(record) = record else { return None };
    if let TaskRecord::Failed { agent, message, .. } = record {
        return Some(made(format!("{agent} failed"), message.head()));
    }
    if let TaskRecord::Blocked { agent, reason, .. } = record {
        return Some(made(format!("{agent} is blocked"), reason));
    }
    if let TaskRecord::DeadLettered { reason } = record {
        return Some(made("A task is a dead letter".to_owned(), reason));
    }
    None
}
