//! The journal's picture of itself: `/admin/journal`.

use std::collections::VecDeque;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::time::Timestamp;
use crate::journal::{Seq, StoreReport};

/// How many of the newest writes are remembered.
const REMEMBERED: usize = 1_000;

/// The journal, as `/admin/journal` shows it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalView {
    /// The last number that was given and is durable.
    #[schemars(with = "u64")]
    pub position: Seq,
    /// Appends that are not answered yet.
    pub depth: usize,
    /// How many may wait before the next is refused.
    pub limit: usize,
    /// Appends in the transaction that is under way.
    pub in_flight: usize,
    /// Transactions that were written since the actor started.
    pub batches: u64,
    /// Appends that were kept since the actor started.
    pub appends: u64,
    /// Appends in a transaction, over the last thousand of them.
    pub batch_size: Spread,
    /// How long a transaction took with its `fsync`, in microseconds, over the last thousand of them.
    pub write_micros: Spread,
    /// The newest failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_fault: Option<JournalFault>,
    /// Whether the newest transaction failed.
    pub failing: bool,
    /// What the store says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreReport>,
}

/// A batch that could not be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalFault {
    /// When its newest append was decided.
    #[schemars(with = "String")]
    pub at: Timestamp,
    pub reason: String,
    /// How many batches failed since the actor started.
    pub count: u64,
}

/// How a number spreads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spread {
    /// Half are at most this.
    pub p50: u64,
    /// All but one in a hundred are at most this.
    pub p99: u64,
    /// None is more than this.
    pub max: u64,
}

#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) batches: u64,
    pub(super) appends: u64,
    pub(super) faults: u64,
    pub(super) last_fault: Option<JournalFault>,
    pub(super) failing: bool,
    pub(super) sizes: VecDeque<u64>,
    pub(super) micros: VecDeque<u64>,
}

impl Log {
    pub(super) fn wrote(&mut self, batch: usize, kept: usize, took: Duration) {
        self.batches += 1;
        self.failing = false;
        self.appends += u64::try_from(kept).unwrap_or(u64::MAX);
        remember(&mut self.sizes, u64::try_from(batch).unwrap_or(u64::MAX));
        remember(&mut self.micros, u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    pub(super) fn failed(&mut self, at: Timestamp, reason: String) {
        self.faults += 1;
        self.failing = true;
        self.last_fault = Some(JournalFault { at, reason, count: self.faults });
    }
}

impl Spread {
    pub(super) fn of(numbers: &VecDeque<u64>) -> Self {
        let mut sorted: Vec<u64> = numbers.iter().copied().collect();
        sorted.sort_unstable();
        let at = |percent: usize| sorted.get((sorted.len() * percent).div_ceil(100).saturating_sub(1)).copied();
        Self {
            p50: at(50).unwrap_or_default(),
            p99: at(99).unwrap_or_default(),
            max: sorted.last().copied().unwrap_or_default(),
        }
    }
}

fn remember(numbers: &mut VecDeque<u64>, number: u64) {
    if numbers.len() == REMEMBERED {
        numbers.pop_front();
    }
    numbers.push_back(number);
}

#[cfg(test)]
mod tests;
