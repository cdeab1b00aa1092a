//! What a journal is found to break.

use serde::Serialize;

pub(super) const GAPLESS: &str = "E1 gapless";
pub(super) const REPLAY: &str = "J1 replay-equals-life";

/// A promise that a journal breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The promise, as `domain::invariants` calls it: `T1 one-holder`; or `file`, for what SQLite itself finds.
    pub promise: &'static str,
    /// What it is about: `record 17`, `task:…`.
    pub subject: String,
    pub sentence: String,
}
