//! Records as text: a kind, a version and a body of JSON.
//!
//! The version belongs to the kind, not to the file: a journal may hold bodies of several versions, and each is read
//! in the shape it was written in. [`upgrade`] is the one place that knows older shapes; nothing else ever sees them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::entry::Record;
use super::kind::Kind;

/// A record as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// Its kind and the version of its body.
    pub kind: Kind,
    /// Its body, as JSON.
    pub body: String,
}

/// Why a record cannot be written or read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CodecError {
    /// Written by a hub that knew more, or by something else.
    #[error("records of kind `{kind}` are unknown: made by a newer callboard")]
    UnknownKind {
        /// The kind as it was found.
        kind: String,
    },
    /// The kind is known, the shape of its body is not.
    #[error("records of kind `{kind}` in version {found} are unknown (known up to {known}): made by a newer callboard")]
    UnknownVersion {
        /// The kind.
        kind: &'static str,
        /// The version as it was found.
        found: u16,
        /// The newest version that this hub reads.
        known: u16,
    },
    /// The body does not say what its kind promises.
    #[error("the body of a `{kind}` record is damaged: {detail}")]
    Body {
        /// The kind.
        kind: &'static str,
        /// What the parser says.
        detail: String,
    },
}

/// A record as text.
///
/// # Errors
/// When a value that somebody handed on cannot be JSON; none of today's can.
pub fn encode(record: &Record) -> Result<Encoded, CodecError> {
    let kind = record.kind();
    let body = match record {
        Record::Task(record) => to_json(kind, record),
        Record::Agent(record) => to_json(kind, record),
        Record::Session(record) => to_json(kind, record),
        Record::Hub(record) => to_json(kind, record),
    }?;
    Ok(Encoded { kind, body })
}

/// A record from its text.
///
/// # Errors
/// When kind or version are not known, or the body is not theirs.
pub fn decode(kind: &str, version: u16, body: &str) -> Result<Record, CodecError> {
    let known = Kind::find(kind).ok_or_else(|| CodecError::UnknownKind { kind: kind.chars().take(80).collect() })?;
    let record = match version {
        now if now == known.version => from_json(known, body)?,
        older if (1..known.version).contains(&older) => {
            let body = serde_json::from_str(body).map_err(|error| damaged(known, &error))?;
            from_json(known, &upgrade(known, older, body)?.to_string())?
        }
        found => return Err(CodecError::UnknownVersion { kind: known.name, found, known: known.version }),
    };
    if record.kind() == known {
        Ok(record)
    } else {
        Err(CodecError::Body { kind: known.name, detail: format!("it is one of `{}`", record.kind().name) })
    }
}

/// A body of an older version in today's shape. A kind that has ever changed has an arm here for each step.
fn upgrade(kind: Kind, from: u16, _body: Value) -> Result<Value, CodecError> {
    Err(CodecError::UnknownVersion { kind: kind.name, found: from, known: kind.version })
}

fn from_json(kind: Kind, body: &str) -> Result<Record, CodecError> {
    fn read<T: DeserializeOwned>(kind: Kind, body: &str) -> Result<T, CodecError> {
        serde_json::from_str(body).map_err(|error| damaged(kind, &error))
    }
    match kind.family() {
        "task" => read(kind, body).map(Record::Task),
        "agent" => read(kind, body).map(Record::Agent),
        "session" => read(kind, body).map(Record::Session),
        "hub" => read(kind, body).map(Record::Hub),
        family => Err(CodecError::UnknownKind { kind: family.to_owned() }),
    }
}

fn to_json<T: Serialize>(kind: Kind, record: &T) -> Result<String, CodecError> {
    serde_json::to_string(record).map_err(|error| damaged(kind, &error))
}

fn damaged(kind: Kind, error: &serde_json::Error) -> CodecError {
    CodecError::Body { kind: kind.name, detail: error.to_string() }
}
