//! What a host prints for the person who started it: a line for each thing that happened.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use super::slot::PARTING;
use super::spec::HostSpec;
use crate::domain::ids::AgentId;
use crate::domain::on_call::{Ended, Offer};
use crate::domain::task::{RunEnd, StopReason, Usage};
use crate::domain::text::{for_terminal, shorten};
use crate::output::say;
use crate::problem::Problem;

/// The longest title in a line, in bytes.
const LONGEST_TITLE: usize = 80;

#[derive(Debug, Clone)]
pub(super) struct Printer {
    head: String,
    /// Whether it is said that the hub is away.
    is_away: Rc<Cell<bool>>,
}

impl Printer {
    pub(super) fn new(spec: &HostSpec) -> Self {
        Self { head: format!("{} by {}", spec.role, spec.client), is_away: Rc::default() }
    }

    fn line(text: &str) {
        // A reader that went away is no reason to end what runs.
        drop(say(&for_terminal(&text.replace('\n', " "))));
    }

    pub(super) fn free(&self, free: usize, of: usize) {
        self.is_away.set(false);
        Self::line(&format!("{}: on call: {free} of {of} free", self.head));
    }

    pub(super) fn lost(&self, problem: &Problem) {
        if !self.is_away.replace(true) {
            problem.told_by("callboard oncall: takes no task while the hub is away; what runs goes on:");
        }
    }

    pub(super) fn started(&self, slot: &AgentId, offer: &Offer, pid: u32) {
        let Offer { task, run, title, .. } = offer;
        let title = if title.is_empty() { String::new() } else { format!(" \"{}\"", shorten(title, LONGEST_TITLE)) };
        Self::line(&format!("{slot}: {task}{title} started ({run}, process {pid})"));
    }

    pub(super) fn ended(&self, slot: &AgentId, offer: &Offer, ended: &Ended, waits: bool) {
        let task = &offer.task;
        let used = ended.usage.as_ref().map_or_else(|| "use unknown".to_owned(), used);
        if waits {
            return Self::line(&format!("{slot}: {task} waits for an answer, without a process; {used}"));
        }
        let how = match (ended.reason, ended.exit) {
            // Whether it reported is the hub's to say.
            (RunEnd::NoReport, Some(0) | None) => "ended".to_owned(),
            (RunEnd::NoReport, Some(code)) => format!("ended, exit {code}"),
            (reason, Some(code)) => format!("ended: {}, exit {code}", reason.as_str()),
            (reason, None) => format!("ended: {}", reason.as_str()),
        };
        Self::line(&format!("{slot}: {task} {how}; {used}"));
        if ended.reason != RunEnd::NoReport
            && let Some(last) = ended.tail.as_deref().and_then(|tail| tail.lines().last())
        {
            Self::line(&format!("{slot}:   {}", shorten(last, 300)));
        }
    }

    pub(super) fn stops(&self, slot: &AgentId, why: StopReason) {
        let why = match why {
            StopReason::Cancelled => "the task was cancelled",
            StopReason::LeaseLost => "its lease is lost",
            StopReason::Evicted => "the agent was sent away",
            StopReason::Limited => "its account is at a limit",
            StopReason::Budget => "the budget is used up",
            StopReason::Reported => "it has reported",
        };
        Self::line(&format!("{slot}: is ended by the hub: {why}"));
    }

    pub(super) fn parts(&self, slot: &AgentId) {
        let minutes = PARTING.as_secs() / 60;
        Self::line(&format!(
            "{slot}: has reported, and its process is still there after {minutes} minutes: it is ended"
        ));
    }

    pub(super) fn pauses(&self, slot: &AgentId, pause: Duration, ended: Option<&Ended>) {
        let minutes = match pause.as_secs() / 60 {
            1 => "a minute".to_owned(),
            more => format!("{more} minutes"),
        };
        let last = ended.and_then(|ended| ended.tail.as_deref()?.lines().last()).unwrap_or("it printed nothing");
        Self::line(&format!(
            "{slot}: takes no task for {minutes}: three runs in a row ended without a call of a tool; the last \
             said: {}",
            shorten(last, 300)
        ));
    }

    pub(super) fn found_changes(&self, slot: &AgentId, path: &Path) {
        Self::line(&format!("{slot}: goes on in `{}`, which has changes that nobody committed", path.display()));
    }

    pub(super) fn kept_worktree(&self, why: &str) {
        Self::line(&format!(
            "the worktree is kept: {why}; `callboard oncall clean --workspace DIR` removes it when \
                             nothing is lost"
        ));
    }

    pub(super) fn ends(&self, processes: usize) {
        Self::line(&match processes {
            0 => format!("{}: ends", self.head),
            1 => format!("{}: ends, and one process with it", self.head),
            more => format!("{}: ends, and {more} processes with it", self.head),
        });
    }
}

fn used(usage: &Usage) -> String {
    let tokens = usage.tokens().map(|tokens| format!("{tokens} tokens"));
    let parts: Vec<String> = tokens.into_iter().chain(usage.cost_usd.map(|cost| cost.to_string())).collect();
    if parts.is_empty() { "use unknown".to_owned() } else { parts.join(", ") }
}
