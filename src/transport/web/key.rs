//! `Idempotency-Key`: a repeat of a mutation within 24 h is answered as the first time.

use http::{HeaderMap, HeaderName};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::error::ApiError;
use super::who::Who;
use crate::actors::HubRef;
use crate::actors::common::Fault;
use crate::actors::journal::AppendError;
use crate::actors::task::IdempotencyKey;
use crate::journal::{Append, Idempotency, WriteError};

const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The longest key, in bytes.
const LIMIT: usize = 256;

/// The key that a request carries.
///
/// # Errors
/// `INVALID_ARGUMENTS` when it is empty, too long, or no text.
pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(given) = headers.get(HEADER) else { return Ok(None) };
    let key = given.to_str().ok().filter(|key| !key.is_empty() && key.len() <= LIMIT);
    let wrong = || {
        let message = format!("`Idempotency-Key` must have 1 to {LIMIT} ASCII characters");
        ApiError::new("INVALID_ARGUMENTS", message).detail("field", "Idempotency-Key")
    };
    key.map(|key| Some(key.to_owned())).ok_or_else(wrong)
}

impl Who {
    /// The same with a digest of what is asked: the same key for another request is refused.
    ///
    /// # Errors
    /// As [`idempotency_key`].
    pub fn key(&self, headers: &HeaderMap, asked: &[&str]) -> Result<Option<IdempotencyKey>, ApiError> {
        let Some(key) = idempotency_key(headers)? else { return Ok(None) };
        let mut hasher = Sha256::new();
        for part in asked {
            hasher.update(part.as_bytes());
            hasher.update([0]);
        }
        let digest = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Some(IdempotencyKey { principal: self.principal.id.clone(), key, digest }))
    }

    /// Takes the request's key for something that is no record of the journal, before it is done: so that what was cut
    /// off is at worst not done, and never done twice. `receipt` is what a repeat finds.
    ///
    /// Gives the first receipt when this is a repeat; none when nothing was done under the key, or there is none.
    ///
    /// # Errors
    /// As [`idempotency_key`]; `IDEMPOTENCY_KEY_REUSED`; `UNAVAILABLE` when the key could not be written down.
    pub async fn claim(
        &self,
        hub: &HubRef,
        headers: &HeaderMap,
        asked: &[&str],
        receipt: Value,
    ) -> Result<Option<Value>, ApiError> {
        let Some(IdempotencyKey { principal, key, digest }) = self.key(headers, asked)? else { return Ok(None) };
        let append = Append {
            request: Some(self.request.id.clone()),
            idempotency: Some(Idempotency { principal, key, digest, receipt }),
            ..Append::new(hub.clock.now(), self.by(), Vec::new())
        };
        match hub.journal.append(append).await {
            Ok(_) => Ok(None),
            Err(AppendError::Write(WriteError::Repeated { receipt })) => Ok(Some(receipt)),
            Err(AppendError::Write(WriteError::KeyReused)) => Err(crate::tools::blame::key_reused().into()),
            Err(
                fault @ (AppendError::Write(WriteError::Full | WriteError::Fault(_) | WriteError::Moved(_))
                | AppendError::Busy { .. }
                | AppendError::Ended),
            ) => Err(Fault::from(fault).into()),
        }
    }

    /// The receipt under the request's key; none when nothing was done under it, or there is none.
    ///
    /// # Errors
    /// As [`Who::claim`].
    pub async fn recalled(&self, hub: &HubRef, headers: &HeaderMap, asked: &[&str]) -> Result<Option<Value>, ApiError> {
        let Some(IdempotencyKey { principal, key, digest }) = self.key(headers, asked)? else { return Ok(None) };
        let now = hub.clock.now();
        match hub.journal.read(move |reader| reader.recall(now, &principal, &key)).await? {
            None => Ok(None),
            Some((first, receipt)) if first == digest => Ok(Some(receipt)),
            Some(_) => Err(crate::tools::blame::key_reused().into()),
        }
    }
}
