//! The tokens that are known, as they stand in memory and in the file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use tokio::sync::Notify;

use super::format::TokenKind;
use crate::actors::on_call::RunGuard;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{Principal, PrincipalKind, Scope};
use crate::domain::time::Timestamp;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Table {
    pub(super) version: u32,
    pub(super) pepper: String,
    pub(super) tokens: BTreeMap<String, TokenEntry>,
}

/// One token, without its secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenEntry {
    pub(super) kind: TokenKind,
    pub(super) principal: PrincipalId,
    pub(super) acts_as: PrincipalKind,
    pub(super) display_name: String,
    pub(super) scopes: BTreeSet<Scope>,
    pub(super) created_at: Timestamp,
    pub(super) expires_at: Option<Timestamp>,
    /// One, or two while a rotation overlaps.
    pub(super) secrets: Vec<KeptSecret>,
    /// The public id of the token that it was opened with, where it is a session of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) opened_by: Option<String>,
    /// When it was last used, to the minute; in milliseconds, 0: never.
    #[serde(with = "used")]
    pub(super) last_used: Arc<AtomicU64>,
    /// Rings when the token is revoked, or its secret changes: whatever it holds open looks again how long it is good.
    #[serde(skip)]
    pub(super) changed: Arc<Notify>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeptSecret {
    /// HMAC-SHA-256 under the pepper, in hexadecimal.
    pub(super) hmac: String,
    /// When it stops being accepted: the overlap of a rotation.
    pub(super) until: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub struct Credential {
    pub principal: Principal,
    /// Names the token and the secret that were shown: [`super::TokenStore::end_of`] waits for the end of both.
    pub(super) id: String,
    pub(super) hmac: String,
    pub(super) changed: Arc<Notify>,
    session: bool,
    /// The run that it is, which is all that makes it good.
    pub(super) run: Option<RunGuard>,
}

impl Credential {
    /// Of a run on call.
    pub(super) fn of_run(principal: Principal, id: String, run: RunGuard) -> Self {
        let changed = Arc::new(Notify::new());
        Self { principal, id, hmac: String::new(), changed, session: false, run: Some(run) }
    }

    pub fn token_id(&self) -> &str {
        &self.id
    }

    /// Whether it is a session of the page.
    pub const fn is_session(&self) -> bool {
        self.session
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Good {
    Always,
    Until(Timestamp),
    NoMore,
}

#[cfg(test)]
thread_local! {
    /// How many keyed digests this thread made: no answer shows that.
    pub(super) static DIGESTS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

impl Table {
    pub(super) const VERSION: u32 = 1;

    pub(super) fn hmac(&self, secret: &str) -> String {
        // HMAC takes a key of any length, so this cannot fail; an empty code equals none that is kept.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.pepper.as_bytes()) else { return String::new() };
        mac.update(secret.as_bytes());
        #[cfg(test)]
        DIGESTS.with(|made| made.set(made.get() + 1));
        hexadecimal(&mac.finalize().into_bytes())
    }

    pub(super) fn kept(&self, secret: &str) -> KeptSecret {
        KeptSecret { hmac: self.hmac(secret), until: None }
    }

    /// Whose token this is. Every way of being wrong costs the same and looks the same.
    pub(super) fn find(&self, id: &str, kind: TokenKind, secret: &str, now: Timestamp) -> Option<Credential> {
        let given = self.hmac(secret);
        let known = self.tokens.get(id);
        let expected = known.map_or(&[][..], |known| known.secrets.as_slice());
        let fits = expected.iter().any(|kept| {
            let same: bool = kept.hmac.as_bytes().ct_eq(given.as_bytes()).into();
            same && kept.until.is_none_or(|until| now < until)
        });
        let known = known.filter(|known| fits && known.kind == kind)?;
        if known.expires_at.is_some_and(|at| at <= now) {
            return None;
        }
        known.last_used.store(now.0 - now.0 % 60_000, Ordering::Relaxed);
        let (principal, changed) = (known.principal(), Arc::clone(&known.changed));
        let session = known.opened_by.is_some();
        Some(Credential { principal, id: id.to_owned(), hmac: given, changed, session, run: None })
    }

    /// The public ids of the sessions that were opened with this token, or with one of these sessions.
    pub(super) fn sessions_of(&self, id: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut openers = vec![id.to_owned()];
        while let Some(opener) = openers.pop() {
            let opened = self.tokens.iter().filter(|(_, known)| known.opened_by.as_ref() == Some(&opener));
            let opened: Vec<String> = opened.map(|(id, _)| id.clone()).collect();
            openers.extend(opened.iter().cloned());
            found.extend(opened);
        }
        found
    }

    /// How long the secret of this HMAC is good for this token.
    pub(super) fn good(&self, id: &str, hmac: &str) -> Good {
        let known = self.tokens.get(id);
        let Some((known, kept)) = known.and_then(|known| Some((known, known.secrets.iter().find(|s| s.hmac == hmac)?)))
        else {
            return Good::NoMore;
        };
        let ends = [known.expires_at, kept.until].into_iter().flatten().min();
        ends.map_or(Good::Always, Good::Until)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |number: u8| char::from(DIGITS[usize::from(number & 15)]);
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(*byte));
    }
    text
}

impl TokenEntry {
    pub(super) fn principal(&self) -> Principal {
        Principal {
            id: self.principal.clone(),
            display_name: self.display_name.clone(),
            kind: self.acts_as.clone(),
            scopes: self.scopes.clone(),
        }
    }

    /// Makes of a copy of a token a session that was opened with it: for that time, with that secret and scope alone.
    pub(super) fn becomes_session(
        &mut self,
        secret: KeptSecret,
        opener: &str,
        scope: Scope,
        now: Timestamp,
        expires_at: Timestamp,
    ) {
        self.kind = TokenKind::Service;
        self.scopes = BTreeSet::from([scope]);
        self.created_at = now;
        self.expires_at = Some(expires_at);
        self.secrets = vec![secret];
        self.opened_by = Some(opener.to_owned());
        self.last_used = Arc::new(AtomicU64::new(0));
        self.changed = Arc::new(Notify::new());
    }

    pub(super) fn last_used(&self) -> Option<Timestamp> {
        match self.last_used.load(Ordering::Relaxed) {
            0 => None,
            at => Some(Timestamp(at)),
        }
    }
}

mod used {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(at: &Arc<AtomicU64>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(at.load(Ordering::Relaxed))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<AtomicU64>, D::Error> {
        Ok(Arc::new(AtomicU64::new(u64::deserialize(deserializer)?)))
    }
}
