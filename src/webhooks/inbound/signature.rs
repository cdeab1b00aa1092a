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

/// Why a call is not taken as its source's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unsigned {
    /// It has no signature.
    #[error("the call is not signed: it needs the header `{0}`")]
    Missing(&'static str),
    /// Its signature is another one.
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

/// Passes what is signed.
///
/// # Errors
/// Why it is not.
pub(super) fn verify(
    scheme: WebhookScheme,
    key: &[u8],
    headers: &HeaderMap,
    body: &[u8],
    now: Timestamp,
) -> Result<(), Unsigned> {
    match scheme {
        WebhookScheme::Github => by_header(GITHUB, key, headers, body),
        WebhookScheme::Gitea => by_header(GITEA, key, headers, body),
        WebhookScheme::Standard => standard(key, headers, body, now),
    }
}

/// The value of a header, where it is text.
pub(super) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// One signature, in hexadecimal: the first header that is there counts.
fn by_header(names: &[(&'static str, &str)], key: &[u8], headers: &HeaderMap, body: &[u8]) -> Result<(), Unsigned> {
    let given = names.iter().find_map(|(name, start)| Some((text(headers, name)?, *start)));
    let Some((given, start)) = given else {
        return Err(Unsigned::Missing(names.first().map_or(SIGNATURE, |(name, _)| name)));
    };
    let signature = given.strip_prefix(start).and_then(from_hex).ok_or(Unsigned::Wrong)?;
    if is_of(key, &[body], &signature) { Ok(()) } else { Err(Unsigned::Wrong) }
}

/// Any of several signatures over id, time and body, and a time that is near.
fn standard(key: &[u8], headers: &HeaderMap, body: &[u8], now: Timestamp) -> Result<(), Unsigned> {
    let header = |name: &'static str| text(headers, name).ok_or(Unsigned::Missing(name));
    let (signatures, id, sent) = (header(SIGNATURE)?, header(ID)?, header(TIMESTAMP)?);
    let parts = [id.as_bytes(), b".", sent.as_bytes(), b".", body];
    let given = signatures.split(' ').filter_map(|one| STANDARD.decode(one.strip_prefix("v1,")?).ok());
    if !given.take(SIGNATURES).any(|signature| is_of(key, &parts, &signature)) {
        return Err(Unsigned::Wrong);
    }
    // Its time counts only once it is known to be its own.
    let millis = sent.parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1_000)).ok_or(Unsigned::TooOld)?;
    let sent = Timestamp(millis);
    if now.since(sent).max(sent.since(now)) <= WINDOW { Ok(()) } else { Err(Unsigned::TooOld) }
}

fn is_of(key: &[u8], parts: &[&[u8]], signature: &[u8]) -> bool {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    parts.iter().for_each(|part| mac.update(part));
    mac.verify_slice(signature).is_ok()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pairs = digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    pairs.collect()
}
