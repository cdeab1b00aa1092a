//! The noticeboard's picture of itself.

use serde::Serialize;

use crate::journal::Seq;

/// The noticeboard, as the admin endpoint shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NoticeboardView {
    /// The last event that went out.
    pub position: Seq,
    /// The most events that may lie in a subscriber's buffer.
    pub buffer_limit: usize,
    /// Events that did not fit into somebody's buffer, since the start.
    pub dropped: u64,
    /// Who listens, in the order they came.
    pub subscribers: Vec<SubscriberView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriberView {
    pub id: u64,
    /// The types it asked for; empty: all.
    pub types: Vec<String>,
    /// Events that it has not fetched.
    pub depth: usize,
    /// Events that did not fit and were told as a gap.
    pub missed: u64,
    /// Whether it waits for the next event.
    pub waits: bool,
}
