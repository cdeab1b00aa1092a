//! What is worth a warning: each with a stable code, what it is about, a sentence, and what to do.

use super::prelude::*;
use crate::actors::dispatcher::{Overview, Passed};
use crate::actors::supervisor::{Strain, Strained};
use crate::clock::Clock;

/// Something that works worse than it should, or soon will.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Warning {
    /// `MAILBOX_FULL`, `WAITING_WHILE_QUEUED`, `ACTOR_RESTARTS`, `AUDIT_DEGRADED`, `STORAGE_FAILING`, `CONFIG_BROKEN`,
    /// `CLOCK_SKEW`.
    code: String,
    /// What it is about: an actor as `/admin/actors` names it, `role:` and a role, `audit`, `journal`, `settings`,
    /// `clock`.
    subject: String,
    /// What is wrong.
    message: String,
    /// What to do.
    advice: String,
}

impl Warning {
    fn new(code: &str, subject: impl Into<String>, message: String, advice: &str) -> Self {
        Self { code: code.to_owned(), subject: subject.into(), message, advice: advice.to_owned() }
    }
}

pub(super) async fn warnings(hub: &HubRef, standing: &Overview) -> ApiResult<Vec<Warning>> {
    let mut found = Vec::new();
    found.extend(storage(hub).await);
    if hub.audit.is_failing() {
        let message = "the audit is not written: its disk takes nothing".to_owned();
        let advice = "make room on the disk of the data directory; what the journal has is told to the audit then";
        found.push(Warning::new("AUDIT_DEGRADED", "audit", message, advice));
    }
    found.extend(hub.settings().fault.as_ref().map(|why| {
        let message = format!("the settings could not be read again, and those from before stay: {why}");
        let advice = "mend the file, then `callboard config check`; the hub reads it when it changes";
        Warning::new("CONFIG_BROKEN", "settings", message, advice)
    }));
    found.extend(skewed(&hub.clock));
    found.extend(hub.supervisor.strained().await?.into_iter().map(strained));
    found.extend(standing.passed.iter().map(passed));
    Ok(found)
}

async fn storage(hub: &HubRef) -> Option<Warning> {
    let advice = match hub.settings().hub.store {
        Some(_) => "make room on the disk of the database, or mend it; the hub tries again each second",
        None => "make room on the disk of the data directory, or mend it; the hub tries again each second",
    };
    match hub.journal.view().await {
        Ok(view) if view.depth * 100 > view.limit * 80 => {
            let message = format!("{} appends wait for the journal, and {} is the most", view.depth, view.limit);
            Some(Warning::new("MAILBOX_FULL", "journal", message, "look at `/admin/journal`: the disk is slow"))
        }
        Ok(view) => {
            let why = view.last_fault.filter(|_| view.failing)?.reason;
            let message = format!("the journal cannot be written: {why}");
            Some(Warning::new("STORAGE_FAILING", "journal", message, advice))
        }
        Err(error) => Some(Warning::new("STORAGE_FAILING", "journal", error.to_string(), advice)),
    }
}

/// Deadlines are kept by the hub's own clock, which never goes back with the machine's.
fn skewed(clock: &Clock) -> Option<Warning> {
    let message = format!("{}: times that the hub shows and tells are by its own", clock.stray()?);
    let advice = "nothing is lost: the hub's clock runs slower until the machine's has caught up; keep that one right";
    Some(Warning::new("CLOCK_SKEW", "clock", message, advice))
}

fn strained(found: Strained) -> Warning {
    let Strained { actor, strain } = found;
    match strain {
        Strain::Mailbox { depth, limit } => {
            let message = format!("{depth} messages wait for `{actor}`, and {limit} is the most");
            let advice = "callers are refused with `BUSY` at the limit: have them call less often";
            Warning::new("MAILBOX_FULL", actor, message, advice)
        }
        Strain::Restarts { count, last } => {
            let message = format!("`{actor}` failed three times within five minutes, {count} times in all: {last}");
            let advice = "see the hub's log and `callboard actor list`; nothing on disk is lost by it";
            Warning::new("ACTOR_RESTARTS", actor, message, advice)
        }
    }
}

fn passed(found: &Passed) -> Warning {
    let Passed { role, agent, task, .. } = found;
    let message = format!("`{agent}` waits, and task `{task}` for its role has been queued for more than a minute");
    let advice = format!("`GET /api/v1/tasks/{task}/why` says for each agent why it is not given the task");
    Warning::new("WAITING_WHILE_QUEUED", format!("role:{role}"), message, &advice)
}

#[cfg(test)]
mod tests;
