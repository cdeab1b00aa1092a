//! A journal in a file that is carried into a database, or comes from one.

use std::path::Path;

use rusqlite::{Connection, Transaction, params};

use super::decode::{capped, raw_of_row, records};
use super::pool::SqliteReader;
use super::rows::{write_notices, write_row, write_session};
use super::write::{RECORD, put_raw};
use super::{connection, name_copy, prune, schema, sessions};
use crate::carry::{Item, KeptKey, LastOf, STRIDE, Source, items, note};
use crate::domain::agent::AgentRecord;
use crate::entry::Seq;
use crate::raw::RawRecord;
use crate::store::{ReadError, WriteError};

impl Source for SqliteReader {
    fn raw_records(&self, after: Seq, limit: usize) -> Result<Vec<RawRecord>, ReadError> {
        self.with(|db| {
            let mut select = db.prepare_cached(&format!("{} WHERE seq > ?1 ORDER BY seq LIMIT ?2", records(db)?))?;
            Ok(select.query_map(params![after, capped(limit)], raw_of_row)?.collect::<Result<_, _>>()?)
        })
    }

    fn keys(&self) -> Result<Vec<KeptKey>, ReadError> {
        self.all("SELECT principal, key, digest, receipt, at FROM idempotency", |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
    }

    fn comments(&self) -> Result<Vec<(String, String)>, ReadError> {
        self.all("SELECT id, task FROM review_comments", |row| Ok((row.get(0)?, row.get(1)?)))
    }

    fn blobs(&self) -> Result<Vec<(String, String)>, ReadError> {
        self.all("SELECT id, body FROM blobs", |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

impl SqliteReader {
    fn all<T>(
        &self,
        sql: &str,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ReadError> {
        self.with(|db| Ok(db.prepare(sql)?.query_map([], read)?.collect::<Result<_, _>>()?))
    }
}

/// Makes a journal of the empty file at `path`, with everything that `source` holds. `progress` hears the number of the
/// last record. Nothing of it is safe before all of it is there: a file that was begun is of no use.
pub(crate) fn fill(path: &Path, source: &dyn Source, mut progress: impl FnMut(Seq)) -> Result<(), WriteError> {
    let mut db = connection::unset(path)?;
    db.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    journal_mode(&db, "OFF")?;
    db.pragma_update(None, "synchronous", "OFF")?;
    schema::create(&mut db)?;
    let transaction = db.transaction()?;
    let (horizon, position) = (source.report()?.horizon, source.position()?);
    prune::begin(&transaction, &source.base()?, horizon)?;
    let (mut insert, mut at, mut last_of) = (transaction.prepare_cached(RECORD)?, horizon, LastOf::new());
    loop {
        let records = source.raw_records(at, STRIDE)?;
        let Some(last) = records.last() else { break };
        at = last.seq;
        for record in &records {
            note(&mut last_of, record)?;
            put_raw(&mut insert, record)?;
        }
        progress(at);
    }
    drop(insert);
    items(source, &last_of, |item| put(&transaction, item))?;
    let index = "INSERT INTO stream_index (stream, seq) SELECT stream, seq FROM records ORDER BY stream, seq";
    transaction.execute(index, [])?;
    transaction
        .execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('rows_up_to', ?1)", [position.to_string()])?;
    transaction.commit()?;
    journal_mode(&db, "DELETE")?;
    name_copy(&db).map_err(WriteError::Fault)?;
    db.close().map_err(|(_, error)| error.into())
}

fn journal_mode(db: &Connection, mode: &str) -> rusqlite::Result<()> {
    db.pragma_update_and_check(None, "journal_mode", mode, |row| row.get::<_, String>(0)).map(drop)
}

fn put(transaction: &Transaction<'_>, item: Item) -> Result<(), WriteError> {
    let put = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> Result<(), WriteError> {
        transaction.prepare_cached(sql)?.execute(values)?;
        Ok(())
    };
    match item {
        Item::Row(row) => write_row(transaction, &row),
        Item::Session(session) => write_session(transaction, &session),
        Item::Question(question, last) => sessions::write_question(transaction, &question, last),
        Item::Notice(agent, notice) => {
            let at = notice.at;
            write_notices(transaction, &agent, at, &AgentRecord::NoticePosted { notice: *notice })
        }
        Item::Key((principal, key, digest, receipt, at)) => put(
            "INSERT INTO idempotency (principal, key, digest, receipt, at) VALUES (?1, ?2, ?3, ?4, ?5)",
            &[&principal, &key, &digest, &receipt, &at],
        ),
        Item::Comment(comment, task) => {
            put("INSERT OR IGNORE INTO review_comments (id, task) VALUES (?1, ?2)", &[&comment, &task])
        }
        Item::Blob(id, text) => put("INSERT INTO blobs (id, body) VALUES (?1, ?2)", &[&id, &text]),
    }
}
