//! Time passed: an offer lapses, a lease runs out, or is spared. Too early or twice, nothing happens.

use super::super::command::ReturnReason;
use super::super::spec::{LeaseTerms, OnTimeout};
use super::super::state::Lease;
use super::prelude::*;

impl Task {
    pub(super) fn tick(&self, now: Timestamp, cause: &Cause) -> TaskDecision {
        match &self.state {
            TaskState::Assigned { offer } if offer.ack_by <= now => {
                self.offer_returned(now, offer, ReturnReason::NotAcknowledged)
            }
            TaskState::InProgress { lease } if lease.expires_at <= now => self.time_out(now, lease, cause),
            open!() | closed!() => TaskDecision::default(),
        }
    }

    /// Never less time than it has.
    pub(super) fn give_grace(&self, until: Timestamp) -> TaskDecision {
        let held = self.lease().map(|lease| (&lease.agent, lease.epoch, lease.expires_at));
        let offered = || self.offer().map(|offer| (&offer.agent, offer.epoch, offer.ack_by));
        let ends = held.or_else(offered).filter(|(_, _, ends)| *ends < until);
        let given = ends.map(|(agent, epoch, _)| TaskRecord::GraceGiven { agent: agent.clone(), epoch, until });
        TaskDecision { records: given.into_iter().collect(), ..TaskDecision::default() }
    }

    fn time_out(&self, now: Timestamp, lease: &Lease, cause: &Cause) -> TaskDecision {
        let terms = &lease.terms;
        let (agent, epoch) = (lease.agent.clone(), lease.epoch);
        let timed_out = TaskRecord::TimedOut { agent, epoch, policy: terms.on_timeout };
        let next = self.after_time_out(terms);
        let text = format!(
            "{} is TIMEOUT: the lease of `{}` ran out without a sign of progress; {}",
            self.called(),
            lease.agent,
            consequence(next.as_ref())
        );
        let notices = Notices::new(self, now, cause).asker(text).done();
        let records = std::iter::once(timed_out).chain(next).collect();
        TaskDecision { records, notices, effects: Vec::new() }
    }

    /// What policy makes of an attempt that ran out or failed; nothing when the task is held.
    pub(super) fn after_time_out(&self, terms: &LeaseTerms) -> Option<TaskRecord> {
        let used = self.attempts_used().saturating_add(1);
        let escalated = terms.escalate_to.as_ref().filter(|target| **target != self.spec.target);
        match (terms.on_timeout, escalated) {
            (OnTimeout::Hold, _) => None,
            (OnTimeout::Retry | OnTimeout::Escalate, _) if used >= terms.max_attempts => {
                let reason = format!("{used} of {} attempts ran out or failed", terms.max_attempts);
                Some(TaskRecord::DeadLettered { reason })
            }
            (OnTimeout::Escalate, Some(target)) => {
                Some(TaskRecord::Reassigned { target: target.clone(), escalated: true })
            }
            (OnTimeout::Retry, _) | (OnTimeout::Escalate, None) => {
                Some(TaskRecord::Requeued { count_anew: false, held_for: None })
            }
        }
    }
}

/// What follows, for the asker.
pub(super) fn consequence(next: Option<&TaskRecord>) -> String {
    match next {
        Some(TaskRecord::DeadLettered { reason }) => format!("it is a DEAD_LETTER now: {reason}"),
        Some(TaskRecord::Reassigned { target, .. }) => format!("it is QUEUED for `{target}`"),
        Some(_) => "it is QUEUED for its next attempt".to_owned(),
        None => "it stays so until somebody retries, reassigns or cancels it".to_owned(),
    }
}
