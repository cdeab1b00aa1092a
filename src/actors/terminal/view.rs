//! A terminal as people and programs see it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::actor::Desk;
use super::message::Updates;
use crate::actors::common::Portrait;
use crate::domain::ids::{AgentId, PrincipalId};
use crate::domain::terminal::{SeenPrompt, TerminalKind, TerminalSpec, holds_up, takes_answer};
use crate::domain::text::clean;
use crate::domain::time::Timestamp;
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
    /// Whose.
    pub session_id: String,
    /// How many bytes it ever got.
    pub file_position: u64,
    /// The number of the first line in `text`, from 1.
    pub first_line: u64,
    /// History and screen as lines of text.
    pub text: String,
    /// How many rows the screen has.
    pub rows: u16,
    /// How many columns.
    pub cols: u16,
    /// What draws the screen on an empty terminal of that size, colours included.
    pub screen: String,
}

impl Transcript {
    /// What is kept of a terminal that has ended.
    #[must_use]
    pub fn of_kept(kept: &KeptTerminal, lines: &[KeptLine]) -> Self {
        let mut text = String::new();
        for line in lines.iter().filter(|line| line.number < kept.screen_line) {
            text.push_str(&line.text);
            if !line.wrapped {
                text.push('\n');
            }
        }
        text.push_str(&kept.screen.join("\n"));
        Self {
            session_id: kept.spec.id.to_string(),
            file_position: kept.position,
            first_line: lines.first().map_or(kept.screen_line, |line| line.number) + 1,
            text,
            rows: kept.rows,
            cols: kept.cols,
            screen: kept.drawing.clone(),
        }
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

impl Desk {
    pub(super) fn read(&self, since: Option<u64>, most: usize) -> Updates {
        let extract = self.recent.since(since.unwrap_or_default(), most);
        let text = String::from_utf8_lossy(&extract.bytes);
        Updates {
            text: clean(&text, usize::MAX).text,
            position: extract.position,
            more: extract.more,
            missed: if since.is_some() { extract.missed } else { 0 },
        }
    }

    pub(super) fn transcript(&self) -> Transcript {
        let terminal = self.watch.terminal();
        Transcript {
            session_id: self.spec.id.to_string(),
            file_position: self.recent.end(),
            first_line: terminal.history().dropped() + 1,
            text: terminal.transcript(),
            rows: terminal.size().rows(),
            cols: terminal.size().cols(),
            screen: terminal.drawing(),
        }
    }

    pub(super) fn view(&self) -> TerminalView {
        let shown = self.prompting.shown();
        TerminalView {
            input_prompt: shown.map(|shown| shown.prompt.clone()),
            waits_since: shown.map(|shown| shown.since),
            takes_answer: self.hosting.typist().is_some()
                && shown.is_some_and(|shown| takes_answer(&shown.prompt, self.host)),
            holds_up: self.hosting.is_there()
                && shown.is_some_and(|shown| {
                    let talks = self.hosting.reader().is_some();
                    holds_up(&shown.prompt, self.host, talks)
                }),
            ..TerminalView::of(&self.spec, self.recent.end(), self.updated_at)
        }
    }

    pub(super) fn portrait(&self) -> Portrait {
        let mut portrait = Portrait::of(format!("terminal:{}", self.spec.id), "terminal", &self.gauge, self.started_at);
        let shown = self.prompting.shown().map(|shown| shown.prompt.prompt_type.name());
        portrait.state = match (shown, &self.lost) {
            (_, Some(why)) => format!("lost: {why}"),
            (Some(kind), None) => format!("waits: {kind}"),
            (None, None) => "runs".to_owned(),
        };
        portrait.deadline = self.bell.armed();
        let terminal = self.watch.terminal();
        portrait.detail = json!({
            "kind": self.spec.kind,
            "agentId": self.spec.agent,
            "owner": self.spec.owner,
            "filePosition": self.recent.end(),
            "rows": terminal.size().rows(),
            "cols": terminal.size().cols(),
            "lines": terminal.history().len(),
            "historyBytes": terminal.history().memory(),
            "rests": self.rest.is_resting(),
            "readers": self.waiters.len(),
            "takesInput": self.hosting.typist().is_some(),
            "takesNotices": self.hosting.reader().is_some(),
            "updatedAt": self.updated_at,
        });
        portrait
    }
}
