//! A subscription to events that was made while the hub ran, as it is kept.
//!
//! ```text
//!   (none) ── added ──► VERSION 0 ── changed ──► VERSION n+1 ──┐
//!                          │            ▲──────────────────────┘
//!                          └──────────── removed ──► (none; what waits for it is dropped)
//! ```
//!
//! *Generations.* A name may be used again after its subscription was removed. Each subscription has a generation of
//! its own, which is part of the name of its destination in the outbox: what waits for a removed one goes to no other.
//!
//! *Versions.* Each change raises the version. The record of a change names generation and version, and the
//! destination turns to what it says with exactly that record: what was written before goes by the old settings, what
//! is written after it by the new ones.
//!
//! *Its secret* is in a file of the data directory; here is the file's name alone. After a change of it what goes out
//! is signed with the one before, too, for [`BOTH_FOR`]: the receiver verifies by either until it has the new one.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ids::PrincipalId;
use super::time::Timestamp;

/// For how long a secret that was changed signs beside the new one.
pub const BOTH_FOR: Duration = Duration::from_hours(24);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousSecret {
    pub file: String,
    pub until: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webhook {
    /// Its name: 1 to 40 of a to z, 0 to 9 and `-`. One at a time has it.
    pub name: String,
    /// The number of the last record that was written before it was added.
    pub generation: u64,
    pub version: u32,
    /// Where events are posted; its path and its query may hold a secret of the receiver's.
    pub url: String,
    /// The types and families of types of events that it wants; none means all.
    pub events: Vec<String>,
    pub allow_private: bool,
    /// The name of the file with its signing secret, in the folder of such files.
    pub secret_file: String,
    /// The secret before that one, for as long as it signs as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_secret: Option<PreviousSecret>,
    /// Whether it is a browser that hears by Web Push; then the file of its secret holds the keys of the device.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub push: bool,
    /// Whether that browser shows the words of what it hears of. Off, it shows what happened, and where.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub push_text: bool,
    pub added_by: PrincipalId,
    pub added_at: Timestamp,
    /// When it was changed last; when it was added, where it never was.
    pub changed_at: Timestamp,
}

impl Webhook {
    /// The name under which the outbox knows it. No webhook of `hub.yaml` has one like it: its names have no full stop.
    pub fn destination(&self) -> String {
        format!("webhook.{}.{}", self.name, self.generation)
    }

    pub fn secret_files(&self) -> impl Iterator<Item = &str> {
        let previous = self.previous_secret.as_ref().map(|previous| previous.file.as_str());
        [self.secret_file.as_str()].into_iter().chain(previous)
    }
}

/// The name in the destination of a webhook that was added while a hub ran; none for any other destination.
pub fn added_name(destination: &str) -> Option<&str> {
    let (name, generation) = destination.strip_prefix("webhook.")?.split_once('.')?;
    generation.parse::<u64>().ok().map(|_| name)
}

/// Whether a subscription to these types and families of types wants events of this type; none means all.
pub fn wants(events: &[String], kind: &str) -> bool {
    let family = kind.split_once('.').map_or(kind, |(family, _)| family);
    events.is_empty() || events.iter().any(|name| name == kind || name == family)
}

/// A URL as far as everybody may see it: host and first segment of the path. Receivers have secrets behind that.
pub fn shown_url(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
    let (place, query) = rest.split_once('?').map_or((rest, ""), |(place, _)| (place, "?…"));
    let mut parts = place.splitn(3, '/');
    let (host, first, more) = (parts.next().unwrap_or_default(), parts.next(), parts.next().unwrap_or_default());
    let first = first.map(|first| format!("/{first}")).unwrap_or_default();
    let more = if more.is_empty() { query } else { "/…" };
    let scheme = if scheme.is_empty() { String::new() } else { format!("{scheme}://") };
    format!("{scheme}{host}{first}{more}")
}

#[cfg(test)]
mod tests;
