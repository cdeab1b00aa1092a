//! Says to a push service who sends, by RFC 8292 (VAPID): a token for its origin, signed with the hub's own key.
//!
//! Browsers bind a subscription to the public half of this key. With another key every subscription is void, so the
//! key is kept for as long as the hub's data is.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};

use super::PushError;
use crate::domain::time::Timestamp;

/// For how long a token is good. The RFC allows a day; half of it forgives a clock that is hours off.
const GOOD_FOR: Duration = Duration::from_hours(12);
const HEADER: &str = r#"{"typ":"JWT","alg":"ES256"}"#;

/// The key pair of a hub. `Debug` shows the public half.
pub struct VapidKey {
    pair: EcdsaKeyPair,
    /// Whom the people of a push service may ask about the sender: `mailto:…` or `https://…`.
    contact: String,
}

impl VapidKey {
    /// A new private key in PKCS#8: what is kept in a file that its owner alone may read.
    pub fn draw() -> Result<Vec<u8>, PushError> {
        let drawn = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())?;
        Ok(drawn.as_ref().to_vec())
    }

    /// Reads a key that was drawn. The contact is `mailto:…` or `https://…`. Fails when the bytes are no such key.
    pub fn read(pkcs8: &[u8], contact: String) -> Result<Self, PushError> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8, &SystemRandom::new());
        Ok(Self { pair: pair.map_err(|_| PushError::HubKey)?, contact })
    }

    /// The public half in base64url: `applicationServerKey` of a subscription.
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.pair.public_key())
    }

    /// The header `Authorization` for this origin (`https://push.example`, with a port where it is not the usual one).
    pub fn authorization(&self, origin: &str, now: Timestamp) -> Result<String, PushError> {
        let expires = (now + GOOD_FOR).0 / 1_000;
        let claims = serde_json::json!({ "aud": origin, "exp": expires, "sub": self.contact });
        let signed = [HEADER, &claims.to_string()].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".");
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes())?;
        Ok(format!("vapid t={signed}.{}, k={}", URL_SAFE_NO_PAD.encode(signature), self.public()))
    }
}

impl fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VapidKey({})", self.public())
    }
}
