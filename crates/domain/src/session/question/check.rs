//! What may be asked, and what may be answered.

use std::time::Duration;

use thiserror::Error;

use super::state::{QuestionSpec, Resolution};
use crate::names::codes;

/// How long after its resolution the same question returns the same answer.
pub const ASKED_AGAIN: Duration = Duration::from_secs(10 * 60);

pub const LIMITS: Limits = Limits {
    question: 4 * 1024,
    options: 20,
    option: 256,
    default_action: 4 * 1024,
    answer: 60 * 1024,
    shortest: Duration::from_secs(3),
    longest: Duration::from_secs(24 * 60 * 60),
    late_answers: 100,
    late_bytes: 256 * 1024,
    overdue: 8,
};

/// The bounds of a question; their values are [`LIMITS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest text, in bytes.
    pub question: usize,
    /// The most options.
    pub options: usize,
    /// The longest option, in bytes.
    pub option: usize,
    /// The longest default, in bytes.
    pub default_action: usize,
    /// The longest answer, in bytes.
    pub answer: usize,
    /// The shortest deadline: 0.05 minutes.
    pub shortest: Duration,
    /// The longest deadline: 1440 minutes.
    pub longest: Duration,
    /// The most answers that are kept beyond the first.
    pub late_answers: usize,
    /// The most bytes that these have together.
    pub late_bytes: usize,
    /// The most questions of a session that are overdue at a time.
    pub overdue: usize,
}

/// A question that may not be asked so, or an answer that may not be given.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QuestionRefusal {
    #[error("the default `{default}` is not one of the options: {}", listed(.options))]
    DefaultNotAnOption { default: String, options: Vec<String> },
    /// A part of it is missing, too long, too many, or twice there.
    #[error("`{field}` {what}")]
    Unfit { field: &'static str, what: String },
    #[error("`{value}` is not one of the options: {}", listed(.options))]
    NotAnOption { value: String, options: Vec<String> },
    #[error("`value` has {bytes} bytes; {} is the most", LIMITS.answer)]
    TooLong { bytes: usize },
    #[error(
        "no more than {} answers with {} bytes are kept after the first: {first}",
        LIMITS.late_answers,
        LIMITS.late_bytes
    )]
    TooManyLate { first: Box<Resolution> },
    #[error("`{principal}` is an agent: only people answer questions")]
    NotAHuman { principal: String },
}

codes!(QuestionRefusal {
    DefaultNotAnOption = "DEFAULT_NOT_AN_OPTION", Unfit = "INVALID_ARGUMENTS", NotAnOption = "ANSWER_NOT_AN_OPTION",
    TooLong = "TEXT_TOO_LONG", TooManyLate = "LATE_ANSWERS_FULL", NotAHuman = "NOT_A_HUMAN",
});

impl QuestionSpec {
    /// Whether it may be asked so. The error is the first part that does not fit.
    pub fn check(&self) -> Result<(), QuestionRefusal> {
        text("question", &self.question, LIMITS.question)?;
        text("default_action", &self.default_action, LIMITS.default_action)?;
        if self.options.len() > LIMITS.options {
            return Err(unfit(
                "options",
                format!("has {} entries; {} is the most", self.options.len(), LIMITS.options),
            ));
        }
        for (index, option) in self.options.iter().enumerate() {
            text("options", option, LIMITS.option)?;
            if self.options[..index].contains(option) {
                return Err(unfit("options", format!("has `{option}` twice")));
            }
        }
        if !self.options.is_empty() && !self.options.contains(&self.default_action) {
            let (default, options) = (self.default_action.clone(), self.options.clone());
            return Err(QuestionRefusal::DefaultNotAnOption { default, options });
        }
        let span = self.expires_at.since(self.asked_at);
        if (LIMITS.shortest..=LIMITS.longest).contains(&span) {
            Ok(())
        } else {
            Err(unfit("timeout_minutes", "must be from 0.05 to 1440".to_owned()))
        }
    }

    /// Whether both ask the same: words (blank space aside), sort, choice and default. Deadline and task do not matter.
    pub fn is_the_same_as(&self, other: &Self) -> bool {
        if let Some(same) = self.is_the_same_call_as(other) {
            return same;
        }
        let choice = |spec: &Self| -> Vec<String> { spec.options.iter().map(|option| plain(option)).collect() };
        self.says_the_same_as(other)
            && self.kind == other.kind
            && self.is_dangerous() == other.is_dangerous()
            && self.allow_free_text == other.allow_free_text
            && plain(&self.default_action) == plain(&other.default_action)
            && choice(self) == choice(other)
    }

    /// Whether both ask in the same words, blank space aside.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        plain(&self.question) == plain(&other.question)
    }

    /// The answer that this text gives: the one option that it names, apart from case and blank space, else the text
    /// itself, where the question allows any or the person insists. Fails when it is neither, is empty, or is too long.
    pub fn read_answer(&self, given: &str, own_words: bool) -> Result<String, QuestionRefusal> {
        if given.len() > LIMITS.answer {
            return Err(QuestionRefusal::TooLong { bytes: given.len() });
        }
        text("value", given, LIMITS.answer)?;
        if self.options.iter().any(|option| option == given) {
            return Ok(given.to_owned());
        }
        let alike = |option: &&String| plain(option).to_lowercase() == plain(given).to_lowercase();
        let mut fitting = self.options.iter().filter(alike);
        if let (Some(option), None) = (fitting.next(), fitting.next()) {
            return Ok(option.clone());
        }
        if self.options.is_empty() || self.allow_free_text || own_words {
            return Ok(given.to_owned());
        }
        Err(QuestionRefusal::NotAnOption { value: given.to_owned(), options: self.options.clone() })
    }
}

fn text(field: &'static str, text: &str, limit: usize) -> Result<(), QuestionRefusal> {
    if text.trim().is_empty() {
        return Err(unfit(field, "must not be empty".to_owned()));
    }
    if text.len() > limit {
        return Err(unfit(field, format!("has {} bytes; {limit} is the most", text.len())));
    }
    Ok(())
}

fn unfit(field: &'static str, what: String) -> QuestionRefusal {
    QuestionRefusal::Unfit { field, what }
}

/// Words with one blank between them.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn listed(options: &[String]) -> String {
    options.iter().map(|option| format!("`{option}`")).collect::<Vec<_>>().join(", ")
}
