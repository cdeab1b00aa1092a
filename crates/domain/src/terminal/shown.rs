//! The one prompt that a terminal shows: when it is new, when it is still the same, and when it is gone.
//!
//! A prompt is told from the next one by its words (without times and the like, [`is_same_question`]), its kind and,
//! where it stands in a line, by which line that is: a shell asks the same in every line. One that is drawn anew, with
//! a countdown or below a clock, is one prompt for as long as nobody answers it, wherever it comes to stand; and it may
//! be away for a moment ([`COMES_BACK_WITHIN`]).

use std::time::Duration;

use super::record::TerminalRecord;
use super::seen::SeenPrompt;
use crate::ids::AgentId;
use crate::prompt::{MIN_CONFIDENCE, is_same_question};
use crate::time::{Millis, Timestamp};

/// A prompt stays while it is so likely: while its screen is drawn, less speaks for it than after a pause.
const STAYS: f64 = 0.5;
/// How long a prompt that nobody answered may be away while its screen is drawn anew.
const COMES_BACK_WITHIN: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, PartialEq)]
pub struct Sighting {
    pub prompt: SeenPrompt,
    /// The number of its line among all that the terminal ever had; none for what is drawn on the whole screen.
    pub line: Option<u64>,
    /// Whether it can only be the prompt that is shown, drawn anew, unless that was answered: whoever answers would be
    /// seen, or that prompt stands no more where it stood.
    pub redrawn: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ShownPrompt {
    pub prompt: SeenPrompt,
    pub since: Timestamp,
    pub line: Option<u64>,
    /// How much the program had printed when somebody typed something there.
    typed_at: Option<u64>,
    /// Since when it is not seen.
    away_since: Option<Timestamp>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompting {
    shown: Option<ShownPrompt>,
}

impl Prompting {
    pub const fn shown(&self) -> Option<&ShownPrompt> {
        self.shown.as_ref()
    }

    /// What a look comes to: nothing, a prompt that is gone, one that is new, or both. `erased` says that the prompt
    /// that is shown is not to be seen any more where it stood.
    pub fn decide(
        &self,
        now: Timestamp,
        agent: Option<&AgentId>,
        seen: Option<&Sighting>,
        erased: bool,
    ) -> Vec<TerminalRecord> {
        let agent = agent.cloned();
        let appears = seen.filter(|seen| seen.prompt.confidence >= MIN_CONFIDENCE);
        let mut records = Vec::new();
        if let Some(shown) = &self.shown {
            if seen.is_some_and(|seen| shown.stays(seen)) || appears.is_none() && erased && shown.may_come_back(now) {
                return records;
            }
            records.extend(self.gone(now, agent.as_ref()));
        }
        if let Some(seen) = appears {
            records.push(TerminalRecord::InputPromptDetected { agent, prompt: Box::new(seen.prompt.clone()) });
        }
        records
    }

    /// The record of its going, where one is shown.
    pub fn gone(&self, now: Timestamp, agent: Option<&AgentId>) -> Option<TerminalRecord> {
        let shown = self.shown.as_ref()?;
        Some(TerminalRecord::InputPromptGone {
            agent: agent.cloned(),
            prompt_text: shown.prompt.prompt_text.clone(),
            after: Millis::from(now.since(shown.since)),
        })
    }

    /// A record into the state; cannot fail. `line` is where the look found the prompt.
    pub fn apply(&mut self, at: Timestamp, record: &TerminalRecord, line: Option<u64>) {
        match record {
            TerminalRecord::InputPromptDetected { prompt, .. } => {
                self.shown =
                    Some(ShownPrompt { prompt: (**prompt).clone(), since: at, line, typed_at: None, away_since: None });
            }
            TerminalRecord::InputPromptGone { .. } | TerminalRecord::MonitorStopped { .. } => self.shown = None,
            TerminalRecord::MonitorStarted { .. }
            | TerminalRecord::InputTracked { .. }
            | TerminalRecord::InputOrdered { .. }
            | TerminalRecord::InputInjected { .. }
            | TerminalRecord::InputUndelivered { .. }
            | TerminalRecord::InputDeclined { .. } => {}
        }
    }

    /// A look that came to no record: the same prompt was seen again, and from now on it is known where it stands, what
    /// it says and how sure that is; or it is away, until the moment that is returned.
    pub fn look_again(&mut self, now: Timestamp, seen: Option<&Sighting>) -> Option<Timestamp> {
        let shown = self.shown.as_mut()?;
        match seen.filter(|seen| shown.stays(seen)) {
            Some(seen) => {
                (shown.line, shown.prompt, shown.away_since) = (seen.line, shown.known_again(seen), None);
                None
            }
            None => Some(*shown.away_since.get_or_insert(now) + COMES_BACK_WITHIN),
        }
    }

    /// Somebody typed there when the program had printed so much.
    pub const fn typed(&mut self, printed: u64) {
        if let Some(shown) = &mut self.shown {
            shown.typed_at = Some(printed);
        }
    }

    /// What was seen, under the position of the prompt that is shown where it is that one.
    pub fn known(&self, seen: &Sighting) -> SeenPrompt {
        self.shown
            .as_ref()
            .filter(|shown| shown.is(seen))
            .map_or_else(|| seen.prompt.clone(), |it| it.known_again(seen))
    }
}

impl ShownPrompt {
    /// Whether what was seen is this prompt.
    fn is(&self, seen: &Sighting) -> bool {
        let (one, other) = (&self.prompt, &seen.prompt);
        let dangerous = one.is_dangerous || other.is_dangerous;
        let same =
            one.prompt_type == other.prompt_type && is_same_question(&one.prompt_text, &other.prompt_text, dangerous);
        // A prompt that was read from the journal has no line yet, and what is drawn on the whole screen has none.
        let (Some(line), Some(at)) = (self.line, seen.line) else { return same };
        let answered = self.typed_at.is_some_and(|typed| other.file_position > typed);
        same && !answered && (line == at || seen.redrawn)
    }

    /// Whether what was seen is this prompt, and still likely.
    fn stays(&self, seen: &Sighting) -> bool {
        seen.prompt.confidence >= STAYS && self.is(seen)
    }

    /// As it is seen now; what names it stays as it was when it came.
    fn known_again(&self, seen: &Sighting) -> SeenPrompt {
        let SeenPrompt { file_position, timestamp, .. } = self.prompt;
        SeenPrompt { file_position, timestamp, ..seen.prompt.clone() }
    }

    /// Whether it may only be away while its screen is drawn anew.
    fn may_come_back(&self, now: Timestamp) -> bool {
        self.typed_at.is_none() && self.away_since.is_none_or(|since| now < since + COMES_BACK_WITHIN)
    }
}
