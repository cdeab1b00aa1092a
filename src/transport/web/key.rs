//! `Idempotency-Key`: a repeat of a mutation within 24 h is answered as the first time.

use http::{HeaderMap, HeaderName};
use sha2::{Digest as _, Sha256};

use super::error::ApiError;
use super::who::Who;
use crate::actors::task::IdempotencyKey;

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
}
