//! Rows that are a name and a body: patterns, schedules, tickets, webhooks.

use rusqlite::{Connection, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::decode::{bodies, has_table};
use crate::store::{ReadError, WriteError};

/// A table of such rows, and its column with the name.
#[derive(Clone, Copy)]
pub(super) struct Keyed(&'static str, &'static str);

pub(super) const PATTERNS: Keyed = Keyed("patterns", "id");
pub(super) const SCHEDULES: Keyed = Keyed("schedules", "name");
pub(super) const TICKETS: Keyed = Keyed("tickets", "id");
pub(super) const WEBHOOKS: Keyed = Keyed("webhooks", "name");

impl Keyed {
    pub(super) fn put(self, db: &Transaction<'_>, name: &str, body: &impl Serialize) -> Result<(), WriteError> {
        let Self(table, column) = self;
        let put = format!("INSERT INTO {table} ({column}, body) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET body = ?2");
        db.prepare_cached(&put)?.execute(params![name, serde_json::to_string(body)?])?;
        Ok(())
    }

    pub(super) fn forget(self, db: &Transaction<'_>, name: &str) -> Result<(), WriteError> {
        let Self(table, column) = self;
        db.prepare_cached(&format!("DELETE FROM {table} WHERE {column} = ?1"))?.execute([name])?;
        Ok(())
    }

    /// Every one, by name. A file of an earlier layout has none.
    pub(super) fn all<T: DeserializeOwned>(self, db: &Connection) -> Result<Vec<T>, ReadError> {
        let Self(table, column) = self;
        if has_table(db, table)? {
            bodies(db, &format!("SELECT body FROM {table} ORDER BY {column}"), [])
        } else {
            Ok(Vec::new())
        }
    }
}
