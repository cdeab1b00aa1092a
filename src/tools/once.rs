//! Once under a key, for verbs whose effect is no record: what they answered is kept under the caller's key, and a
//! repeat within 24 hours is answered with it.
//!
//! The key is kept after the deed. A crash between the two lets a repeat do it again, which is as bad as two lines of
//! output; where more hangs on it, the deed's own append brings the key.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::blame;
use super::refusal::Refusal;
use super::verb::Call;
use crate::actors::HubRef;
use crate::actors::journal::AppendError;
use crate::actors::task::IdempotencyKey;
use crate::domain::principal::By;
use crate::journal::{Append, Idempotency, WriteError};

impl Call {
    /// Does it, unless it was done under this call's key.
    ///
    /// # Errors
    /// What `act` says, `IDEMPOTENCY_KEY_REUSED`, or when the key cannot be kept.
    pub(super) async fn once<O: Serialize + DeserializeOwned>(
        &self,
        act: impl Future<Output = Result<O, Refusal>>,
    ) -> Result<O, Refusal> {
        once(&self.hub, self.caller.by(), Some(self.caller.request.clone()), self.key.clone(), act).await
    }
}

/// The same for a caller that is known otherwise.
///
/// # Errors
/// As [`Call::once`].
pub(super) async fn once<O: Serialize + DeserializeOwned>(
    hub: &HubRef,
    by: By,
    request: Option<String>,
    key: Option<IdempotencyKey>,
    act: impl Future<Output = Result<O, Refusal>>,
) -> Result<O, Refusal> {
    let Some(IdempotencyKey { principal, key, digest }) = key else { return act.await };
    let (now, whose, name) = (hub.clock.now(), principal.clone(), key.clone());
    let known = hub.journal.read(move |reader| reader.recall(now, &whose, &name)).await;
    if let Some((asked, first)) = known.map_err(|error| blame::read(&error))? {
        return if asked == digest { parsed(first) } else { Err(blame::key_reused()) };
    }
    let done = act.await?;
    let receipt = serde_json::to_value(&done).unwrap_or_default();
    let idempotency = Some(Idempotency { principal, key, digest, receipt });
    let append = Append { request, idempotency, ..Append::new(now, by, Vec::new()) };
    match hub.journal.append(append).await {
        Ok(_) => Ok(done),
        Err(AppendError::Write(WriteError::Repeated { receipt })) => parsed(receipt),
        Err(AppendError::Write(WriteError::KeyReused)) => Err(blame::key_reused()),
        Err(error) => Err(blame::fault(error.into())),
    }
}

fn parsed<O: DeserializeOwned>(receipt: serde_json::Value) -> Result<O, Refusal> {
    serde_json::from_value(receipt).map_err(|_| blame::key_reused())
}
