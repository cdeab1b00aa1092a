//! Records as text: a kind, a version and a body of JSON.
//!
//! The version belongs to the kind, not to the file: a journal may hold bodies of several versions, and each is read
//! in the shape it was written in. [`upgrade`] is the one place that knows older shapes; nothing else ever sees them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::entry::Record;
use super::kind::{Kind, machine_of};

/// The room that a text begins with, in bytes.
const ROOM: usize = 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    pub kind: Kind,
    pub body: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CodecError {
    #[error("records of kind `{kind}` are unknown: made by a newer callboard")]
    UnknownKind { kind: String },
    #[error("records of kind `{kind}` in version {found} are unknown (known up to {known}): made by a newer callboard")]
    UnknownVersion {
        kind: &'static str,
        found: u16,
        /// The newest version that this hub reads.
        known: u16,
    },
    #[error("the body of a `{kind}` record is damaged: {detail}")]
    Body { kind: &'static str, detail: String },
}

/// A record as text. Fails when a value that somebody handed on cannot be JSON; none of today's can.
pub fn encode(record: &Record) -> Result<Encoded, CodecError> {
    let kind = record.kind();
    let body = match record {
        Record::Task(record) => to_json(kind, record),
        Record::Review(record) => to_json(kind, record),
        Record::Agent(record) => to_json(kind, record),
        Record::Session(record) => to_json(kind, record),
        Record::Question(record) => to_json(kind, record),
        Record::Pull(record) => to_json(kind, record),
        Record::Terminal(record) => to_json(kind, record),
        Record::Workflow(record) => to_json(kind, record),
        Record::Schedule(record) => to_json(kind, record),
        Record::Hub(record) => to_json(kind, record),
    }?;
    Ok(Encoded { kind, body })
}

/// A record from its text. Fails when kind or version are not known, or the body is not theirs.
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
fn upgrade(kind: Kind, from: u16, mut body: Value) -> Result<Value, CodecError> {
    match (kind.name, from) {
        // Before there was a word for who is to merge, approving completed.
        ("task.approved", 1) => {
            body["word"] = Value::Null;
            Ok(body)
        }
        (_, _) => Err(CodecError::UnknownVersion { kind: kind.name, found: from, known: kind.version }),
    }
}

fn from_json(kind: Kind, body: &str) -> Result<Record, CodecError> {
    fn read<T: DeserializeOwned>(kind: Kind, body: &str) -> Result<T, CodecError> {
        serde_json::from_str(body).map_err(|error| damaged(kind, &error))
    }
    match machine_of(kind) {
        "Task" => read(kind, body).map(Record::Task),
        "Review" => read(kind, body).map(Record::Review),
        "Agent" => read(kind, body).map(Record::Agent),
        "Session" => read(kind, body).map(Record::Session),
        "Question" => read(kind, body).map(Record::Question),
        "Pull" => read(kind, body).map(Record::Pull),
        "Terminal" => read(kind, body).map(Record::Terminal),
        "Workflow" => read(kind, body).map(Record::Workflow),
        "Schedule" => read(kind, body).map(Record::Schedule),
        "Hub" => read(kind, body).map(Record::Hub),
        family => Err(CodecError::UnknownKind { kind: family.to_owned() }),
    }
}

fn to_json<T: Serialize>(kind: Kind, record: &T) -> Result<String, CodecError> {
    text(record).map_err(|error| damaged(kind, &error))
}

/// A value as JSON. With room from the beginning: what the journal keeps is seldom short.
pub(crate) fn text<T: Serialize>(value: &T) -> serde_json::Result<String> {
    let mut bytes = Vec::with_capacity(ROOM);
    serde_json::to_writer(&mut bytes, value)?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

fn damaged(kind: Kind, error: &serde_json::Error) -> CodecError {
    CodecError::Body { kind: kind.name, detail: error.to_string() }
}

#[cfg(test)]
mod tests;
