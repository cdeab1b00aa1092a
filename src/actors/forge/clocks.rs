//! How far the clocks of forges are from this machine's: a comment bears the forge's own time, and the header `Date` of
//! each answer tells what time it is there, to the second.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use http::header::{DATE, HeaderMap};
use tokio::sync::watch;

use crate::domain::time::Timestamp;

/// Clocks that differ by less are the same: the header tells whole seconds, and answers take their time.
const SAME: Duration = Duration::from_secs(2);
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How far the clocks of forges are from this machine's, in milliseconds by host, as their last answers told. Cheap to
/// clone; clones share it. Not persisted: the next answer tells it again.
#[derive(Debug, Clone)]
pub struct ForgeClocks(Arc<watch::Sender<BTreeMap<String, i64>>>);

impl Default for ForgeClocks {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(BTreeMap::new())))
    }
}

impl ForgeClocks {
    /// A time of this host, by this machine's clock. Where nothing is known of the host's clock, it is taken as it is.
    pub fn ours(&self, host: &str, at: Timestamp) -> Timestamp {
        let ahead = self.0.borrow().get(site(host)).copied().unwrap_or_default();
        Timestamp(at.0.saturating_add_signed(ahead.saturating_neg()))
    }

    /// This is what an answer of that host, which came now, says of its clock.
    pub fn hear(&self, host: &str, headers: &HeaderMap, now: Timestamp) {
        let Some(there) = headers.get(DATE).and_then(|date| date.to_str().ok()).and_then(read_date) else { return };
        let apart = there.since(now).max(now.since(there));
        let millis = i64::try_from(apart.as_millis()).unwrap_or(i64::MAX);
        let ahead = if apart < SAME { 0 } else { millis * if there > now { 1 } else { -1 } };
        self.0.send_if_modified(|known| known.insert(site(host).to_owned(), ahead) != Some(ahead));
    }
}

/// Interfaces have a host of their own where pages have none: `api.github.com` and `github.com` are one clock.
fn site(host: &str) -> &str {
    let host = host.split(':').next().unwrap_or(host);
    host.strip_prefix("api.").unwrap_or(host)
}

/// The date of a header, as `Fri, 27 Nov 2026 17:20:38 GMT`: the middle of its second.
fn read_date(text: &str) -> Option<Timestamp> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = parts.as_slice() else { return None };
    let month = MONTHS.iter().position(|known| known == month)? + 1;
    Timestamp::parse(&format!("{year}-{month:02}-{day:0>2}T{time}.500Z"))
}

#[cfg(test)]
mod tests;
