//! One line of the audit: what happened, and the two hashes that fix its place.
//!
//! The last field is the hash of the line without it, so that a change is found in the line that was changed; `prev` is
//! that field of the line before, so that none can be taken out, put in or moved.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::domain::text::shorten;
use crate::domain::time::Timestamp;

/// What stands for the hash before the first line.
pub(super) const NOTHING_BEFORE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The event of the line that is appended when a start finds the last lines of the file missing (`TAIL_MISSING`), or
/// the last line different from the one that `audit.head` describes (`TAIL_CHANGED`).
pub(super) const TAIL_MISSING: &str = "audit.tail_missing";
pub(super) const TAIL_CHANGED: &str = "audit.tail_changed";

/// The event of a line written when a backup replaced the journal: events after it are numbered from there on.
pub const JOURNAL_RESTORED: &str = "journal.restored";

/// How the last field begins.
const HASH: &str = ",\"hash\":\"";

/// The most characters of what a caller chose: a path, an id.
const LONGEST: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It was done, or was about to be.
    Allowed,
    /// It was not.
    Denied,
    /// Nobody asked: it happened.
    Noted,
}

/// A text that is not kept, and can still be recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digested {
    pub sha256: String,
    pub bytes: usize,
}

/// What is to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub at: Timestamp,
    /// What: a type of event, or `token.create`, `request`, `tool`, `config.reload` and the like.
    pub action: String,
    pub decision: Decision,
    /// By which rule: the code of a refusal, or how a question was resolved.
    pub rule: Option<String>,
    /// Who: the principal, as the credential says; `nobody` without one.
    pub who: String,
    /// Through what: a surface.
    pub through: String,
    /// From where, as far as it is known.
    pub peer: Option<IpAddr>,
    /// The request, as answers and logs name it.
    pub request: Option<String>,
    /// To what: a route, a tool, a task, a token.
    pub target: Option<String>,
    /// What was asked or done in full, as its digest.
    pub body: Option<Digested>,
}

/// A line that fits itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Line {
    /// Its number, from 1, through all files.
    pub(super) n: u64,
    /// The last event that the audit had seen.
    pub(super) journal: u64,
    /// The hash of the line before.
    pub(super) prev: String,
    pub(super) action: String,
    pub(super) rule: Option<String>,
    #[serde(skip)]
    pub(super) hash: String,
}

#[derive(Serialize)]
struct Written<'a> {
    n: u64,
    at: Timestamp,
    action: &'a str,
    decision: Decision,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    who: &'a str,
    through: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a Digested>,
    journal: u64,
    prev: &'a str,
}

impl Digested {
    pub fn of(text: &str) -> Self {
        Self { sha256: sha256(text.as_bytes()), bytes: text.len() }
    }
}

impl Note {
    /// Something that the hub itself does or notices.
    pub fn of_hub(at: Timestamp, action: &str, decision: Decision) -> Self {
        let (action, who, through) = (action.to_owned(), "hub".to_owned(), "hub".to_owned());
        Self { at, action, decision, rule: None, who, through, peer: None, request: None, target: None, body: None }
    }
}

/// The line, without its end, and its hash.
pub(super) fn write(note: &Note, n: u64, journal: u64, prev: &str) -> Result<(String, String), serde_json::Error> {
    let written = Written {
        n,
        at: note.at,
        action: &note.action,
        decision: note.decision,
        rule: note.rule.as_deref(),
        who: &note.who,
        through: &note.through,
        peer: note.peer,
        request: note.request.as_deref(),
        target: note.target.as_deref().map(|target| shorten(target, LONGEST)),
        body: note.body.as_ref(),
        journal,
        prev,
    };
    let mut text = serde_json::to_string(&written)?;
    let hash = sha256(text.as_bytes());
    text.truncate(text.len() - 1);
    Ok((format!("{text}{HASH}{hash}\"}}"), hash))
}

pub(super) fn read(text: &str) -> Result<Line, String> {
    let (body, hash) = text
        .rsplit_once(HASH)
        .and_then(|(body, end)| Some((body, end.strip_suffix("\"}")?)))
        .ok_or("it is no line of an audit")?;
    let body = format!("{body}}}");
    if sha256(body.as_bytes()) != hash {
        return Err("it was changed: its own hash is that of another line".to_owned());
    }
    let line: Line = serde_json::from_str(&body).map_err(|error| format!("it cannot be read: {error}"))?;
    Ok(Line { hash: hash.to_owned(), ..line })
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
