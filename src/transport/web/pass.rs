//! What keeps checking a WebSocket after its upgrade: it ends with its credential, and its messages are rate-limited.

use std::sync::Arc;

use futures_util::future::BoxFuture;

pub trait CredentialWatch: Send + Sync {
    fn ended(&self) -> BoxFuture<'static, ()>;

    /// They ask once more. The error says after how many seconds to come again: they ask too often.
    fn asks(&self) -> Result<(), u32>;
}

/// The same, put by the guard into each request that may become a socket.
#[derive(Clone)]
pub struct Pass(Arc<dyn CredentialWatch>);

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pass").finish_non_exhaustive()
    }
}

impl Pass {
    pub fn new(standing: impl CredentialWatch + 'static) -> Self {
        Self(Arc::new(standing))
    }

    pub fn ended(&self) -> BoxFuture<'static, ()> {
        self.0.ended()
    }

    /// Counts one message. The error says after how many seconds to come again.
    ///
    pub fn asks(&self) -> Result<(), u32> {
        self.0.asks()
    }
}
