//! One delivery: what it says, where it goes, what came of it so far.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::PrincipalId;
use crate::names::{as_text, names};
use crate::time::Timestamp;

/// The name of a delivery, `d_SEQ_PART`: the number of the first record of the append that it came with, and which of
/// that append's deliveries it is. Ordered as the journal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryId {
    /// The number of the append's first record.
    pub seq: u64,
    /// Its place among the deliveries of that append, from 0.
    pub part: u32,
}

/// What is to go out, as whoever writes it into an append says it. The store gives it its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDelivery {
    pub destination: String,
    /// The lane of it, within which order counts.
    pub lane: String,
    /// What it is, in a few words for people. No secrets, no text of prompts.
    pub summary: String,
    /// What the destination sends; only that one reads it.
    pub body: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    pub id: DeliveryId,
    pub destination: String,
    pub lane: String,
    pub summary: String,
    pub body: Value,
    /// When the change was decided.
    pub created_at: Timestamp,
    /// Since when it is tried: from the beginning, or since a person last retried it.
    pub tried_since: Timestamp,
    pub attempts: u32,
    /// How often that failed since `tried_since`.
    pub failures: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    pub state: DeliveryState,
}

/// Where a delivery stands; see the drawing in [`super`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum DeliveryState {
    /// It waits for its turn in its lane, or for the end of a pause.
    Pending { not_before: Timestamp },
    /// It is under way. Never written.
    Sending { since: Timestamp },
    Delivered {
        at: Timestamp,
        /// What the destination calls it, where it says so.
        receipt: Option<String>,
    },
    /// It cannot be delivered, and a person is to look at it.
    DeadLetter { at: Timestamp, reason: String },
    /// A person decided that it is not sent.
    Dropped { at: Timestamp, by: PrincipalId, reason: String },
}

/// The names of the states, as lists are filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStateName {
    /// It waits to be sent.
    Pending,
    /// It is under way.
    Sending,
    /// The destination took it.
    Delivered,
    /// It cannot be delivered.
    DeadLetter,
    /// A person dropped it.
    Dropped,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DeliveryRecord {
    /// It is under way.
    Begun,
    /// The destination took it, and may have named it.
    Delivered { receipt: Option<String> },
    /// It failed, and is sent again, not earlier than this.
    Postponed { not_before: Timestamp, error: String },
    /// It failed for good.
    DeadLettered { reason: String },
    /// A person has it sent again.
    Retried,
    /// A person has it not sent.
    Dropped { by: PrincipalId, reason: String },
}

impl Delivery {
    /// A new one, which may be sent at once.
    pub fn new(id: DeliveryId, at: Timestamp, new: NewDelivery) -> Self {
        let NewDelivery { destination, lane, summary, body } = new;
        let state = DeliveryState::Pending { not_before: at };
        let (created_at, tried_since, attempts, failures, last_error) = (at, at, 0, 0, None);
        Self { id, destination, lane, summary, body, created_at, tried_since, attempts, failures, last_error, state }
    }

    /// The key under which each attempt is sent. It follows from where the row was written alone.
    pub fn key(&self) -> String {
        format!("{}.{}", self.destination, self.id)
    }

    /// What happened to it; cannot fail.
    pub fn apply(&mut self, at: Timestamp, record: &DeliveryRecord) {
        match record {
            DeliveryRecord::Begun => {
                self.attempts += 1;
                self.state = DeliveryState::Sending { since: at };
            }
            DeliveryRecord::Delivered { receipt } => {
                self.state = DeliveryState::Delivered { at, receipt: receipt.clone() };
            }
            DeliveryRecord::Postponed { not_before, error } => {
                (self.failures, self.last_error) = (self.failures + 1, Some(error.clone()));
                self.state = DeliveryState::Pending { not_before: *not_before };
            }
            DeliveryRecord::DeadLettered { reason } => {
                (self.failures, self.last_error) = (self.failures + 1, Some(reason.clone()));
                self.state = DeliveryState::DeadLetter { at, reason: reason.clone() };
            }
            DeliveryRecord::Retried => {
                (self.failures, self.tried_since) = (0, at);
                self.state = DeliveryState::Pending { not_before: at };
            }
            DeliveryRecord::Dropped { by, reason } => {
                self.state = DeliveryState::Dropped { at, by: by.clone(), reason: reason.clone() };
            }
        }
    }

    /// When it came to its end: none while it may yet be sent or a person is to look at it.
    pub const fn settled_at(&self) -> Option<Timestamp> {
        match &self.state {
            DeliveryState::Delivered { at, .. } | DeliveryState::Dropped { at, .. } => Some(*at),
            DeliveryState::Pending { .. } | DeliveryState::Sending { .. } | DeliveryState::DeadLetter { .. } => None,
        }
    }
}

impl DeliveryState {
    pub const fn name(&self) -> DeliveryStateName {
        match self {
            Self::Pending { .. } => DeliveryStateName::Pending,
            Self::Sending { .. } => DeliveryStateName::Sending,
            Self::Delivered { .. } => DeliveryStateName::Delivered,
            Self::DeadLetter { .. } => DeliveryStateName::DeadLetter,
            Self::Dropped { .. } => DeliveryStateName::Dropped,
        }
    }
}

names!(DeliveryStateName {
    Pending = "pending", Sending = "sending", Delivered = "delivered", DeadLetter = "dead_letter", Dropped = "dropped",
});

impl DeliveryId {
    pub fn parse(text: &str) -> Option<Self> {
        let (seq, part) = text.strip_prefix("d_")?.split_once('_')?;
        let id = Self { seq: seq.parse().ok()?, part: part.parse().ok()? };
        // One delivery has one name: no leading zeros, no signs.
        (id.to_string() == text).then_some(id)
    }
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "d_{}_{}", self.seq, self.part)
    }
}

as_text!(DeliveryId, "the id of a delivery");
