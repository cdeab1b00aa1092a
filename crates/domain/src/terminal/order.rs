//! An order to type an answer into a hosted terminal: what it must say, and when the hub says no to it.
//!
//! The hub refuses what is plainly wrong. Whether typing is safe at the very instant only the host can say, which
//! judges by its own screen and kernel, and by the same rules.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::seen::SeenPrompt;
use crate::ids::NoticeId;
use crate::prompt::redact::is_secret;
use crate::prompt::{Host, PromptKind, RuleId, Signal, destroys, is_same_question};
use crate::text::holds_secret;

/// The longest answer that is typed, in bytes: a terminal that takes lines keeps no more than 4,096 of one.
pub const MOST_TYPED: usize = 1_024;

/// What to type, and at which prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputAsk {
    /// The text, without the key that enters it.
    pub text: String,
    /// The prompt that it answers, as it was seen.
    pub prompt_text: String,
    /// How much the program had printed when that prompt was seen, which tells it from another one of the same words.
    pub file_position: Option<u64>,
    /// Whether a person gave it as the answer to this prompt.
    pub by_person: bool,
    pub reason: String,
}

/// An order as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputOrder {
    pub order_id: String,
    pub prompt_text: String,
    pub prompt_type: PromptKind,
    /// Whether the answer may destroy something.
    pub dangerous: bool,
    pub input_text: String,
    pub by_person: bool,
    pub reason: String,
    /// The notice that is typed, where the hub tells its agent something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<NoticeId>,
}

/// What came of an order, as its host says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderEnd {
    /// It was typed, and seen to leave the place where it was typed.
    Delivered,
    /// Nothing was typed, for this reason.
    Declined(String),
    /// It was typed and not seen to leave: it stands there unsent, as far as the host knows.
    Undelivered(String),
}

/// Why an answer did not reach the program.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotTyped {
    #[error("nobody hosts this terminal with `--inject`")]
    NoTypist,
    #[error("no program waits there for its user")]
    NothingWaits,
    #[error("another prompt stands there by now")]
    AnotherPrompt,
    #[error("a secret is typed by the person at the terminal alone")]
    Secret,
    #[error("the prompt is dangerous, and no person gave this answer")]
    Dangerous,
    #[error("the program would run this as a command, and no person gave it")]
    Command,
    #[error("what waits there is no agent's own input box")]
    NoInputBox,
    #[error("the program takes single keys here, and what Enter would do is not known")]
    Keys,
    #[error("it is not certain that what is typed now reaches this prompt")]
    NotSafe,
    #[error("the terminal's host did not type it: {0}")]
    Host(String),
    #[error("it was typed, but not seen to be sent: {0}")]
    Undelivered(String),
}

impl InputAsk {
    /// Whether it may be typed at what waits there, as far as the hub can know; the order for the journal. Fails with
    /// the refusal, when nothing is to be typed.
    pub fn decide(
        self,
        order_id: String,
        seen: Option<&SeenPrompt>,
        host: Host,
    ) -> Result<(InputOrder, SeenPrompt), NotTyped> {
        let prompt = seen.ok_or(NotTyped::NothingWaits)?;
        let moved = self.file_position.is_some_and(|seen_at| seen_at != prompt.file_position);
        let (answered, stands) = (self.prompt_text.trim(), prompt.prompt_text.trim());
        if moved || !is_same_question(answered, stands, prompt.is_dangerous) {
            return Err(NotTyped::AnotherPrompt);
        }
        if is_secret(&prompt.prompt_text, Some(prompt.prompt_type), host) || holds_secret(&self.text) {
            return Err(NotTyped::Secret);
        }
        if prompt.is_dangerous && !self.by_person {
            return Err(NotTyped::Dangerous);
        }
        if !self.by_person && (prompt.prompt_type == PromptKind::Command || destroys(&self.text)) {
            return Err(NotTyped::Command);
        }
        if !takes_a_line(prompt.prompt_type, &prompt.matched_pattern, &prompt.signals, host) {
            return Err(NotTyped::Keys);
        }
        if !prompt.safe_to_type {
            return Err(NotTyped::NotSafe);
        }
        let order = InputOrder {
            order_id,
            prompt_text: prompt.prompt_text.clone(),
            prompt_type: prompt.prompt_type,
            dangerous: prompt.is_dangerous,
            input_text: self.text,
            by_person: self.by_person,
            reason: self.reason,
            notice: None,
        };
        Ok((order, prompt.clone()))
    }
}

/// Whether a person's answer to this prompt may be typed, as far as the hub can know.
pub fn takes_answer(seen: &SeenPrompt, host: Host) -> bool {
    let answer = InputAsk {
        text: String::new(),
        prompt_text: seen.prompt_text.clone(),
        file_position: Some(seen.file_position),
        by_person: true,
        reason: String::new(),
    };
    answer.decide(String::new(), Some(seen), host).is_ok()
}

/// Whether a program that waits like this takes a line and Enter.
///
/// Menus, editors and pagers take keys; of a program that reads key by key only what asks for a text, a path or a
/// command is known to wait for Enter. The key that enters would otherwise answer the next question.
pub fn takes_a_line(kind: PromptKind, rule: &RuleId, signals: &[Signal], host: Host) -> bool {
    let drawn = signals.iter().any(|signal| matches!(signal, Signal::Menu | Signal::FullScreen));
    let edits_lines = matches!(kind, PromptKind::Text | PromptKind::Path | PromptKind::Command) && !rule.is_unasked();
    !drawn && rule.takes_lines() && (host.canonical == Some(true) || edits_lines)
}

#[cfg(test)]
mod tests;
