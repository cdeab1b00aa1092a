//! How often a request was denied, and why: counted where it is decided, read where it is shown.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The codes that are denials: who it is, what they may, from where they come, how often.
const CODES: [&str; 9] = [
    "FORBIDDEN", "INSUFFICIENT_SCOPE", "LOGIN_CODE_INVALID", "NOT_PERMITTED", "RATE_LIMITED", "SIGNATURE_INVALID",
    "SIGNATURE_MISSING", "SIGNATURE_TOO_OLD", "UNAUTHENTICATED",
];

/// Denials since the start, by code. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct Denials(Arc<[AtomicU64; CODES.len()]>);

impl Denials {
    /// Counts an answer under this code, and says whether it is a denial.
    pub fn count(&self, code: &str) -> bool {
        let place = CODES.iter().position(|known| *known == code).and_then(|place| self.0.get(place));
        place.is_some_and(|count| {
            count.fetch_add(1, Ordering::Relaxed);
            true
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        CODES.into_iter().zip(self.0.iter().map(|count| count.load(Ordering::Relaxed)))
    }
}
