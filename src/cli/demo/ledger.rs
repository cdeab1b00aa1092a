//! The steps of the round, each printed once, in the order of the story, when it was observed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::cli::follow;
use crate::cli::output::say;
use crate::cli::problem::Problem;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    FirstRegistered,
    SecondRegistered,
    Waiting,
    Called,
    Delivered,
    Acknowledged,
    Asked,
    Answered,
    Defaulted,
    Progress,
    Delegated,
    DelegateDelivered,
    DelegateCompleted,
    Heard,
    Completed,
    Result,
}

impl Step {
    /// Every step, in order, with the word that is printed, and as it is named when it is missing.
    const ALL: [(Self, &'static str, &'static str); 16] = [
        (Self::FirstRegistered, "registered", "first agent registered"),
        (Self::SecondRegistered, "registered", "second agent registered"),
        (Self::Waiting, "waiting", "both agents waiting"),
        (Self::Called, "called", "asker's task accepted"),
        (Self::Delivered, "delivered", "task delivered to the first agent"),
        (Self::Acknowledged, "acknowledged", "task acknowledged by the first agent"),
        (Self::Asked, "asked", "question read by the asker"),
        (Self::Answered, "answered", "answer heard by the first agent"),
        (Self::Defaulted, "default", "default heard by the first agent"),
        (Self::Progress, "progress", "progress read by the asker"),
        (Self::Delegated, "delegated", "part delegated to the second agent"),
        (Self::DelegateDelivered, "delivered", "part delivered to the second agent"),
        (Self::DelegateCompleted, "completed", "part completed by the second agent"),
        (Self::Heard, "heard", "outcome of the part heard by the first agent"),
        (Self::Completed, "completed", "task completed by the first agent"),
        (Self::Result, "result", "result read by the asker"),
    ];

    const fn word(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    const fn name(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    seen: RefCell<BTreeMap<Step, LedgerLine>>,
}

#[derive(Debug)]
struct LedgerLine {
    text: String,
    printed: bool,
}

impl Ledger {
    /// A step was observed, so long after `since`. It is printed once all before it are.
    pub(super) fn observed(&self, step: Step, since: Instant, what: &str) -> Result<(), Problem> {
        let text = follow::step(step.word(), &millis(since.elapsed()), what);
        let line = LedgerLine { text, printed: false };
        if self.seen.borrow_mut().insert(step, line).is_some() {
            return Err(Problem::failed(format!("the step `{}` happened twice", step.name())));
        }
        self.print()
    }

    /// The steps that were not observed, by name.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let seen = self.seen.borrow();
        Step::ALL.iter().filter(|(step, ..)| !seen.contains_key(step)).map(|(.., name)| *name).collect()
    }

    fn print(&self) -> Result<(), Problem> {
        let mut seen = self.seen.borrow_mut();
        for (step, ..) in Step::ALL {
            let Some(line) = seen.get_mut(&step) else { return Ok(()) };
            if !line.printed {
                line.printed = true;
                say(&line.text)?;
            }
        }
        Ok(())
    }
}

fn millis(span: Duration) -> String {
    format!("{:.1} ms", span.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests;
