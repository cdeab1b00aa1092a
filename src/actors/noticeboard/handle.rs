//! The typed door to the noticeboard.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ractor::ActorRef;
use thiserror::Error;
use tokio::sync::oneshot;

use super::message::NoticeboardMessage;
use super::view::NoticeboardView;
use crate::actors::journal::{JournalReads, Sink};

/// Records on their way to the board; beyond this many it is sent a number, and reads them itself.
const BACKLOG: usize = 4_096;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the noticeboard ended")]
pub struct NoticeboardEnded;

#[derive(Debug, Clone)]
pub struct NoticeboardRef {
    actor: ActorRef<NoticeboardMessage>,
    pub(super) reads: JournalReads,
    backlog: Arc<AtomicUsize>,
}

impl NoticeboardRef {
    pub(super) fn new(actor: ActorRef<NoticeboardMessage>, reads: JournalReads, backlog: Arc<AtomicUsize>) -> Self {
        Self { actor, reads, backlog }
    }

    /// Where the journal's actor hands on what it has kept.
    pub fn sink(&self) -> Sink {
        let (actor, backlog) = (self.actor.clone(), Arc::clone(&self.backlog));
        Box::new(move |kept| {
            let Some(last) = kept.last().map(|kept| kept.seq) else { return };
            // A board that ended hears nothing any more; the hub is going down, or its successor reads the journal.
            let _ = if backlog.load(Ordering::Acquire) < BACKLOG {
                backlog.fetch_add(kept.len(), Ordering::AcqRel);
                actor.send_message(NoticeboardMessage::Publish(kept))
            } else {
                actor.send_message(NoticeboardMessage::CatchUp(last))
            };
        })
    }

    /// Its readers, and how far each of them is.
    pub async fn view(&self) -> Result<NoticeboardView, NoticeboardEnded> {
        let (reply, answer) = oneshot::channel();
        self.tell(NoticeboardMessage::View { reply: reply.into() })?;
        answer.await.map_err(|_| NoticeboardEnded)
    }

    /// The actor, for who supervises and drains it.
    pub const fn actor(&self) -> &ActorRef<NoticeboardMessage> {
        &self.actor
    }

    pub(super) fn tell(&self, message: NoticeboardMessage) -> Result<(), NoticeboardEnded> {
        self.actor.send_message(message).map_err(|_| NoticeboardEnded)
    }
}
