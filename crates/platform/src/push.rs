//! Web Push as far as it is computed: what a push service and a browser check of each message.
//!
//! ```text
//!   text ─► [seal]: key agreement with the device, one encrypted record (RFC 8291, RFC 8188) ─► body of the POST
//!   URL  ─► [vapid]: a token for the origin of the push service, signed ES256 (RFC 8292)     ─► `Authorization`
//! ```
//!
//! Each message has a key pair and a salt of its own, so two messages with the same text differ. The push service
//! reads neither the text nor its key; it sees the length, the time and the address.
//!
//! *Deliberately absent:* the older `aesgcm` encoding, and padding beyond the one byte that the format demands.

mod seal;
mod vapid;

#[cfg(test)]
mod tests;

use ring::error::Unspecified;
use thiserror::Error;

pub use seal::{DeviceKeys, LONGEST_TEXT, seal};
pub use vapid::VapidKey;

/// Why nothing was sealed or signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PushError {
    #[error("`p256dh` is no public key of P-256 in base64url")]
    DeviceKey,
    #[error("`auth` is not 16 bytes in base64url")]
    DeviceSecret,
    #[error("the text has more than {LONGEST_TEXT} bytes")]
    TooLong,
    #[error("the key is no PKCS#8 key of P-256")]
    HubKey,
    /// The machine gave no randomness, or the library refused.
    #[error("the cryptography failed")]
    Failed,
}

impl From<Unspecified> for PushError {
    fn from(_: Unspecified) -> Self {
        Self::Failed
    }
}
