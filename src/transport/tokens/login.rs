//! One-time codes for the page: made for who has a token, and traded once for a session of its own.
//!
//! ```text
//!   made ──► traded        once, within a minute
//!     ├────► expired       a minute later
//!     └────► forgotten     the hub restarted, or 100 newer ones were made
//! ```
//!
//! Only digests of codes are kept, in memory. Wrong codes are counted, all callers together; a right code passes in
//! any case, so nobody locks a person out by guessing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use super::table::Credential;
use crate::domain::principal::Scope;
use crate::domain::time::Timestamp;

pub(super) const CODE_LASTS: Duration = Duration::from_secs(60);
/// The most codes that wait; one more forgets the oldest.
const MOST_CODES: usize = 100;
/// The most wrong codes of one minute that are told so.
const MOST_WRONG: u32 = 30;
/// The minute in which wrong codes are counted.
const WINDOW: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeRefusal {
    /// It was never made, was used, or has expired: nobody is told which.
    Invalid,
    /// Too many wrong ones were tried; again after so many seconds.
    TooMany(u32),
}

/// What a code stands for.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    /// With whose token it was made.
    pub(super) maker: Credential,
    pub(super) scope: Scope,
    expires_at: Timestamp,
}

#[derive(Debug, Clone, Default)]
pub(super) struct LoginCodes(Arc<watch::Sender<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    codes: BTreeMap<[u8; 32], Pending>,
    /// Since when wrong codes are counted, and how many there were.
    wrong: Option<(Timestamp, u32)>,
}

impl LoginCodes {
    /// Keeps a code until it is traded; the moment from which on it is worth nothing.
    pub(super) fn keep(&self, code: &str, maker: Credential, scope: Scope, now: Timestamp) -> Timestamp {
        let expires_at = now + CODE_LASTS;
        self.0.send_modify(|waiting| {
            waiting.codes.retain(|_, pending| pending.expires_at > now);
            while waiting.codes.len() >= MOST_CODES {
                let oldest = waiting.codes.iter().min_by_key(|(_, pending)| pending.expires_at);
                let Some(oldest) = oldest.map(|(digest, _)| *digest) else { break };
                waiting.codes.remove(&oldest);
            }
            waiting.codes.insert(digest(code), Pending { maker, scope, expires_at });
        });
        expires_at
    }

    /// Takes a code out: nobody trades it a second time.
    pub(super) fn take(&self, code: &str, now: Timestamp) -> Result<Pending, CodeRefusal> {
        let mut taken = Err(CodeRefusal::Invalid);
        self.0.send_modify(|waiting| {
            let pending = waiting.codes.remove(&digest(code)).filter(|pending| pending.expires_at > now);
            taken = pending.ok_or_else(|| waiting.count_wrong(now));
        });
        taken
    }
}

impl Waiting {
    fn count_wrong(&mut self, now: Timestamp) -> CodeRefusal {
        let (since, count) = match self.wrong {
            Some((since, count)) if now.since(since) < WINDOW => (since, count.saturating_add(1)),
            Some(_) | None => (now, 1),
        };
        self.wrong = Some((since, count));
        if count <= MOST_WRONG {
            return CodeRefusal::Invalid;
        }
        let left = (since + WINDOW).since(now).as_secs();
        CodeRefusal::TooMany(u32::try_from(left).unwrap_or(u32::MAX).saturating_add(1))
    }
}

fn digest(code: &str) -> [u8; 32] {
    Sha256::digest(code.as_bytes()).into()
}
