//! Whether a call is signed by who knows the secret: in constant time, over the body as it came.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use sha2::Sha256;
use thiserror::Error;

use crate::domain::time::Timestamp;
use crate::settings::WebhookScheme;

/// How far the time of a call may be from the hub's own, both ways: what Standard Webhooks recommends.
const WINDOW: Duration = Duration::from_mins(5);
/// How many signatures of one call are looked at: a sender that changes its secret sends two.
const SIGNATURES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unsigned {
    #[error("the call is not signed: it needs the header `{0}`")]
    Missing(&'static str),
    #[error("the signature is not that of this body under the secret of this source")]
    Wrong,
    /// It is signed, and was so too long ago, or is ahead of the time.
    #[error("the call was signed more than 5 minutes from now, by the hub's clock")]
    TooOld,
}

/// The headers of a scheme: those of the signature, and what they say before its bytes.
const GITHUB: &[(&str, &str)] = &[("x-hub-signature-256", "sha256=")];
const GITEA: &[(&str, &str)] = &[("x-forgejo-signature", ""), ("x-gitea-signature", "")];
const TIMESTAMP: &str = "webhook-timestamp";
const SIGNATURE: &str = "webhook-signature";
/// The id of a delivery by Standard Webhooks: it is signed, too.
pub(super) const ID: &str = "webhook-id";

/// A signature that is checked while the body comes: the body is not kept for it.
#[derive(Debug)]
pub(super) struct Verification {
    mac: Hmac<Sha256>,
    given: Vec<Vec<u8>>,
    /// When it was signed, where that is signed, too.
    sent: Option<String>,
}

impl Verification {
    /// Begins with what the headers say. Fails when there is no signature, or none that could be right.
    #[expect(clippy::expect_used, clippy::unwrap_in_result, reason = "HMAC takes keys of every length")]
    pub(super) fn begin(scheme: WebhookScheme, key: &[u8], headers: &HeaderMap) -> Result<Self, Unsigned> {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
        let (given, sent) = match scheme {
            WebhookScheme::Github => (by_header(GITHUB, headers)?, None),
            WebhookScheme::Gitea => (by_header(GITEA, headers)?, None),
            WebhookScheme::Standard => {
                let header = |name: &'static str| text(headers, name).ok_or(Unsigned::Missing(name));
                let (signatures, id, sent) = (header(SIGNATURE)?, header(ID)?, header(TIMESTAMP)?);
                mac.update(format!("{id}.{sent}.").as_bytes());
                let given = signatures.split(' ').filter_map(|one| STANDARD.decode(one.strip_prefix("v1,")?).ok());
                (given.take(SIGNATURES).collect(), Some(sent.to_owned()))
            }
        };
        if given.is_empty() { Err(Unsigned::Wrong) } else { Ok(Self { mac, given, sent }) }
    }

    pub(super) fn feed(&mut self, part: &[u8]) {
        self.mac.update(part);
    }

    /// In constant time, by any of the signatures. Fails when none is right, or when it was signed at another time.
    pub(super) fn end(self, now: Timestamp) -> Result<(), Unsigned> {
        if !self.given.iter().any(|given| self.mac.clone().verify_slice(given).is_ok()) {
            return Err(Unsigned::Wrong);
        }
        // Its time counts only once it is known to be its own.
        let Some(sent) = self.sent else { return Ok(()) };
        let millis = sent.parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1_000)).ok_or(Unsigned::TooOld)?;
        let sent = Timestamp(millis);
        if now.since(sent).max(sent.since(now)) <= WINDOW { Ok(()) } else { Err(Unsigned::TooOld) }
    }
}

pub(super) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// One signature, in hexadecimal: the first header that is there counts.
fn by_header(names: &[(&'static str, &str)], headers: &HeaderMap) -> Result<Vec<Vec<u8>>, Unsigned> {
    let given = names.iter().find_map(|(name, start)| Some((text(headers, name)?, *start)));
    let Some((given, start)) = given else {
        return Err(Unsigned::Missing(names.first().map_or(SIGNATURE, |(name, _)| name)));
    };
    Ok(given.strip_prefix(start).and_then(from_hex).into_iter().collect())
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pairs = digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    pairs.collect()
}
