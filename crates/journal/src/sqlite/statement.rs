//! A list as one statement: the conditions on the columns beside the bodies, then a page of the rows, or their number.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use serde::de::DeserializeOwned;

use super::decode::{bodies, capped, has_table};
use crate::page::IdKind;
use crate::store::ReadError;

pub(super) struct Statement {
    table: &'static str,
    /// What stands behind the name of the table.
    sql: String,
    values: Vec<Value>,
}

impl Statement {
    pub(super) fn of(table: &'static str) -> Self {
        Self { table, sql: " WHERE true".to_owned(), values: Vec::new() }
    }

    /// In one of these states; in any, when none is named.
    pub(super) fn and_one_of(&mut self, column: &str, states: impl ExactSizeIterator<Item = &'static str>) {
        if states.len() > 0 {
            let marks = vec!["?"; states.len()].join(", ");
            self.and(&format!("{column} IN ({marks})"), states.map(|state| Value::from(state.to_owned())));
        }
    }

    pub(super) fn and_equal(&mut self, column: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.and(&format!("{column} = ?"), [value.into()]);
        }
    }

    pub(super) fn and(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
        self.values.extend(values);
    }

    /// At most `limit` bodies, by these columns.
    pub(super) fn bodies<T: DeserializeOwned>(
        mut self,
        db: &Connection,
        order: &str,
        limit: usize,
    ) -> Result<Vec<T>, ReadError> {
        if !has_table(db, self.table)? {
            return Ok(Vec::new());
        }
        self.values.push(Value::from(capped(limit)));
        let sql = format!("SELECT body FROM {}{} ORDER BY {order} LIMIT ?", self.table, self.sql);
        bodies(db, &sql, params_from_iter(self.values))
    }

    pub(super) fn count(self, db: &Connection) -> Result<u64, ReadError> {
        if !has_table(db, self.table)? {
            return Ok(0);
        }
        let mut count = db.prepare_cached(&format!("SELECT count(*) FROM {}{}", self.table, self.sql))?;
        let count: i64 = count.query_row(params_from_iter(self.values), |row| row.get(0))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }
}

/// The first ids that begin so: a range of the table's primary key, however many rows there are.
pub(super) fn ids_beginning(
    db: &Connection,
    kind: IdKind,
    beginning: &str,
    most: usize,
) -> Result<Vec<String>, ReadError> {
    let (table, id) = table_of(kind);
    if !has_table(db, table)? {
        return Ok(Vec::new());
    }
    let mut find = db.prepare_cached(&ids_sql(table, id))?;
    // Behind every character that an id may have.
    let end = format!("{beginning}~");
    let found = find.query_map(rusqlite::params![beginning, end, capped(most)], |row| row.get(0))?;
    Ok(found.collect::<Result<_, _>>()?)
}

const fn table_of(kind: IdKind) -> (&'static str, &'static str) {
    match kind {
        IdKind::Task => ("tasks", "id"),
        IdKind::Session => ("sessions", "id"),
        IdKind::Question => ("questions", "id"),
        IdKind::Review => ("reviews", "task"),
        IdKind::Workflow => ("workflows", "id"),
    }
}

fn ids_sql(table: &str, id: &str) -> String {
    format!("SELECT {id} FROM {table} WHERE {id} >= ?1 AND {id} < ?2 ORDER BY {id} LIMIT ?3")
}

#[cfg(test)]
mod tests;
