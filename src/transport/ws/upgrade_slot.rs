//! Where a request stores the future that its connection becomes once HTTP has ended on it.
//!
//! What becomes of it goes on in the connection's own task: it keeps its place among the connections, ends with the
//! accept loop, and costs no task of its own.

use std::pin::Pin;
use std::sync::{Arc, PoisonError};

use tokio_util::sync::CancellationToken;

/// What a connection becomes.
pub type Then = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The slot. One for each connection, in the extensions of those requests that ask for an upgrade.
#[derive(Clone)]
pub struct UpgradeSlot(Arc<SlotState>);

struct SlotState {
    end: CancellationToken,
    #[expect(clippy::disallowed_types, reason = "extensions are shared, and no await lies inside")]
    then: std::sync::Mutex<Option<Then>>,
}

impl std::fmt::Debug for UpgradeSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Berth").finish_non_exhaustive()
    }
}

impl UpgradeSlot {
    /// Of a connection that is to end gently when `end` fires.
    #[expect(clippy::disallowed_types, reason = "see `Place`")]
    pub fn new(end: CancellationToken) -> Self {
        Self(Arc::new(SlotState { end, then: std::sync::Mutex::new(None) }))
    }

    /// Fires when the hub goes down.
    pub fn end(&self) -> CancellationToken {
        self.0.end.clone()
    }

    /// The connection becomes this.
    pub fn leave(&self, then: impl Future<Output = ()> + Send + 'static) {
        *self.0.then.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::pin(then));
    }

    /// What was left here.
    pub fn taken(&self) -> Option<Then> {
        self.0.then.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
