//! Limits of requests: 50 a second in all, and a bucket for each route and channel.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::time::Timestamp;

/// Requests in a second, interactions aside.
const GLOBAL: (u32, Duration) = (50, Duration::from_secs(1));
/// Messages into one channel.
const MESSAGES: (u32, Duration) = (5, Duration::from_secs(5));
/// Any other route.
const OTHERS: (u32, Duration) = (20, Duration::from_secs(1));

#[derive(Debug, Clone, Copy)]
struct Window {
    began: Timestamp,
    used: u32,
}

/// What a request may, and what its headers tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowance {
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    pub(crate) reset_after: Duration,
    /// The request was one too many.
    pub(crate) exceeded: bool,
    pub(crate) global: bool,
}

#[derive(Debug)]
pub(crate) struct Limits {
    usual: bool,
    windows: BTreeMap<String, Window>,
    /// Answers with 401, 403 or 429: 10,000 of them in ten minutes ban an address.
    pub(crate) invalid: u64,
}

impl Limits {
    pub(crate) const fn new(usual: bool) -> Self {
        Self { usual, windows: BTreeMap::new(), invalid: 0 }
    }

    /// Counts a request of `bucket`, or refuses it. Interactions do not count against the global limit.
    pub(crate) fn take(&mut self, bucket: &str, now: Timestamp) -> Allowance {
        let is_interaction = bucket.starts_with("POST /interactions") || bucket.contains(" /webhooks");
        if self.usual && !is_interaction {
            let global = self.count("global", GLOBAL, now);
            if global.exceeded {
                return Allowance { global: true, ..global };
            }
        }
        let posts = bucket.starts_with("POST /channels/") && bucket.ends_with("/messages");
        let usual = if posts { MESSAGES } else { OTHERS };
        self.count(bucket, if self.usual { usual } else { (100_000, Duration::from_secs(1)) }, now)
    }

    fn count(&mut self, key: &str, (limit, span): (u32, Duration), now: Timestamp) -> Allowance {
        let window = self.windows.entry(key.into()).or_insert(Window { began: now, used: 0 });
        if now.since(window.began) >= span {
            *window = Window { began: now, used: 0 };
        }
        let exceeded = window.used >= limit;
        window.used += u32::from(!exceeded);
        let reset_after = (window.began + span).since(now);
        Allowance { limit, remaining: limit - window.used, reset_after, exceeded, global: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sixth_message_within_five_seconds_is_refused_and_another_channel_is_not() {
        let mut limits = Limits::new(true);
        let now = Timestamp(1_000_000);
        for left in (0..5).rev() {
            assert_eq!(limits.take("POST /channels/1/messages", now).remaining, left);
        }
        let sixth = limits.take("POST /channels/1/messages", now + Duration::from_secs(4));
        assert!(sixth.exceeded);
        assert_eq!(sixth.reset_after, Duration::from_secs(1));
        assert!(!limits.take("POST /channels/2/messages", now).exceeded);
        assert!(!limits.take("POST /channels/1/messages", now + Duration::from_secs(5)).exceeded);
    }

    #[test]
    fn the_fifty_first_request_of_a_second_is_refused_for_all_routes() {
        let mut limits = Limits::new(true);
        for route in 0..50 {
            assert!(!limits.take(&format!("GET /channels/{route}"), Timestamp(5_000)).exceeded);
        }
        let next = limits.take("GET /users/@me", Timestamp(5_500));
        assert!(next.exceeded && next.global);
        assert!(!limits.take("POST /interactions/1/callback", Timestamp(5_500)).exceeded);
    }
}
