//! Records and rows out of the journal's file.

use rusqlite::types::Value;
use rusqlite::{Connection, Params, params_from_iter};
use serde::de::DeserializeOwned;

use crate::entry::{Kept, Stream};
use crate::raw::RawRecord;
use crate::store::ReadError;

/// The column that says what a record is about. A file of an earlier layout, only opened for reading, has none.
pub(crate) fn subject_column(db: &Connection) -> rusqlite::Result<&'static str> {
    let known = "SELECT 1 FROM pragma_table_info('records') WHERE name = 'subject'";
    Ok(if db.prepare_cached(known)?.exists([])? { "subject" } else { "NULL" })
}

/// The question for records, to be narrowed down.
pub(super) fn records(db: &Connection) -> rusqlite::Result<String> {
    let subject = subject_column(db)?;
    Ok(format!(
        "SELECT seq, at, principal, surface, request, cause, records.stream, kind, version, body, {subject}
         FROM records"
    ))
}

/// A record of a row of [`records`]. The outer error is the file's, the inner one says what is wrong with the record.
pub(crate) fn kept_of_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Result<Kept, String>> {
    Ok(raw_of_row(row)?.read())
}

pub(crate) fn raw_of_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<RawRecord> {
    Ok(RawRecord {
        seq: row.get(0)?,
        at: row.get(1)?,
        principal: row.get(2)?,
        surface: row.get(3)?,
        request: row.get(4)?,
        cause: row.get(5)?,
        stream: row.get(6)?,
        kind: row.get(7)?,
        version: row.get(8)?,
        body: row.get(9)?,
        subject: row.get(10)?,
    })
}

/// The records that `which` means: what follows `FROM records`.
pub(super) fn kept(db: &Connection, which: &str, params: impl Params) -> Result<Vec<Kept>, ReadError> {
    let mut select = db.prepare_cached(&format!("{} {which}", records(db)?))?;
    let rows = select.query_map(params, kept_of_row)?;
    rows.map(|row| row?.map_err(ReadError::Fault)).collect()
}

/// The number after which records are not in the stream index yet.
const NOT_INDEXED: &str = "(SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'rows_up_to')";

/// Records of these streams, the newest first: those that are not in the index yet by a look at each, the others by
/// the index. `more` are further conditions, each with an `AND` before it; `values` what they ask for.
pub(super) fn newest_of(
    db: &mut Connection,
    streams: &[Stream],
    more: &str,
    values: &[Value],
    limit: usize,
) -> Result<Vec<Kept>, ReadError> {
    let marks = marks(streams.len());
    let values = |limit| {
        let streams = streams.iter().map(|stream| Value::from(stream.to_string()));
        params_from_iter(streams.chain(values.iter().cloned()).chain([Value::from(capped(limit))]))
    };
    // One moment for both.
    let snapshot = db.savepoint()?;
    if !has_stream_index(&snapshot)? {
        let which = format!("WHERE stream IN ({marks}){more} ORDER BY seq DESC LIMIT ?");
        return kept(&snapshot, &which, values(limit));
    }
    let which = format!("WHERE stream IN ({marks}) AND seq > {NOT_INDEXED}{more} ORDER BY seq DESC LIMIT ?");
    let mut found = kept(&snapshot, &which, values(limit))?;
    if found.len() < limit {
        let which = format!(
            "JOIN stream_index AS found USING (seq)
             WHERE found.stream IN ({marks}){more} ORDER BY found.seq DESC LIMIT ?"
        );
        found.extend(kept(&snapshot, &which, values(limit - found.len()))?);
    }
    Ok(found)
}

/// Whether rows may be pending: not in a file of an earlier layout, which is only opened for reading.
pub(super) fn has_stream_index(db: &Connection) -> rusqlite::Result<bool> {
    has_table(db, "stream_index")
}

/// A file of an earlier layout, opened to be read, lacks the tables of later ones.
pub(super) fn has_table(db: &Connection, name: &str) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = ?1")?.exists([name])
}

/// The first column of each row, read as JSON.
pub(super) fn bodies<T: DeserializeOwned>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<T>, ReadError> {
    let mut select = db.prepare_cached(sql)?;
    let mut rows = select.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(parse(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?);
    }
    Ok(found)
}

pub(super) fn body<T: DeserializeOwned>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Option<T>, ReadError> {
    Ok(bodies(db, sql, params)?.pop())
}

pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    serde_json::from_str(text).map_err(|error| ReadError::Fault(format!("a row is damaged: {error}")))
}

pub(super) fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

pub(super) fn capped(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
