//! A value of the settings as people are shown it, with where it came from.

use serde::Serialize;

/// One line of `config show`, and of `GET /admin/settings`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownSetting {
    /// `leases.ttl`.
    pub path: String,
    /// `30m`.
    pub value: String,
    /// `defaults`, `hub.yaml:12:9`, `CALLBOARD_LEASES_TTL`, `--listen`.
    pub origin: String,
}
