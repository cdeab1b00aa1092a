//! To whose trace a call belongs, as W3C Trace Context and Baggage write it.
//!
//! A caller may bring three texts: `traceparent` names its trace and the span that it calls from, `tracestate` what
//! its tracing systems keep there, `baggage` what its owner sends along. All three are somebody's words and go into
//! logs, so they are read strictly: what is not to the letter of its specification is as if nothing had come. Of
//! baggage only the keys are kept, for its values may be anybody's secret.

use std::fmt;

/// The longest `tracestate` that is kept, in bytes: a caller may send more, and nobody has to pass more on.
const STATE: usize = 512;

/// How many members a `tracestate` may have.
const MEMBERS: usize = 32;

/// The longest `baggage` that is read, in bytes, and how many entries it may have.
const BAGGAGE: (usize, usize) = (8192, 64);

/// A trace's id: 128 bits, not all zero, written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceId(u128);

impl TraceId {
    /// The id with these bits; zero, which is none, becomes one.
    pub const fn of(bits: u128) -> Self {
        Self(if bits == 0 { 1 } else { bits })
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    pub id: TraceId,
    /// The caller's span, where it brought its own trace.
    pub parent: Option<ParentSpan>,
    pub state: Option<Box<str>>,
    /// The keys of the caller's `baggage`.
    pub baggage: Option<Box<str>>,
}

/// The span that a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParentSpan {
    bits: u64,
    /// Whether the caller records its trace.
    pub sampled: bool,
}

impl fmt::Display for ParentSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.bits)
    }
}

impl Trace {
    pub const fn begun(id: TraceId) -> Self {
        Self { id, parent: None, state: None, baggage: None }
    }

    /// The trace that a caller brought; none where it brought none that can be read.
    pub fn brought(parent: &str, state: Option<&str>) -> Option<Self> {
        let (id, parent) = read_parent(parent)?;
        let state = state.map(trimmed).filter(|state| is_state(state)).map(Box::from);
        Some(Self { id, parent: Some(parent), state, baggage: None })
    }

    /// The same with the keys of this `baggage`; what cannot be read changes nothing.
    #[must_use]
    pub fn with_baggage(mut self, baggage: Option<&str>) -> Self {
        self.baggage = baggage.and_then(keys).map(Box::from);
        self
    }
}

/// `00-<32 hex>-<16 hex>-<2 hex>`. A later version may say more behind a dash; version `ff` is none.
fn read_parent(text: &str) -> Option<(TraceId, ParentSpan)> {
    let (version, rest) = (text.get(..2)?, text.get(2..)?);
    let (id, parent, flags) = (rest.get(1..33)?, rest.get(34..50)?, rest.get(51..53)?);
    let dashes = [0, 33, 50].into_iter().all(|at| rest.as_bytes().get(at) == Some(&b'-'));
    let more = rest.get(53..)?;
    let ends = if version == "00" { more.is_empty() } else { more.is_empty() || more.starts_with('-') };
    let digits = [version, id, parent, flags].iter().all(|part| part.bytes().all(is_hex));
    if !(dashes && ends && digits) || version == "ff" {
        return None;
    }
    let id = u128::from_str_radix(id, 16).ok().filter(|id| *id != 0)?;
    let bits = u64::from_str_radix(parent, 16).ok().filter(|bits| *bits != 0)?;
    let flags = u8::from_str_radix(flags, 16).ok()?;
    Some((TraceId(id), ParentSpan { bits, sampled: flags & 1 == 1 }))
}

/// Only small letters are digits here.
const fn is_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// `key=value` and commas; each key once.
fn is_state(text: &str) -> bool {
    let members: Vec<&str> = text.split(',').map(trimmed).filter(|member| !member.is_empty()).collect();
    let keys: Option<Vec<&str>> = members.iter().map(|member| state_key(member)).collect();
    let Some(mut keys) = keys else { return false };
    keys.sort_unstable();
    let twice = keys.windows(2).any(|pair| pair[0] == pair[1]);
    !text.is_empty() && text.len() <= STATE && (1..=MEMBERS).contains(&keys.len()) && !twice
}

fn state_key(member: &str) -> Option<&str> {
    let (key, value) = member.split_once('=')?;
    let begins = key.bytes().next().is_some_and(|first| first.is_ascii_lowercase() || first.is_ascii_digit());
    let goes_on = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'*' | b'/' | b'@')
    };
    let of_value = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b',' | b'=');
    let fits = begins && key.len() <= 256 && key.bytes().all(goes_on);
    (fits && !value.is_empty() && value.len() <= 256 && value.bytes().all(of_value)).then_some(key)
}

/// The keys of `key=value;property, …`, each of which is a token of HTTP.
fn keys(text: &str) -> Option<String> {
    let entries: Vec<&str> = text.split(',').map(trimmed).collect();
    if text.len() > BAGGAGE.0 || entries.len() > BAGGAGE.1 {
        return None;
    }
    let keys: Option<Vec<&str>> = entries.into_iter().map(baggage_key).collect();
    keys.map(|keys| keys.join(",")).filter(|keys| keys.len() <= STATE)
}

fn baggage_key(entry: &str) -> Option<&str> {
    let (key, value) = entry.split(';').next()?.split_once('=')?;
    let (key, value) = (trimmed(key), trimmed(value));
    let of_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let of_value = |byte: u8| matches!(byte, b'!'..=b'~') && !matches!(byte, b'"' | b',' | b';' | b'\\');
    let plain = entry.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    (plain && !key.is_empty() && key.bytes().all(of_token) && value.bytes().all(of_value)).then_some(key)
}

#[cfg(test)]
mod tests;
