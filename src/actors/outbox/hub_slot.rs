//! Gives the hub to destinations that act upon it. They are made before the actors, for the journal asks them from its
//! first append on; what is sent to one without a hub is tried again at once.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::actors::HubRef;
use crate::domain::outbox::{Delivery, SendOutcome};

/// The hub of a destination, once there is one. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct HubSlot(Arc<OnceLock<HubRef>>);

impl HubSlot {
    /// Acts upon this hub from now on. The first one stays.
    pub fn begin(&self, hub: &HubRef) {
        // Set once: the composition root is the only one that does.
        let _ = self.0.set(hub.clone());
    }

    /// The hub, and what the row of a delivery holds. The error says what has come of the send, where it cannot begin:
    /// no hub yet, or a row that this version cannot read.
    pub fn open<B: DeserializeOwned>(&self, delivery: &Delivery) -> Result<(&HubRef, B), SendOutcome> {
        let starting = || SendOutcome::Retry { error: "the hub is starting".to_owned(), after: Some(Duration::ZERO) };
        let hub = self.0.get().ok_or_else(starting)?;
        let unreadable = |_| SendOutcome::Refused { reason: "this version cannot read what was to be sent".to_owned() };
        let body = serde_json::from_value(delivery.body.clone()).map_err(unreadable)?;
        Ok((hub, body))
    }
}
