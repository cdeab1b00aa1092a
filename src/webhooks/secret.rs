//! The signing secret of a subscription, and what it signs, by Standard Webhooks
//! (<https://www.standardwebhooks.com>, symmetric signatures, version 1).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretSlice};
use sha2::Sha256;
use thiserror::Error;

use crate::journal::vault::{SECRETS, Vault};

const PREFIX: &str = "whsec_";
/// How many bytes it has: what the specification allows.
const BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// The name of a secret in the vault.
pub(super) fn kept_as(file: &str) -> String {
    format!("{SECRETS}{file}")
}

/// Removes a secret that nothing names any more. One that stays is removed at the next start.
pub fn remove_secret(vault: &dyn Vault, file: &str) {
    vault.remove(&kept_as(file));
}

/// A secret that is shared with the receiver. Shown by nothing.
#[derive(Debug, Clone)]
pub struct SigningSecret(SecretSlice<u8>);

/// Why a text is no signing secret. Says nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be `whsec_` and 24 to 64 bytes in base64; make one: echo whsec_$(openssl rand -base64 32)")]
pub struct NoSecret;

impl SigningSecret {
    /// Reads `whsec_…`, with white space around it. Fails when it is none.
    pub fn parse(text: &str) -> Result<Self, NoSecret> {
        let bytes = text.trim().strip_prefix(PREFIX).and_then(|text| STANDARD.decode(text).ok()).ok_or(NoSecret)?;
        if BYTES.contains(&bytes.len()) { Ok(Self(SecretSlice::from(bytes))) } else { Err(NoSecret) }
    }

    /// The header `webhook-signature` of a message with this id, sent at this second.
    pub(super) fn sign(&self, id: &str, seconds: u64, body: &str) -> String {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.expose_secret()).expect("a key of any length");
        mac.update(format!("{id}.{seconds}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }

    pub(super) fn key(&self) -> &[u8] {
        self.0.expose_secret()
    }
}
