//! `Idempotency-Key`: a repeat of a mutation within 24 h is answered as the first time.

use http::{HeaderMap, HeaderName};

use super::error::{ApiError, ApiResult};

const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The longest key, in bytes.
const LIMIT: usize = 256;

/// The key that a request carries. Fails with `INVALID_ARGUMENTS` when it is empty, too long, or no text.
pub fn idempotency_key(headers: &HeaderMap) -> ApiResult<Option<String>> {
    let Some(given) = headers.get(HEADER) else { return Ok(None) };
    let key = given.to_str().ok().filter(|key| !key.is_empty() && key.len() <= LIMIT);
    let wrong = || {
        let message = format!("`Idempotency-Key` must have 1 to {LIMIT} ASCII characters");
        ApiError::new("INVALID_ARGUMENTS", message).detail("field", "Idempotency-Key")
    };
    key.map(|key| Some(key.to_owned())).ok_or_else(wrong)
}
