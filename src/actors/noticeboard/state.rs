//! The state of the noticeboard: its place in the journal, and every subscriber with its buffer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use tokio::sync::oneshot;

use super::buffer::Buffer;
use super::event::Posted;
use super::message::SubscriberId;
use crate::actors::journal::JournalReads;
use crate::journal::{EventFilter, Seq};

/// The most events that one fetch brings.
const FETCH: usize = 64;

#[derive(Debug)]
pub struct State {
    pub(super) reads: JournalReads,
    pub(super) buffer_limit: usize,
    /// Records that were sent and not yet taken in; shared with the sink.
    pub(super) backlog: Arc<AtomicUsize>,
    /// The last record that was taken in.
    pub(super) position: Seq,
    pub(super) next_id: SubscriberId,
    /// Events that did not fit into a buffer, over all subscribers since the start.
    pub(super) dropped: u64,
    pub(super) subscribers: BTreeMap<SubscriberId, Subscriber>,
}

#[derive(Debug)]
pub(super) struct Subscriber {
    pub(super) filter: EventFilter,
    pub(super) buffer: Buffer,
    /// The fetch that waits for an event.
    pub(super) fetching: Option<oneshot::Sender<Vec<Posted>>>,
}

impl Subscriber {
    /// Answers the fetch that waits, if there is something for it. A subscription keeps its receiver until then.
    pub(super) fn settle(&mut self) {
        let Some(fetching) = self.fetching.take() else { return };
        let posted = self.buffer.take(FETCH);
        if posted.is_empty() {
            self.fetching = Some(fetching);
        } else {
            let _ = fetching.send(posted);
        }
    }
}
