//! The records as lines of JSON, as they lie in the file.
//!
//! Bodies are not read as records: a journal that this hub does not understand, or that is damaged behind some point,
//! gives away what can be got. Left out is the path of a webhook's address, which may be a secret.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::InspectError;
use crate::domain::time::Timestamp;
use crate::domain::webhook::shown_url;
use crate::entry::Seq;
use crate::sqlite;

#[derive(Debug, Serialize)]
struct ExportedRecord {
    seq: Seq,
    at: Timestamp,
    stream: String,
    kind: String,
    version: u16,
    principal: String,
    surface: String,
    request: Option<String>,
    cause: Option<Seq>,
    /// What it is about beside what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<Value>,
    record: Value,
}

/// Writes every record of the journal at `path` as a line of JSON (NDJSON), oldest first. Says how many.
///
/// Fails when the file cannot be read to its end, or `out` takes no more. What was written before stays written.
pub fn export(path: &Path, out: &mut dyn Write) -> Result<u64, InspectError> {
    let reader = sqlite::open_read_only(path)?;
    reader.on_connection(|db| {
        let mut select = db.prepare(&format!(
            "SELECT seq, at, stream, kind, version, principal, surface, request, cause, body, {} FROM records
             ORDER BY seq",
            sqlite::subject_column(db)?
        ))?;
        let mut rows = select.query([])?;
        let mut written = 0;
        while let Some(row) = rows.next()? {
            let line = line(row)?;
            let text = serde_json::to_string(&line).map_err(|error| cannot(&error))?;
            writeln!(out, "{text}").map_err(not_written)?;
            written += 1;
        }
        out.flush().map_err(not_written)?;
        Ok(written)
    })
}

fn line(row: &rusqlite::Row<'_>) -> rusqlite::Result<ExportedRecord> {
    let body: String = row.get(9)?;
    let subject: Option<String> = row.get(10)?;
    Ok(ExportedRecord {
        seq: row.get(0)?,
        at: row.get(1)?,
        stream: row.get(2)?,
        kind: row.get(3)?,
        version: row.get(4)?,
        principal: row.get(5)?,
        surface: row.get(6)?,
        request: row.get(7)?,
        cause: row.get(8)?,
        subject: subject.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text))),
        record: serde_json::from_str(&body).map_or(Value::String(body), without_addresses),
    })
}

/// Without the part of a webhook's address that may be a secret of its receiver: an export is handed on.
fn without_addresses(mut record: Value) -> Value {
    if let Some(Value::String(url)) = record.pointer_mut("/webhook/url") {
        *url = shown_url(url);
    }
    record
}

fn not_written(error: io::Error) -> InspectError {
    if error.kind() == io::ErrorKind::BrokenPipe { InspectError::Unread } else { cannot(&error) }
}

fn cannot(error: &dyn std::fmt::Display) -> InspectError {
    InspectError::Write { what: "the export".to_owned(), detail: error.to_string() }
}
