//! What the guard reads of a request's headers.

use http::HeaderMap;

use crate::domain::principal::Surface;

pub(super) fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Where a person acts, as their program says; it is shown, and nothing depends on it.
pub(super) fn surface(headers: &HeaderMap) -> Surface {
    match headers.get("callboard-surface").and_then(|value| value.to_str().ok()) {
        Some("cli") => Surface::Cli,
        Some("page") => Surface::Page,
        Some(_) | None => Surface::Api,
    }
}
