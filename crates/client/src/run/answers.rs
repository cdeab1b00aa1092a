//! What the user answers to which prompt, seen by the host itself.
//!
//! ```text
//!   a prompt stands there ─ a key ─► Answering ─ Enter ─► entered ─ the next prompt, or none ─► Answer
//! ```
//!
//! A secret becomes `[REDACTED]` here: by the prompt's kind or words, because the terminal hid it, or because the
//! program that draws for itself did not show it.

use std::time::Duration;

use tokio::time::Instant;

use super::tap::Typed;
use super::typing::{Keyed, Typing};
use crate::domain::prompt::redact::{REDACTED, kept_input};
use crate::domain::prompt::{Host, InputPrompt, MIN_CONFIDENCE, PromptKind};
use crate::domain::wire::Answer;

/// How long the program may take to ask the same again; after that it took the answer.
const VERDICT: Duration = Duration::from_secs(2);

/// The prompt that stands there, and what becomes of it.
#[derive(Debug, Default)]
pub(super) struct Answers {
    standing: Option<(InputPrompt, Instant)>,
    answering: Option<Answering>,
    entered: Option<Entered>,
    /// What was entered in the open at a prompt for a secret, with that prompt's text.
    secret: Option<(String, String)>,
}

/// What is seen when something is typed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen<'a> {
    pub(super) text: &'a str,
    pub(super) printed: u64,
}

#[derive(Debug)]
struct Answering {
    prompt: InputPrompt,
    host: Host,
    since: Instant,
    typing: Typing,
    hidden: bool,
}

#[derive(Debug)]
struct Entered {
    answer: Answer,
    at: Instant,
    /// How much the program had printed by then.
    printed: u64,
}

impl Answers {
    /// A look at the screen found this, when so much was printed.
    pub(super) fn looked(&mut self, prompt: Option<&InputPrompt>, printed: u64, now: Instant) -> Option<Answer> {
        let prompt = prompt.filter(|prompt| prompt.confidence >= MIN_CONFIDENCE);
        let same = |one: &InputPrompt, other: &InputPrompt| {
            one.prompt_text == other.prompt_text && one.prompt_type == other.prompt_type
        };
        match (&self.standing, prompt) {
            (Some((standing, _)), Some(seen)) if same(standing, seen) => {}
            (Some(_) | None, Some(seen)) => self.standing = Some((seen.clone(), now)),
            (Some(_) | None, None) => self.standing = None,
        }
        self.judge(prompt, printed, now)
    }

    /// The program has ended: it asks nothing again.
    pub(super) fn ended(&mut self) -> Option<Answer> {
        Some(self.entered.take()?.answer)
    }

    /// The user typed; the terminal is as `host` says, and shows `screen`. What it comes to once a program that reads
    /// keys took one is told by the next look.
    pub(super) fn typed(&mut self, typed: &Typed, host: Host, screen: &Screen<'_>, now: Instant) {
        if self.answering.is_none() {
            let Some((prompt, since)) = self.standing.clone() else { return };
            self.answering = Some(Answering { prompt, host, since, typing: Typing::default(), hidden: false });
        }
        let Some(answering) = &mut self.answering else { return };
        match typed {
            Typed::Hidden { entered, .. } => {
                answering.hidden = true;
                if *entered {
                    self.enter(None, screen, now);
                }
            }
            Typed::Keys(bytes) => {
                for byte in bytes {
                    match answering.typing.key(*byte) {
                        Keyed::More => {}
                        Keyed::Entered(line) => return self.enter(line, screen, now),
                        Keyed::GivenUp => {
                            self.answering = None;
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Whether a key begins an answer, and it is to be seen to what: no prompt is known, or something came since.
    pub(super) const fn begins(&self, unseen: bool) -> bool {
        self.answering.is_none() && (unseen || self.standing.is_none())
    }

    /// Whether what is typed next is, or goes on, an answer to a prompt for a secret.
    pub(super) fn takes_secret(&self) -> bool {
        let answered = self.answering.as_ref().map(|open| &open.prompt);
        let prompt = answered.or_else(|| self.standing.as_ref().map(|(prompt, _)| prompt));
        prompt.is_some_and(|prompt| prompt.prompt_type == PromptKind::Password)
    }

    /// A secret that the terminal did not hide, once, and the prompt that it answers.
    pub(super) fn secret(&mut self) -> Option<(String, String)> {
        self.secret.take()
    }

    /// What the prompt that stands there says.
    pub(super) fn asks(&self) -> &str {
        self.standing.as_ref().map_or("", |(prompt, _)| prompt.prompt_text.as_str())
    }

    fn enter(&mut self, line: Option<String>, screen: &Screen<'_>, now: Instant) {
        let Some(answering) = self.answering.take() else { return };
        self.standing = None;
        let secret = answering.prompt.prompt_type == PromptKind::Password;
        self.secret = line.clone().filter(|_| secret).map(|line| (line, answering.prompt.prompt_text.clone()));
        let Some(input_text) = answering.input(line, screen.text) else { return };
        let answer = Answer {
            prompt_text: answering.prompt.prompt_text,
            prompt_type: answering.prompt.prompt_type,
            is_dangerous: answering.prompt.is_dangerous,
            input_text,
            success: true,
            response_time_ms: u64::try_from((now - answering.since).as_millis()).unwrap_or(u64::MAX),
        };
        self.entered = Some(Entered { answer, at: now, printed: screen.printed });
    }

    /// Whether the program took what was entered: it asks something else, or nothing for a while.
    fn judge(&mut self, prompt: Option<&InputPrompt>, printed: u64, now: Instant) -> Option<Answer> {
        // A program that reads keys takes one without Enter: it is answered when its prompt is gone.
        if prompt
            .is_none_or(|seen| self.answering.as_ref().is_some_and(|open| open.prompt.prompt_text != seen.prompt_text))
            && let Some(open) = self.answering.take_if(|open| open.host.canonical == Some(false))
        {
            let line = open.typing.so_far();
            self.answering = Some(open);
            if line.is_none() {
                self.answering = None;
                return None;
            }
            self.enter(line, &Screen { text: "", printed }, now);
            return self.ended();
        }
        let entered = self.entered.as_ref()?;
        let again = prompt.is_some_and(|seen| seen.prompt_text == entered.answer.prompt_text);
        let shell = entered.answer.prompt_type == PromptKind::Command;
        // The prompt stands there until the program has read the answer and said something to it.
        let decided = prompt.is_some() && printed > entered.printed || now >= entered.at + VERDICT;
        if !decided {
            return None;
        }
        let mut answer = self.entered.take()?.answer;
        answer.success = shell || !again;
        Some(answer)
    }
}

impl Answering {
    /// What was typed, as it may be told; none where nobody knows what it was.
    fn input(&self, line: Option<String>, screen: &str) -> Option<String> {
        if self.hidden {
            return Some(REDACTED.to_owned());
        }
        let line = line?;
        let chooses = matches!(self.prompt.prompt_type, PromptKind::YesNo | PromptKind::Choice);
        // A terminal that echoes nothing by itself: unless the program shows what is typed, it may be a secret.
        if self.host.echo != Some(true) && !chooses && !screen.contains(&line) {
            return Some(REDACTED.to_owned());
        }
        let kept = kept_input(&self.prompt.prompt_text, &line, Some(self.prompt.prompt_type), self.host);
        Some(kept.into_owned())
    }
}

#[cfg(test)]
mod tests;
