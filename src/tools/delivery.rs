//! What an answer carries that must not get lost with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::actors::agent::{AgentRef, CallId, Carried};

/// What must be taken back when an answer cannot be written out: an offer goes to the next waiter at once, and notices
/// are told again.
///
/// Whoever writes the answer says when it [leaves](Self::leaves), and keeps this until it is known to be read. An
/// answer whose delivery was dropped without a word never left.
#[derive(Debug, Clone)]
pub struct Delivery(Arc<Parcel>);

#[derive(Debug)]
struct Parcel {
    agent: AgentRef,
    call: CallId,
    carried: Carried,
    settled: AtomicBool,
}

impl Delivery {
    /// The answer goes out in the moment after this. Said before the first byte of it can be read: the agent's next
    /// call shows that it arrived.
    pub fn leaves(&self) {
        let Parcel { agent, call, settled, .. } = &*self.0;
        if !settled.swap(true, Ordering::Relaxed) {
            agent.left(*call);
        }
    }

    /// The answer could not be written out, or is known not to have been read.
    pub fn failed(&self) {
        let Parcel { agent, call, carried, settled } = &*self.0;
        settled.store(true, Ordering::Relaxed);
        agent.undelivered(*call, carried.clone());
    }
}

impl Drop for Parcel {
    fn drop(&mut self) {
        if !*self.settled.get_mut() {
            self.agent.undelivered(self.call, std::mem::take(&mut self.carried));
        }
    }
}

/// Holds what an answer carries until the answer is in the door's hands: a call that is dropped on its way takes it
/// back.
#[derive(Debug)]
pub(super) struct OnItsWay {
    agent: Option<AgentRef>,
    call: CallId,
    carried: Carried,
}

impl OnItsWay {
    /// From here on an answer to `agent` fails unless [`Self::whole`].
    pub(super) const fn new(agent: AgentRef, call: CallId, carried: Carried) -> Self {
        Self { agent: Some(agent), call, carried }
    }

    /// The answer is whole, and carries this. Nothing, where nothing can be lost.
    pub(super) fn whole(mut self, carried: Carried) -> Option<Delivery> {
        let agent = self.agent.take().filter(|_| !carried.is_empty())?;
        Some(Delivery(Arc::new(Parcel { agent, call: self.call, carried, settled: AtomicBool::new(false) })))
    }
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        if let Some(agent) = &self.agent {
            agent.undelivered(self.call, std::mem::take(&mut self.carried));
        }
    }
}
