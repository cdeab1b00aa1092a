//! What an answer carries that must not get lost with it.

use std::sync::Arc;

use crate::actors::agent::AgentRef;
use crate::domain::ids::{LeaseEpoch, TaskId};

/// What must be taken back when an answer cannot be written out: an offer goes to the next waiter at once, and notices
/// are told again. Whoever writes the answer keeps it until it is written.
#[derive(Debug, Clone)]
pub struct Delivery(Arc<(AgentRef, Option<(TaskId, LeaseEpoch)>)>);

impl Delivery {
    /// For an answer to `agent` that carries notices, and perhaps an offer.
    #[must_use]
    pub(super) fn new(agent: AgentRef, offer: Option<(TaskId, LeaseEpoch)>) -> Self {
        Self(Arc::new((agent, offer)))
    }

    /// The answer could not be written out.
    pub fn failed(&self) {
        let (agent, offer) = &*self.0;
        agent.undelivered(offer.clone());
    }
}

/// Holds a delivery until the answer is in the door's hands: a call that is dropped on its way takes back what it
/// carries.
#[derive(Debug)]
pub(super) struct OnItsWay(Option<Delivery>);

impl OnItsWay {
    /// From here on the delivery fails unless [`Self::arrived`].
    pub(super) const fn new(delivery: Option<Delivery>) -> Self {
        Self(delivery)
    }

    /// The answer is whole.
    pub(super) fn arrived(mut self) -> Option<Delivery> {
        self.0.take()
    }
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        if let Some(delivery) = &self.0 {
            delivery.failed();
        }
    }
}
