//! A handle to an actor: how other modules reach it, also after it was rebuilt.
//!
//! An actor that fails is rebuilt from the journal under the same name. Handles to it stay valid: a handle
//! asks for the present address with each message. What lay in the lost mailbox is lost: askers hear
//! [`Fault::Unavailable`] and may repeat, and tellers are told anew when the actor announces itself. Who asks while the
//! actor is being rebuilt waits until it is there, at most [`REBUILT_WITHIN`].
//!
//! The library's mailboxes have no bound: [`ActorHandle::ask`], for the doors, refuses with [`Fault::Busy`] past the
//! limit. [`ActorHandle::tell`], among actors, is never refused: what was decided must be heard.

use std::sync::Arc;
use std::time::Duration;

use ractor::{ActorRef, Message, MessagingErr, RpcReplyPort};
use thiserror::Error;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::counters::Counters;
use super::mailbox_metrics::MailboxMetrics;

/// How long a question waits for an actor that is being rebuilt. The pause before a first rebuild is 10 ms and doubles
/// with each failure; an actor that fails over and over is not waited for.
const REBUILT_WITHIN: Duration = Duration::from_secs(2);

/// What asking an actor comes to.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

/// Why an actor did not answer.
///
/// Nothing is known of what it did: a repeat must carry an idempotency key, or be harmless.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// Its mailbox is full. Nothing was done.
    #[error("`{actor}` is busy: {depth} messages wait, the limit is {limit}")]
    Busy { actor: String, depth: usize, limit: usize },
    /// It ended before it answered.
    #[error("{0}")]
    Unavailable(String),
    /// The journal's disk takes nothing. Nothing was done; reads go on.
    #[error("{why}")]
    Storage { full: bool, why: String },
}

/// A handle to an actor that takes messages of type `M`. It stays valid when the actor is rebuilt.
#[derive(Debug)]
pub struct ActorHandle<M> {
    name: Arc<str>,
    to: watch::Receiver<Option<ActorRef<M>>>,
    mailbox_metrics: Arc<MailboxMetrics>,
}

#[derive(Debug)]
pub struct Socket<M> {
    to: watch::Sender<Option<ActorRef<M>>>,
    mailbox_metrics: Arc<MailboxMetrics>,
}

/// A line that is not connected yet. Messages told before it is are lost; connect before handing it on.
pub fn line<M: Message>(name: impl Into<Arc<str>>, limit: usize, counters: &Counters) -> (Socket<M>, ActorHandle<M>) {
    let (sender, receiver) = watch::channel(None);
    let mailbox_metrics = MailboxMetrics::new(limit, counters);
    (
        Socket { to: sender, mailbox_metrics: Arc::clone(&mailbox_metrics) },
        ActorHandle { name: name.into(), to: receiver, mailbox_metrics },
    )
}

/// Answers whoever asked; one that is gone does not hear it.
pub fn respond<T: Send + 'static>(reply: RpcReplyPort<T>, value: T) {
    let _ = reply.send(value);
}

impl<M: Message> Socket<M> {
    /// Connects the handle to a newly built actor; messages that waited for the old one are lost.
    pub fn connect(&self, actor: ActorRef<M>) {
        self.mailbox_metrics.lost();
        let _ = self.to.send_replace(Some(actor));
    }

    /// Disconnects before the actor is ended and rebuilt: questions wait for the new one instead of getting lost.
    pub fn disconnect(&self) {
        self.mailbox_metrics.ended(true);
        let _ = self.to.send_replace(None);
    }

    /// The metrics that the actor must advance with each message it takes.
    pub fn mailbox_metrics(&self) -> Arc<MailboxMetrics> {
        Arc::clone(&self.mailbox_metrics)
    }
}

impl<M> Clone for ActorHandle<M> {
    fn clone(&self) -> Self {
        Self { name: Arc::clone(&self.name), to: self.to.clone(), mailbox_metrics: Arc::clone(&self.mailbox_metrics) }
    }
}

impl<M: Message> ActorHandle<M> {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn mailbox_metrics(&self) -> &Arc<MailboxMetrics> {
        &self.mailbox_metrics
    }

    /// Says something, and does not wait. False when nobody is there: who needs an answer must not rely on it.
    pub fn tell(&self, message: M) -> bool {
        self.put(message).is_ok()
    }

    /// Puts a message into the mailbox, or gives it back when nobody is there.
    fn put(&self, message: M) -> Result<(), Option<M>> {
        let Some(actor) = self.to.borrow().clone() else { return Err(Some(message)) };
        self.mailbox_metrics.put();
        actor.send_message(message).map_err(|error| {
            self.mailbox_metrics.took();
            match error {
                MessagingErr::SendErr(message) => Some(message),
                MessagingErr::ChannelClosed | MessagingErr::InvalidActorType => None,
            }
        })
    }

    /// Puts a message into the mailbox of the actor that is being built. False when the actor's work is done.
    async fn put_once_rebuilt(&self, mut message: M) -> Result<bool> {
        let mut to = self.to.clone();
        let rebuilt = async {
            loop {
                to.mark_unchanged();
                match self.put(message) {
                    Ok(()) => return Ok(true),
                    Err(None) => return Err(self.unavailable()),
                    Err(Some(back)) => message = back,
                }
                if to.changed().await.is_err() {
                    return Ok(false);
                }
            }
        };
        let late = |_| {
            let name = &self.name;
            Fault::Unavailable(format!("`{name}` is being rebuilt after a failure; nothing was done: repeat the call"))
        };
        timeout(REBUILT_WITHIN, rebuilt).await.map_err(late)?
    }

    /// Tells what must not get lost; false when it is to be told again, since its actor is being built.
    pub fn rings(&self, message: M) -> bool {
        self.tell(message) || self.to.has_changed().is_err()
    }

    /// Asks, and waits for the answer. Fails with [`Fault::Busy`] past the mailbox's limit, or [`Fault::Unavailable`].
    pub async fn ask<T: Send + 'static>(&self, message: impl FnOnce(RpcReplyPort<T>) -> M) -> Result<T> {
        self.ask_if_there(message).await?.ok_or_else(|| self.unavailable())
    }

    /// As [`ActorHandle::ask`], but none when the actor's work is done: then the question was certainly not heard.
    pub async fn ask_if_there<T: Send + 'static>(
        &self,
        message: impl FnOnce(RpcReplyPort<T>) -> M,
    ) -> Result<Option<T>> {
        let depth = self.mailbox_metrics.depth();
        if depth >= self.mailbox_metrics.limit() {
            self.mailbox_metrics.rejects();
            return Err(Fault::Busy { actor: self.name.to_string(), depth, limit: self.mailbox_metrics.limit() });
        }
        self.ask_however_full(message).await
    }

    /// Asks even where a door would be refused: while the hub is built, or for a reply that must come last.
    ///
    /// Fails with [`Fault::Unavailable`] when the actor ends without an answer, or is not rebuilt within two seconds.
    /// None when nobody will be there any more.
    pub async fn ask_however_full<T: Send + 'static>(
        &self,
        message: impl FnOnce(RpcReplyPort<T>) -> M,
    ) -> Result<Option<T>> {
        let (port, answer) = oneshot::channel();
        match self.put(message(port.into())) {
            Ok(()) => {}
            Err(None) => return Err(self.unavailable()),
            // Boxed: whoever waits for an answer has no room to keep for it.
            Err(Some(message)) => {
                if !Box::pin(self.put_once_rebuilt(message)).await? {
                    return Ok(None);
                }
            }
        }
        answer.await.map(Some).map_err(|_| self.unavailable())
    }

    pub fn unavailable(&self) -> Fault {
        Fault::Unavailable(format!("`{}` ended before it answered; repeat the call", self.name))
    }
}

#[cfg(test)]
mod tests;
