//! An agent that waits is handed the task.

use super::super::command::ReturnReason;
use super::super::effect::{Delivery, TaskEffect};
use super::super::spec::{LeaseTerms, TargetWho};
use super::prelude::*;
use crate::ids::SessionId;

impl Task {
    /// From QUEUED, or again under the next number to an agent that waits anew: what it was handed never arrived.
    pub(super) fn offer_to(&self, now: Timestamp, agent: &AgentId, terms: &LeaseTerms) -> Decided {
        match &self.state {
            // Whoever looked for an agent did not know yet that it was given to somebody else.
            TaskState::Queued { .. } if !self.suits(agent, terms) => Err(self.wrong_state("it is for somebody else")),
            TaskState::Queued { .. } => Ok(self.offered(now, agent, terms)),
            TaskState::Assigned { offer } if offer.agent == *agent => Ok(self.offered(now, agent, terms)),
            TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::Blocked { .. }
            | TaskState::InReview { .. }
            | TaskState::Timeout { .. }
            | closed!() => Err(self.wrong_state("only a QUEUED task can be offered")),
        }
    }

    /// The offer at hand goes on from its slot to the agent that is there for this task alone.
    pub(super) fn pass_on(
        &self,
        now: Timestamp,
        from: (&AgentId, LeaseEpoch),
        to: &AgentId,
        session: &SessionId,
    ) -> Decided {
        let Some(offer) = self.offer().filter(|offer| (&offer.agent, offer.epoch) == from) else {
            return Err(self.wrong_state("only the offer at hand is passed on"));
        };
        let (agent, epoch) = (offer.agent.clone(), offer.epoch);
        let terms = LeaseTerms { session: Some(session.clone()), ..offer.terms.clone() };
        let mut decision = self.offered(now, to, &terms);
        let why = ReturnReason::PassedOn;
        decision.records.insert(0, TaskRecord::OfferReturned { agent, epoch, why, held_for: None });
        Ok(decision)
    }

    fn suits(&self, agent: &AgentId, terms: &LeaseTerms) -> bool {
        let target = match &self.spec.target.who {
            TargetWho::Agent(wanted) => wanted == agent,
            TargetWho::Role(role) => *role == terms.role,
            TargetWho::Any => self.spec.rights.allows(Some(agent), Some(&terms.role)),
        };
        target && !self.spec.excluded.contains(agent)
    }

    fn offered(&self, now: Timestamp, agent: &AgentId, terms: &LeaseTerms) -> TaskDecision {
        let (record, effect) = offered(now, agent, self.epoch.next(), terms);
        TaskDecision { records: vec![record], notices: Vec::new(), effects: vec![effect] }
    }
}

pub(super) fn offered(
    now: Timestamp,
    agent: &AgentId,
    epoch: LeaseEpoch,
    terms: &LeaseTerms,
) -> (TaskRecord, TaskEffect) {
    let ack_by = now + terms.ack_within.span();
    let record = TaskRecord::Offered { agent: agent.clone(), epoch, terms: terms.clone(), ack_by };
    let effect = TaskEffect::Deliver(Delivery { agent: agent.clone(), epoch, terms: terms.clone(), ack_by });
    (record, effect)
}
