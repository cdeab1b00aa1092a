//! A notice typed into the terminal that its agent works in: the line that it comes to, and where it may be typed.
//!
//! Only into the input box of the agent's own program. That no rule can tell from a shell by the screen alone, where a
//! line would be run as a command. So three must agree, each of which can say no:
//!
//! - *a person*, who started the program with `--inject-messages`: what runs here is an agent's input box;
//! - *the screen*: a free text is asked for, or nothing but the sign of an input box stands there ([`takes_a_notice`]).
//!   Never a secret, yes or no, a choice, a path; never danger; never the sign of a shell;
//! - *the kernel of the host*: the program itself waits for the line and no child of it, and is neither a shell nor an
//!   interpreter that takes commands.
//!
//! *Whose words.* What is typed reads as if the agent's user had typed it. So of people and the hub the words are
//! typed, where they are short, hold no secret, and would destroy nothing if something ran them. Of anything else, and
//! of all that another agent wrote, only that there is something to hear.

use super::order::{InputOrder, MOST_TYPED, NotTyped, takes_a_line};
use super::seen::SeenPrompt;
use crate::agent::Notice;
use crate::prompt::redact::is_secret;
use crate::prompt::{Form, Host, InputPrompt, PromptKind, RuleId, Signal, destroys};
use crate::task::OriginKind;
use crate::text::{clean, holds_secret};

/// How each such line begins: whose words they are.
pub const MARK: &str = "[callboard] ";

/// What of an input box stands on the screen, where a program asks for nothing in words.
const BOXES: [&str; 6] = [">", "❯", "»", "▶", "⟩", "›"];

/// A shell that says itself that it waits.
const SHELL: RuleId = RuleId::Built(PromptKind::Command, Form::ShellMark);

/// What is seen of a prompt, by the hub or by the host.
#[derive(Debug, Clone, Copy)]
pub struct PromptFacts<'a> {
    text: &'a str,
    kind: PromptKind,
    rule: &'a RuleId,
    signals: &'a [Signal],
    dangerous: bool,
    safe: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeLine {
    /// The line, without the key that enters it.
    pub text: String,
    /// Whether all of the notice is in it.
    pub whole: bool,
}

macro_rules! facts_of {
    ($($seen:ty),+) => {$(
        impl<'a> From<&'a $seen> for PromptFacts<'a> {
            fn from(seen: &'a $seen) -> Self {
                Self {
                    text: &seen.prompt_text,
                    kind: seen.prompt_type,
                    rule: &seen.matched_pattern,
                    signals: &seen.signals,
                    dangerous: seen.is_dangerous,
                    safe: seen.safe_to_type,
                }
            }
        }
    )+};
}

facts_of!(SeenPrompt, InputPrompt);

impl NoticeLine {
    /// The line of a notice. It has no control characters, and none that hide.
    pub fn of(notice: &Notice) -> Self {
        let id = &notice.id;
        let words = clean(&notice.text, usize::MAX).text;
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = format!("{MARK}{words} (notice {id})");
        let theirs = notice.from.kind != OriginKind::Agent;
        let whole = theirs && text.len() <= MOST_TYPED && !holds_secret(&text) && !destroys(&words);
        if whole {
            return Self { text, whole };
        }
        Self { text: format!("{MARK}There is something for you to hear (notice {id}): call wait_for_prompt."), whole }
    }

    /// The order to type it at what waits there, as far as the hub can know. The error says why it is not typed.
    pub fn order(
        &self,
        notice: &Notice,
        order_id: String,
        seen: Option<&SeenPrompt>,
        host: Host,
    ) -> Result<InputOrder, NotTyped> {
        let prompt = seen.ok_or(NotTyped::NothingWaits)?;
        takes_a_notice(prompt.into(), host)?;
        Ok(InputOrder {
            order_id,
            prompt_text: prompt.prompt_text.clone(),
            prompt_type: prompt.prompt_type,
            dangerous: false,
            input_text: self.text.clone(),
            by_person: false,
            reason: format!("nobody fetched what {} says, and no wait is open", notice.from.display_name),
            notice: Some(notice.id.clone()),
        })
    }
}

/// Whether a prompt holds somebody up.
///
/// No command line does, and in a terminal that its agent is told in by typing (`talks`) neither does that agent's own
/// input box. A full screen of which nothing is known may be a dialog: it does.
pub fn holds_up(prompt: &SeenPrompt, host: Host, talks: bool) -> bool {
    let own = talks && takes_a_notice(prompt.into(), host).is_ok();
    let rests = prompt.prompt_type == PromptKind::Command && !prompt.matched_pattern.is_unasked();
    !rests && !own
}

/// Whether what waits there is an agent's input box, as far as its screen tells. The error says why not, or not now.
pub fn takes_a_notice(asked: PromptFacts<'_>, host: Host) -> Result<(), NotTyped> {
    if is_secret(asked.text, Some(asked.kind), host) {
        return Err(NotTyped::Secret);
    }
    if asked.dangerous {
        return Err(NotTyped::Dangerous);
    }
    match asked.kind {
        PromptKind::Text => {}
        PromptKind::Command if BOXES.contains(&asked.text.trim()) && *asked.rule != SHELL => {}
        PromptKind::Command => return Err(NotTyped::Command),
        PromptKind::Password | PromptKind::YesNo | PromptKind::Choice | PromptKind::Path | PromptKind::Unknown => {
            return Err(NotTyped::NoInputBox);
        }
    }
    if !takes_a_line(asked.kind, asked.rule, asked.signals, host) {
        return Err(NotTyped::Keys);
    }
    if asked.safe { Ok(()) } else { Err(NotTyped::NotSafe) }
}

#[cfg(test)]
mod tests;
