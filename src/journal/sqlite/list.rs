//! The lists of tasks and of reviews: filters, order and cursor as one statement.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::decode::bodies;
use super::rows::rank;
use crate::domain::review::Review;
use crate::domain::task::Task;
use crate::journal::page::{Page, PageRequest, ReviewFilter, TaskCursor, TaskFilter};
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
    Ok(Page::cut(found, page.size(), |task| TaskCursor::of(task).text()))
}

/// A page of reviews, the one that was opened last first. A file of the first layout has none.
pub(super) fn reviews(db: &Connection, filter: &ReviewFilter, page: &PageRequest) -> Result<Page<Review>, ReadError> {
    let cursor = page.cursor.as_deref().map(TaskCursor::parse).transpose()?;
    let there = "SELECT 1 FROM sqlite_schema WHERE name = 'reviews'";
    if !db.prepare_cached(there)?.exists([])? {
        return Ok(Page { items: Vec::new(), next_cursor: None });
    }
    let mut statement = Statement { sql: "SELECT body FROM reviews WHERE true".to_owned(), values: Vec::new() };
    statement.and_one_of(filter.states.iter().map(|state| state.as_str()));
    statement.and_equal("agent", filter.agent.as_ref().map(|agent| agent.as_str().to_owned().into()));
    statement.from("opened_at", "task", cursor.as_ref(), page.size() + 1);
    let found = bodies(db, &statement.sql, rusqlite::params_from_iter(statement.values))?;
    Ok(Page::cut(found, page.size(), |review| TaskCursor::of_review(review).text()))
}

struct Statement {
    sql: String,
    values: Vec<Value>,
}

impl Statement {
    fn of(filter: &TaskFilter, cursor: Option<&TaskCursor>, words: &[String], limit: usize) -> Self {
        let mut statement = Self { sql: "SELECT body FROM tasks WHERE true".to_owned(), values: Vec::new() };
        statement.and_one_of(filter.states.iter().map(|state| state.as_str()));
        statement.and_equal("holder", filter.agent.as_ref().map(|agent| agent.as_str().to_owned().into()));
        statement.and_equal("target", filter.target.clone().map(Value::from));
        statement.and_equal("priority", filter.priority.map(|priority| rank(priority).into()));
        for word in words {
            statement.and(search::HAS_WORD, [Value::from(search::expression(word))]);
        }
        statement.from("created_at", "id", cursor, limit);
        statement
    }

    /// Newest first, behind the cursor.
    fn from(&mut self, moment: &str, id: &str, cursor: Option<&TaskCursor>, limit: usize) {
        if let Some(cursor) = cursor {
            let at = i64::try_from(cursor.created_at.0).unwrap_or(i64::MAX);
            let place = [Value::from(at), Value::from(cursor.id.as_str().to_owned())];
            self.and(&format!("({moment}, {id}) < (?, ?)"), place);
        }
        self.sql.push_str(&format!(" ORDER BY {moment} DESC, {id} DESC LIMIT ?"));
        self.values.push(Value::from(i64::try_from(limit).unwrap_or(i64::MAX)));
    }

    /// In one of these states; in any, when none is named.
    fn and_one_of(&mut self, states: impl ExactSizeIterator<Item = &'static str>) {
        if states.len() > 0 {
            let marks = vec!["?"; states.len()].join(", ");
            self.and(&format!("state IN ({marks})"), states.map(|state| Value::from(state.to_owned())));
        }
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
