//! How an agent that names a task stands to it. Everything an agent may do to a task begins here (A3).

use super::super::spec::LeaseTerms;
use super::super::state::{Lease, Offer, Tenure};
use super::prelude::*;

/// How an agent stands to a task that it names.
pub(super) enum TaskClaim<'a> {
    /// It was handed the task and did not acknowledge yet.
    Offered(&'a Offer),
    Leased(&'a Lease),
    /// Nobody holds the task, and this agent had it last: it may go on under a fresh lease.
    Adrift(&'a Tenure),
    /// It asked for an answer: it may go on under a fresh lease when it found out by itself.
    Awaiting(&'a Tenure),
    /// Its work lies with a reviewer.
    Submitted(&'a Tenure),
}

impl Task {
    /// How `agent` stands to this task under the number it gives. To one that was never handed the task it does not
    /// exist; one that was hears what became of it.
    pub(super) fn standing(&self, agent: &AgentId, given: Option<LeaseEpoch>) -> Result<TaskClaim<'_>, TaskRefusal> {
        let tenure = self.tenures.get(agent).ok_or_else(|| self.not_found())?;
        let lost = |holds| self.lease_lost(tenure, given, holds);
        let standing = match &self.state {
            TaskState::Assigned { offer } if offer.agent == *agent => TaskClaim::Offered(offer),
            TaskState::InProgress { lease } if lease.agent == *agent => TaskClaim::Leased(lease),
            TaskState::Blocked { on: BlockedOn::Answer { agent: asked, .. }, .. } if asked == agent => {
                TaskClaim::Awaiting(tenure)
            }
            TaskState::InReview { holder, .. } if holder == agent => TaskClaim::Submitted(tenure),
            TaskState::Queued { .. } | TaskState::Timeout { .. }
                if self.last_holder.as_ref() == Some(agent) && self.unmet().is_empty() =>
            {
                TaskClaim::Adrift(tenure)
            }
            open!() => return Err(lost(false)),
            closed!() => return Err(self.closed()),
        };
        let current = given.is_none_or(|epoch| tenure.told <= epoch && epoch <= tenure.newest);
        if current { Ok(standing) } else { Err(lost(standing.holds())) }
    }

    fn lease_lost(&self, tenure: &Tenure, given: Option<LeaseEpoch>, holds: bool) -> TaskRefusal {
        TaskRefusal::LeaseLost {
            task: self.spec.id.clone(),
            given: given.unwrap_or(tenure.newest),
            current: self.epoch,
            holds,
        }
    }
}

impl TaskClaim<'_> {
    /// Whether the newest number is the agent's.
    const fn holds(&self) -> bool {
        match self {
            Self::Offered(_) | Self::Leased(_) => true,
            Self::Adrift(_) | Self::Awaiting(_) | Self::Submitted(_) => false,
        }
    }

    /// The record after which the agent holds the lease; none when it holds it already. Who comes back late gets the
    /// next number, so that no two leases share one (T1).
    pub(super) fn take(&self, task: &Task, now: Timestamp, agent: &AgentId) -> Option<TaskRecord> {
        let epoch = match self {
            Self::Leased(_) => return None,
            Self::Offered(offer) => offer.epoch,
            Self::Adrift(_) | Self::Awaiting(_) | Self::Submitted(_) => task.epoch.next(),
        };
        let terms = self.terms().clone();
        let expires_at = now + terms.ttl.span();
        Some(TaskRecord::Acknowledged { agent: agent.clone(), epoch, terms, expires_at })
    }

    pub(super) const fn terms(&self) -> &LeaseTerms {
        match self {
            Self::Offered(offer) => &offer.terms,
            Self::Leased(lease) => &lease.terms,
            Self::Adrift(tenure) | Self::Awaiting(tenure) | Self::Submitted(tenure) => &tenure.terms,
        }
    }
}
