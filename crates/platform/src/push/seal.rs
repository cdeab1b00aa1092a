//! Encrypts a message for one device, by RFC 8291 over RFC 8188 (`aes128gcm`), as a single record.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::PushError;

/// The size of a record, as the header tells it; a push service must take a body of that size (RFC 8030, 7.2).
const RECORD: u32 = 4096;
/// A public key: an uncompressed point of P-256.
const POINT: usize = 65;
/// What stands before the record: salt, size of records, length of the key and the key itself.
const HEADER: usize = SALT + 4 + 1 + POINT;
const SALT: usize = 16;
const TAG: usize = 16;
/// Ends the text of the last record.
const LAST: u8 = 2;

/// How many bytes of text fit, so that the body as a whole has 4,096.
pub const LONGEST_TEXT: usize = RECORD as usize - HEADER - TAG - 1;

/// What a browser gives with a subscription, so that it alone can read what is sent to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceKeys {
    point: [u8; POINT],
    auth: [u8; 16],
}

impl DeviceKeys {
    /// Reads `keys.p256dh` and `keys.auth` of a `PushSubscription`. Fails when one of them is not what its name says; a
    /// point that is not on the curve is refused, too.
    pub fn parse(p256dh: &str, auth: &str) -> Result<Self, PushError> {
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('='));
        let point = bytes(p256dh).ok().and_then(|bytes| bytes.try_into().ok()).ok_or(PushError::DeviceKey)?;
        let auth = bytes(auth).ok().and_then(|bytes| bytes.try_into().ok()).ok_or(PushError::DeviceSecret)?;
        let keys = Self { point, auth };
        keys.agree(EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new())?)?;
        Ok(keys)
    }

    /// The secret that the device and the holder of this key share.
    fn agree(&self, key: EphemeralPrivateKey) -> Result<[u8; 32], PushError> {
        let point = UnparsedPublicKey::new(&ECDH_P256, self.point);
        let shared = agree_ephemeral(key, &point, |secret| secret.try_into().map_err(|_| PushError::DeviceKey));
        shared.map_err(|_| PushError::DeviceKey)?
    }
}

/// The body of a POST to the push service: `Content-Encoding: aes128gcm`. Fails when the text has more than
/// [`LONGEST_TEXT`] bytes, or the machine gives no randomness.
pub fn seal(device: &DeviceKeys, text: &[u8]) -> Result<Vec<u8>, PushError> {
    let random = SystemRandom::new();
    let key = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
    let public = key.compute_public_key()?.as_ref().try_into().map_err(|_| PushError::Failed)?;
    let mut salt = [0; SALT];
    random.fill(&mut salt)?;
    seal_with(device, text, &device.agree(key)?, public, salt)
}

/// The same with a shared secret, a public key of the sender and a salt that are given.
pub(super) fn seal_with(
    device: &DeviceKeys,
    text: &[u8],
    shared: &[u8],
    public: [u8; POINT],
    salt: [u8; SALT],
) -> Result<Vec<u8>, PushError> {
    if text.len() > LONGEST_TEXT {
        return Err(PushError::TooLong);
    }
    let input: [u8; 32] = derive(&device.auth, shared, &[b"WebPush: info\0", &device.point, &public])?;
    let key: [u8; 16] = derive(&salt, &input, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce: [u8; 12] = derive(&salt, &input, &[b"Content-Encoding: nonce\0"])?;
    let mut record = [text, &[LAST]].concat();
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)?;
    let length = [u8::try_from(POINT).map_err(|_| PushError::Failed)?];
    Ok([&salt[..], &RECORD.to_be_bytes(), &length, &public, &record].concat())
}

#[derive(Debug, Clone, Copy)]
struct Bytes(usize);

impl KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

fn derive<const N: usize>(salt: &[u8], input: &[u8], label: &[&[u8]]) -> Result<[u8; N], PushError> {
    let mut derived = [0; N];
    Salt::new(HKDF_SHA256, salt).extract(input).expand(label, Bytes(N))?.fill(&mut derived)?;
    Ok(derived)
}
