//! An offer or a lease comes back without a word from its agent. Late or doubled, it changes nothing.

use super::super::command::ReturnReason;
use super::super::state::Offer;
use super::prelude::*;

impl Task {
    pub(super) fn return_offer(
        &self,
        now: Timestamp,
        agent: &AgentId,
        epoch: LeaseEpoch,
        why: ReturnReason,
    ) -> TaskDecision {
        match &self.state {
            TaskState::Assigned { offer } if offer.agent == *agent && offer.epoch == epoch => {
                self.offer_returned(now, offer, why)
            }
            open!() | closed!() => TaskDecision::default(),
        }
    }

    /// The agent is gone for good. What waits for an answer or a reviewer stays; what was approved goes to another one.
    pub(super) fn release(&self, now: Timestamp, agent: &AgentId, why: ReturnReason) -> TaskDecision {
        match &self.state {
            TaskState::Assigned { offer } if offer.agent == *agent => self.offer_returned(now, offer, why),
            TaskState::InProgress { lease } if lease.agent == *agent => TaskDecision {
                records: vec![TaskRecord::Released { agent: agent.clone(), epoch: lease.epoch, why }],
                ..TaskDecision::default()
            },
            TaskState::InReview { holder, approved: true, .. } if holder == agent => TaskDecision {
                records: vec![TaskRecord::Released { agent: agent.clone(), epoch: self.epoch, why }],
                ..TaskDecision::default()
            },
            open!() | closed!() => TaskDecision::default(),
        }
    }

    /// Back to the head of the queue; kept for the agent only where it knows the work and is likely to be back at once.
    pub(super) fn offer_returned(&self, now: Timestamp, offer: &Offer, why: ReturnReason) -> TaskDecision {
        let held_for = match why {
            ReturnReason::ConnectionLost if self.attempts.last().is_some_and(|last| last.agent == offer.agent) => {
                self.hold_for(&offer.agent, now)
            }
            ReturnReason::ConnectionLost
            | ReturnReason::NobodyWaiting
            | ReturnReason::PassedOn
            | ReturnReason::NotAcknowledged
            | ReturnReason::Evicted
            | ReturnReason::Revoked
            | ReturnReason::Limited
            | ReturnReason::Killed => None,
        };
        let record = TaskRecord::OfferReturned { agent: offer.agent.clone(), epoch: offer.epoch, why, held_for };
        TaskDecision { records: vec![record], ..TaskDecision::default() }
    }
}
