//! What is read of a file to be carried into a database, and what no [`crate::Reader`] lists.

use rusqlite::params;

use super::decode::{capped, raw_of_row, records};
use super::pool::SqliteReader;
use crate::domain::time::Timestamp;
use crate::entry::Seq;
use crate::raw::RawRecord;
use crate::store::ReadError;

/// Principal, key, digest, receipt, and when it was used.
pub(crate) type KeptKey = (String, String, String, String, Timestamp);

impl SqliteReader {
    /// Records after `after` as they lie there, oldest first.
    pub(crate) fn raw_records(&self, after: Seq, limit: usize) -> Result<Vec<RawRecord>, ReadError> {
        self.with(|db| {
            let mut select = db.prepare_cached(&format!("{} WHERE seq > ?1 ORDER BY seq LIMIT ?2", records(db)?))?;
            Ok(select.query_map(params![after, capped(limit)], raw_of_row)?.collect::<Result<_, _>>()?)
        })
    }

    pub(crate) fn keys(&self) -> Result<Vec<KeptKey>, ReadError> {
        self.all("SELECT principal, key, digest, receipt, at FROM idempotency", |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
    }

    /// Comments of reviews, and the task of each.
    pub(crate) fn comments(&self) -> Result<Vec<(String, String)>, ReadError> {
        self.all("SELECT id, task FROM review_comments", |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Long texts by their ids.
    pub(crate) fn blobs(&self) -> Result<Vec<(String, String)>, ReadError> {
        self.all("SELECT id, body FROM blobs", |row| Ok((row.get(0)?, row.get(1)?)))
    }

    fn all<T>(
        &self,
        sql: &str,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ReadError> {
        self.with(|db| Ok(db.prepare(sql)?.query_map([], read)?.collect::<Result<_, _>>()?))
    }
}
