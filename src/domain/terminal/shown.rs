//! The one prompt that a terminal shows: when it is new, when it is still the same, and when it is gone.
//!
//! A prompt is told from the next one by its words, its kind and, where it stands in a line, by which line that is: a
//! shell asks the same in every line. What draws its menus anew all the time is one prompt for as long as it stands.

use super::record::{SeenPrompt, TerminalRecord};
use crate::domain::ids::AgentId;
use crate::domain::prompt::MIN_CONFIDENCE;
use crate::domain::time::{Millis, Timestamp};

/// A prompt that is shown stays for as long as it is at least so likely: while its screen is drawn anew, less speaks
/// for it than after a pause.
const STAYS: f64 = 0.5;

/// What was seen at one look.
#[derive(Debug, Clone, PartialEq)]
pub struct Sighting {
    /// What waits.
    pub prompt: SeenPrompt,
    /// The number of its line among all that the terminal ever had; none for what is drawn on the whole screen.
    pub line: Option<u64>,
}

/// A prompt that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// It.
    pub prompt: SeenPrompt,
    /// Since when.
    pub since: Timestamp,
    line: Option<u64>,
}

/// Whether a terminal shows a prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompting {
    shown: Option<Shown>,
}

impl Prompting {
    /// What is shown.
    #[must_use]
    pub const fn shown(&self) -> Option<&Shown> {
        self.shown.as_ref()
    }

    /// What a look comes to: nothing, a prompt that is gone, one that is new, or both.
    #[must_use]
    pub fn decide(&self, now: Timestamp, agent: Option<&AgentId>, seen: Option<&Sighting>) -> Vec<TerminalRecord> {
        let agent = agent.cloned();
        let appears = seen.filter(|seen| seen.prompt.confidence >= MIN_CONFIDENCE);
        let mut records = Vec::new();
        if let Some(shown) = &self.shown {
            if seen.is_some_and(|seen| seen.prompt.confidence >= STAYS && shown.is(seen)) {
                return records;
            }
            records.push(TerminalRecord::InputPromptGone {
                agent: agent.clone(),
                prompt_text: shown.prompt.prompt_text.clone(),
                after: Millis::from(now.since(shown.since)),
            });
        }
        if let Some(seen) = appears {
            records.push(TerminalRecord::InputPromptDetected { agent, prompt: Box::new(seen.prompt.clone()) });
        }
        records
    }

    /// A record into the state; cannot fail. `line` is where the look found the prompt.
    pub fn apply(&mut self, at: Timestamp, record: &TerminalRecord, line: Option<u64>) {
        match record {
            TerminalRecord::InputPromptDetected { prompt, .. } => {
                self.shown = Some(Shown { prompt: (**prompt).clone(), since: at, line });
            }
            TerminalRecord::InputPromptGone { .. } | TerminalRecord::MonitorStopped { .. } => self.shown = None,
            TerminalRecord::MonitorStarted { .. }
            | TerminalRecord::InputTracked { .. }
            | TerminalRecord::InputOrdered { .. }
            | TerminalRecord::InputInjected { .. }
            | TerminalRecord::InputDeclined { .. } => {}
        }
    }

    /// The same prompt was seen again: from now on it is known where it stands, and how sure that is.
    pub fn see_again(&mut self, seen: &Sighting) {
        if let Some(shown) = &mut self.shown
            && shown.is(seen)
        {
            shown.line = seen.line;
            shown.prompt = SeenPrompt { timestamp: shown.prompt.timestamp, ..seen.prompt.clone() };
        }
    }
}

impl Shown {
    /// Whether what was seen is this prompt.
    fn is(&self, seen: &Sighting) -> bool {
        let same =
            self.prompt.prompt_text == seen.prompt.prompt_text && self.prompt.prompt_type == seen.prompt.prompt_type;
        // A prompt that was read from the journal has no line yet.
        let moved = matches!((self.line, seen.line), (Some(one), Some(other)) if one != other);
        same && !moved
    }
}
