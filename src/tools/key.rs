//! Idempotency keys: what is asked, as a digest, and what was answered under a key before.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::caller::Caller;
use super::refusal::{Refusal, Result};
use super::refuse;
use crate::actors::HubRef;
use crate::actors::common::Fault;
use crate::actors::journal::{AppendError, RecallError};
use crate::journal::{Append, IdempotencyKey, ReadError, WriteError};

/// What a key was used for in 24 hours: the same request, with its answer, or another one (`IDEMPOTENCY_KEY_REUSED`).
/// None without a key. Fails as `unread` does, when the journal cannot be read.
pub(super) async fn used(
    hub: &HubRef,
    key: Option<&IdempotencyKey>,
    unread: fn(&ReadError) -> Refusal,
) -> Result<Option<Result<Value>>> {
    match hub.journal.recall(hub.clock.now(), key).await {
        Ok(first) => Ok(first.map(Ok)),
        Err(RecallError::KeyReused) => Ok(Some(Err(refuse::key_reused()))),
        Err(RecallError::Read(error)) => Err(unread(&error)),
    }
}

/// Keeps a key with the answer to its request, for what is no record of the journal; gives the first answer if it was
/// kept before. Fails with `IDEMPOTENCY_KEY_REUSED`, or as `failed` says, when the journal cannot be written.
pub(super) async fn keep(
    hub: &HubRef,
    caller: &Caller,
    key: IdempotencyKey,
    receipt: Value,
    failed: fn(Fault) -> Refusal,
) -> Result<Option<Value>> {
    let idempotency = Some(key.keeps(receipt));
    let request = Some(caller.request.clone());
    let append = Append { request, idempotency, ..Append::new(hub.clock.now(), caller.by(), Vec::new()) };
    match hub.journal.append(append).await {
        Ok(_) => Ok(None),
        Err(AppendError::Write(WriteError::Repeated { receipt })) => Ok(Some(receipt)),
        Err(AppendError::Write(WriteError::KeyReused)) => Err(refuse::key_reused()),
        Err(error) => Err(failed(error.into())),
    }
}

/// The digest of what is asked. Digests are on disk: they are made of the same bytes in each release.
pub(super) fn digest(parts: impl IntoIterator<Item: AsRef<[u8]>>) -> String {
    let mut hasher = Sha256::new();
    parts.into_iter().for_each(|part| hasher.update(part));
    hex(&hasher.finalize())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
