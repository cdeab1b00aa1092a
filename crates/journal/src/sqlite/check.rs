//! What is looked at before a journal is trusted: little enough to cost nothing at a start.
//!
//! `callboard journal verify` looks at everything; see `journal::verify`.

use rusqlite::Connection;

use super::decode::{kept_of_row, records};
use super::prune;
use crate::entry::Seq;

/// Up to this size, in bytes, the whole file is checked at a start; it takes some tens of milliseconds.
const SMALL: i64 = 32 * 1024 * 1024;

/// The newest records, which a torn write would have hit.
const TAIL: u32 = 1_000;

/// Checks the structure of a small file, and in any file that the newest records follow one another and can be read.
/// What is wrong comes back as a sentence.
pub(super) fn quick(connection: &Connection) -> Result<(), String> {
    let size: i64 = connection
        .query_row("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", [], |row| row.get(0))
        .map_err(|error| error.to_string())?;
    if size <= SMALL {
        let verdict: String =
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(|error| error.to_string())?;
        if verdict != "ok" {
            return Err(verdict);
        }
    }
    tail(connection)
}

fn tail(connection: &Connection) -> Result<(), String> {
    let first: Option<Seq> = connection
        .query_row("SELECT min(seq) FROM records", [], |row| row.get(0))
        .map_err(|error| error.to_string())?;
    let horizon = prune::horizon(connection).map_err(|error| error.to_string())?;
    if first.is_some_and(|seq| seq != horizon.next()) || (first.is_none() && horizon != Seq(0)) {
        return Err("its first records are missing".to_owned());
    }
    let read = || -> rusqlite::Result<Vec<Result<Seq, String>>> {
        let mut newest = connection.prepare(&format!("{} ORDER BY seq DESC LIMIT ?1", records(connection)?))?;
        let rows = newest.query_map([TAIL], |row| Ok(kept_of_row(row)?.map(|kept| kept.seq)))?;
        rows.collect()
    };
    let mut above = None;
    for seq in read().map_err(|error| error.to_string())? {
        let seq = seq?;
        if above.is_some_and(|above: Seq| above != seq.next()) {
            return Err(format!("records are missing after {seq}"));
        }
        above = Some(seq);
    }
    Ok(())
}
