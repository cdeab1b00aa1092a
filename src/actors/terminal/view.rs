//! A terminal as people and programs see it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{AgentId, PrincipalId};
use crate::domain::terminal::{SeenPrompt, TerminalKind, TerminalSpec};
use crate::domain::text::{Sanitized, clean};
use crate::domain::time::Timestamp;
use crate::terminal::{History, Picture, Terminal, TerminalSize};
use crate::transcripts::{KeptLine, KeptTerminal};

/// How a terminal stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalView {
    /// Its name: the session's, or the one that its monitor was given.
    pub session_id: String,
    /// The agent that works in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub agent_id: Option<AgentId>,
    /// Who opened it.
    #[schemars(with = "String")]
    pub owner: PrincipalId,
    /// Where its output comes from.
    pub kind: TerminalKind,
    /// The file that is followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_file: Option<String>,
    /// How many bytes it ever got.
    pub file_position: u64,
    /// When it was opened.
    #[schemars(with = "String")]
    pub started_at: Timestamp,
    /// When something was printed last.
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
    /// What waits for its user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_prompt: Option<SeenPrompt>,
    /// Since when it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub waits_since: Option<Timestamp>,
    /// Whether its host would type there what a person answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_answer: bool,
    /// Whether a program stands still at it: `callboard run` hosts it just now, or is waited for, and what waits is no
    /// command line, neither a shell's nor the agent's own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub holds_up: bool,
}

/// Everything that is kept of what a terminal printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Transcript {
    pub session_id: String,
    /// How many bytes it ever got.
    pub file_position: u64,
    /// The number of the first line in `text`, from 1.
    pub first_line: u64,
    /// History and screen as lines of text, without what hides text or turns it round.
    pub text: String,
    /// What was dropped from `text`; none when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<Sanitized>,
    /// How many rows the screen has.
    pub rows: u16,
    /// How many columns.
    pub cols: u16,
    /// What draws the screen on an empty terminal of that size, colours included.
    pub screen: String,
    /// The same screen as rows of coloured text, for whoever draws it without being a terminal.
    pub picture: Picture,
}

impl Transcript {
    /// What is kept of the terminal `id`, which ever got so many bytes; `text` begins with line `first_line`.
    pub(super) fn of(id: String, file_position: u64, first_line: u64, text: &str, terminal: &Terminal) -> Self {
        Self {
            session_id: id,
            file_position,
            first_line,
            sanitized: Sanitized::of(text),
            text: clean(text, usize::MAX).text,
            rows: terminal.size().rows(),
            cols: terminal.size().cols(),
            screen: terminal.drawing(),
            picture: terminal.picture(),
        }
    }

    pub fn of_kept(kept: &KeptTerminal, lines: &[KeptLine]) -> Self {
        let mut text = String::new();
        for line in lines.iter().filter(|line| line.number < kept.screen_line) {
            text.push_str(&line.text);
            if !line.wrapped {
                text.push('\n');
            }
        }
        let mut history = History::new(History::ROWS);
        for line in lines.iter().filter(|line| line.number < kept.screen_line) {
            history.restore(&line.text, line.wrapped);
        }
        text.push_str(&kept.screen.join("\n"));
        let size = TerminalSize::new(kept.rows, kept.cols);
        let terminal = Terminal::restored(size, history, kept.drawing.as_bytes(), kept.position);
        let first_line = lines.first().map_or(kept.screen_line, |line| line.number) + 1;
        Self::of(kept.spec.id.to_string(), kept.position, first_line, &text, &terminal)
    }
}

impl TerminalView {
    pub(super) fn of(spec: &TerminalSpec, file_position: u64, updated_at: Timestamp) -> Self {
        Self {
            session_id: spec.id.to_string(),
            agent_id: spec.agent.clone(),
            owner: spec.owner.clone(),
            kind: spec.kind,
            log_file: spec.log_file.clone(),
            file_position,
            started_at: spec.started_at,
            updated_at,
            input_prompt: None,
            waits_since: None,
            takes_answer: false,
            holds_up: false,
        }
    }
}
