//! What a command to a delivery means.

use std::time::Duration;

use thiserror::Error;

use super::backoff::pause;
use super::delivery::{Delivery, DeliveryId, DeliveryRecord, DeliveryState, DeliveryStateName};
use crate::ids::PrincipalId;
use crate::invariants::Broken;
use crate::time::Timestamp;

/// What may be asked of a delivery.
#[derive(Debug, Clone, PartialEq)]
pub enum DeliveryCommand {
    /// Go out now.
    Begin,
    Settle {
        outcome: SendOutcome,
        jitter: u32,
        /// For how long it is tried; without a limit, until it is delivered or refused.
        give_up_after: Option<Duration>,
    },
    /// A person wants it sent now.
    Retry,
    /// A person wants it not sent.
    Drop { by: PrincipalId, reason: String },
}

/// What came of sending a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendOutcome {
    Delivered {
        /// What it calls it.
        receipt: Option<String>,
    },
    /// It may succeed later.
    Retry {
        error: String,
        /// The destination wants not to be asked earlier.
        after: Option<Duration>,
    },
    /// It never succeeds.
    Refused { reason: String },
    /// Nobody wants it any more: it is dropped in the name of who decided so.
    Unwanted { by: PrincipalId, reason: String },
}

/// Why a command to a delivery is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DeliveryRefusal {
    #[error("delivery `{id}` is not due before {not_before}")]
    NotDue { id: DeliveryId, not_before: Timestamp },
    #[error("delivery `{id}` is being sent; look at it again in a moment")]
    UnderWay { id: DeliveryId },
    #[error("delivery `{id}` is not under way")]
    NotUnderWay { id: DeliveryId },
    #[error("delivery `{id}` is {}: nothing is left to be done with it", state.as_str())]
    Over { id: DeliveryId, state: DeliveryStateName },
}

impl Delivery {
    /// What a command means; changes nothing. Fails when the state does not admit it.
    pub fn decide(&self, now: Timestamp, command: &DeliveryCommand) -> Result<DeliveryRecord, DeliveryRefusal> {
        let id = self.id;
        match (&self.state, command) {
            (DeliveryState::Pending { not_before }, DeliveryCommand::Begin) if now < *not_before => {
                Err(DeliveryRefusal::NotDue { id, not_before: *not_before })
            }
            (DeliveryState::Pending { .. }, DeliveryCommand::Begin) => Ok(DeliveryRecord::Begun),
            (DeliveryState::Pending { .. } | DeliveryState::DeadLetter { .. }, DeliveryCommand::Retry) => {
                Ok(DeliveryRecord::Retried)
            }
            (
                DeliveryState::Pending { .. } | DeliveryState::DeadLetter { .. },
                DeliveryCommand::Drop { by, reason },
            ) => Ok(DeliveryRecord::Dropped { by: by.clone(), reason: reason.clone() }),
            (DeliveryState::Sending { .. }, DeliveryCommand::Settle { outcome, jitter, give_up_after }) => {
                Ok(self.settle(now, outcome, *jitter, *give_up_after))
            }
            (
                DeliveryState::Sending { .. },
                DeliveryCommand::Begin | DeliveryCommand::Retry | DeliveryCommand::Drop { .. },
            ) => Err(DeliveryRefusal::UnderWay { id }),
            (DeliveryState::Pending { .. } | DeliveryState::DeadLetter { .. }, DeliveryCommand::Settle { .. })
            | (DeliveryState::DeadLetter { .. }, DeliveryCommand::Begin) => Err(DeliveryRefusal::NotUnderWay { id }),
            (
                DeliveryState::Delivered { .. } | DeliveryState::Dropped { .. },
                DeliveryCommand::Begin
                | DeliveryCommand::Settle { .. }
                | DeliveryCommand::Retry
                | DeliveryCommand::Drop { .. },
            ) => Err(DeliveryRefusal::Over { id, state: self.state.name() }),
        }
    }

    fn settle(
        &self,
        now: Timestamp,
        outcome: &SendOutcome,
        jitter: u32,
        give_up_after: Option<Duration>,
    ) -> DeliveryRecord {
        match outcome {
            SendOutcome::Delivered { receipt } => DeliveryRecord::Delivered { receipt: receipt.clone() },
            SendOutcome::Refused { reason } => DeliveryRecord::DeadLettered { reason: reason.clone() },
            SendOutcome::Unwanted { by, reason } => DeliveryRecord::Dropped { by: by.clone(), reason: reason.clone() },
            SendOutcome::Retry { error, after } => {
                let tried = now.since(self.tried_since);
                match give_up_after {
                    Some(limit) if tried >= limit => {
                        let tried = Duration::from_secs(tried.as_secs());
                        let reason = format!("given up after {}: {error}", humantime::format_duration(tried));
                        DeliveryRecord::DeadLettered { reason }
                    }
                    Some(_) | None => {
                        let not_before = now + pause(self.failures.saturating_add(1), jitter, *after);
                        DeliveryRecord::Postponed { not_before, error: error.clone() }
                    }
                }
            }
        }
    }
}

/// O1, for one step of one delivery: its end stays, and what it says, where it goes and its key never change.
pub fn o1_out_once(before: &Delivery, after: &Delivery) -> Result<(), Broken> {
    let broken = |what: &str| Err(Broken { name: "O1 out-once", what: format!("{} {what}", before.id) });
    if before.settled_at().is_some() && before != after {
        return broken("changed after its end");
    }
    if (&before.destination, &before.lane, before.id, &before.body)
        != (&after.destination, &after.lane, after.id, &after.body)
    {
        return broken("became another delivery");
    }
    Ok(())
}
