//! Once under a key, for verbs whose effect is no record: a repeat within 24 hours gets the same answer.
//!
//! The key is kept after the deed, so after a crash between the two a repeat does it again, which is as bad as two
//! lines of output; where more hangs on it, the deed's own append brings the key.

use serde::de::DeserializeOwned;

use super::caller::Caller;
use super::key::{keep, used};
use super::prelude::*;
use crate::journal::IdempotencyKey;

impl Call {
    /// Does it, unless it was done under this call's key. Fails as `act` does, and with `IDEMPOTENCY_KEY_REUSED`.
    pub(super) async fn once<O: Serialize + DeserializeOwned>(
        &self,
        act: impl Future<Output = Result<O>>,
    ) -> Result<O> {
        once(&self.hub, &self.caller, self.key.clone(), act).await
    }
}

/// The same under this key of this caller. Fails as [`Call::once`] does.
pub(super) async fn once<O: Serialize + DeserializeOwned>(
    hub: &HubRef,
    caller: &Caller,
    key: Option<IdempotencyKey>,
    act: impl Future<Output = Result<O>>,
) -> Result<O> {
    let parsed = |receipt: Value| serde_json::from_value(receipt).map_err(|_| refuse::key_reused());
    if let Some(first) = used(hub, key.as_ref(), refuse::read).await?.transpose()? {
        return parsed(first);
    }
    let done = act.await?;
    let Some(key) = key else { return Ok(done) };
    let receipt = serde_json::to_value(&done).unwrap_or_default();
    match keep(hub, caller, key, receipt, refuse::fault).await? {
        None => Ok(done),
        Some(first) => parsed(first),
    }
}
