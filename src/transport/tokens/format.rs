//! How a token is written, and read back.

use serde::{Deserialize, Serialize};

const ID: usize = 12;
/// Characters of the secret: 43 of 62 possible ones hold 256 bits.
const SECRET: usize = 43;
/// Characters of the checksum: 6 of 62 possible ones hold 32 bits.
const CHECK: usize = 6;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    Agent,
    /// A host's of agents on call.
    Host,
    Person,
    /// A program's that is not an agent.
    Service,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    pub(super) kind: TokenKind,
    pub(super) id: &'a str,
    pub(super) secret: &'a str,
}

impl TokenKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Agent => "cb_a_",
            Self::Host => "cb_h_",
            Self::Person => "cb_u_",
            Self::Service => "cb_s_",
        }
    }
}

pub(super) fn write(kind: TokenKind, id: &str, secret: &str) -> String {
    let body = format!("{}{id}_{secret}", kind.prefix());
    let check = checksum(&body);
    format!("{body}{check}")
}

/// Takes a token apart; none when it is not one, or was mistyped.
pub(super) fn read(token: &str) -> Option<Parts<'_>> {
    let kind = [TokenKind::Agent, TokenKind::Host, TokenKind::Person, TokenKind::Service]
        .into_iter()
        .find(|kind| token.starts_with(kind.prefix()))?;
    let rest = token.strip_prefix(kind.prefix())?;
    if rest.len() != ID + 1 + SECRET + CHECK || !rest.is_ascii() {
        return None;
    }
    let (body, check) = token.split_at(token.len() - CHECK);
    if checksum(body) != check {
        return None;
    }
    let (id, secret) = rest[..rest.len() - CHECK].split_once('_')?;
    (id.len() == ID && secret.len() == SECRET).then_some(Parts { kind, id, secret })
}

pub(super) fn new_id() -> Result<String, getrandom::Error> {
    random(ID)
}

pub(super) fn new_secret() -> Result<String, getrandom::Error> {
    random(SECRET)
}

/// Evenly drawn characters: bytes past the last whole multiple of 62 are drawn again.
fn random(length: usize) -> Result<String, getrandom::Error> {
    let mut text = String::with_capacity(length);
    let mut bytes = [0u8; 64];
    while text.len() < length {
        getrandom::fill(&mut bytes)?;
        let even = bytes.iter().filter(|byte| **byte < 248).map(|byte| char::from(ALPHABET[usize::from(*byte) % 62]));
        text.extend(even.take(length - text.len()));
    }
    Ok(text)
}

fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut text = [b'0'; CHECK];
    for place in text.iter_mut().rev() {
        *place = ALPHABET[usize::try_from(rest % 62).unwrap_or(0)];
        rest /= 62;
    }
    text.iter().map(|byte| char::from(*byte)).collect()
}
