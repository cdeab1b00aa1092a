//! The list of tasks: filters, order and cursor as one statement.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::read::bodies;
use super::write::rank;
use crate::domain::task::Task;
use crate::journal::page::{Page, PageRequest, TaskCursor, TaskFilter};
use crate::journal::search;
use crate::journal::store::ReadError;

/// A page of tasks, newest first.
pub(super) fn tasks(
    db: &Connection,
    journal: &Path,
    filter: &TaskFilter,
    page: &PageRequest,
) -> Result<Page<Task>, ReadError> {
    let cursor = page.cursor.as_deref().map(TaskCursor::parse).transpose()?;
    let words = filter.query.as_deref().map(search::words).unwrap_or_default();
    let statement = Statement::of(filter, cursor.as_ref(), &words, page.size() + 1);
    let found = if words.is_empty() {
        bodies(db, &statement.sql, rusqlite::params_from_iter(statement.values))?
    } else {
        // Attached for this one question: the index may be deleted and built anew while the hub runs.
        search::attach(db, journal)?;
        let found = bodies(db, &statement.sql, rusqlite::params_from_iter(statement.values));
        db.flush_prepared_statement_cache();
        search::detach(db)?;
        found?
    };
    Ok(Page::cut(found, page.size()))
}

struct Statement {
    sql: String,
    values: Vec<Value>,
}

impl Statement {
    fn of(filter: &TaskFilter, cursor: Option<&TaskCursor>, words: &[String], limit: usize) -> Self {
        let mut statement = Self { sql: "SELECT body FROM tasks WHERE true".to_owned(), values: Vec::new() };
        if !filter.states.is_empty() {
            let names = filter.states.iter().map(|state| Value::from(state.as_str().to_owned()));
            let marks = vec!["?"; filter.states.len()].join(", ");
            statement.and(&format!("state IN ({marks})"), names);
        }
        statement.and_equal("holder", filter.agent.as_ref().map(|agent| agent.as_str().to_owned().into()));
        statement.and_equal("target", filter.target.clone().map(Value::from));
        statement.and_equal("priority", filter.priority.map(|priority| rank(priority).into()));
        for word in words {
            statement.and(search::HAS_WORD, [Value::from(search::expression(word))]);
        }
        if let Some(cursor) = cursor {
            let created_at = i64::try_from(cursor.created_at.0).unwrap_or(i64::MAX);
            let place = [Value::from(created_at), Value::from(cursor.id.as_str().to_owned())];
            statement.and("(created_at, id) < (?, ?)", place);
        }
        statement.sql.push_str(" ORDER BY created_at DESC, id DESC LIMIT ?");
        statement.values.push(Value::from(i64::try_from(limit).unwrap_or(i64::MAX)));
        statement
    }

    fn and_equal(&mut self, column: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.and(&format!("{column} = ?"), [value]);
        }
    }

    fn and(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
        self.values.extend(values);
    }
}
