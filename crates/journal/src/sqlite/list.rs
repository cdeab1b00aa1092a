//! The lists of tasks and of reviews: filters, order and cursor as one statement.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _};

use super::statement::Statement;
use crate::domain::review::Review;
use crate::domain::task::Task;
use crate::entry::Seq;
use crate::fold::rank;
use crate::page::{Page, PageRequest, ReviewFilter, TaskCursor, TaskFilter};
use crate::search;
use crate::store::ReadError;

/// Where a task stands in the list of tasks.
const PLACE: &str = "created_at, id";
const NEWEST_FIRST: &str = "created_at DESC, id DESC";

/// A page of tasks, newest first.
pub(super) fn tasks(
    db: &Connection,
    journal: &Path,
    filter: &TaskFilter,
    page: &PageRequest,
) -> Result<Page<Task>, ReadError> {
    let cursor = page.cursor.as_deref().map(TaskCursor::parse).transpose()?;
    let words = filter.query.as_deref().map(search::words).unwrap_or_default();
    let limit = page.size() + 1;
    let found = if words.is_empty() {
        let mut statement = of_tasks(filter);
        behind(&mut statement, PLACE, cursor.as_ref());
        statement.bodies(db, NEWEST_FIRST, limit)?
    } else {
        // Attached for this one question: the index may be deleted and built anew while the hub runs.
        search::attach(db, journal)?;
        let found = searched(db, filter, cursor.as_ref(), &words, limit);
        db.flush_prepared_statement_cache();
        search::detach(db)?;
        found?
    };
    Ok(Page::cut(found, page.size(), |task| TaskCursor::of(task).text()))
}

/// How many of the newest texts with each word are looked at, where the index of recent texts does not fill the page.
const NEWEST: [i64; 2] = if cfg!(test) { [2, 8] } else { [20_000, 200_000] };

/// Tasks in which each of these words was said, newest first. Nothing is said of a task before it is made: those that
/// were made since the texts begin that are looked at are found by them alone, and where they fill the page, they are
/// it. So a word that is everywhere costs a few of its texts, and a rare one has few.
fn searched(
    db: &Connection,
    filter: &TaskFilter,
    cursor: Option<&TaskCursor>,
    words: &[String],
    limit: usize,
) -> Result<Vec<Task>, ReadError> {
    let page = |condition: &str, newest: Option<i64>, after: Option<i64>| {
        let mut statement = of_tasks(filter);
        for word in words {
            statement
                .and(condition, [Value::from(search::expression(word))].into_iter().chain(newest.map(Value::from)));
        }
        if let Some(after) = after {
            statement.and("created_at > ?", [Value::from(after)]);
        }
        behind(&mut statement, PLACE, cursor);
        statement.bodies::<Task>(db, NEWEST_FIRST, limit)
    };
    // When the record of that number was written; none for 0, where it was pruned, and where the page lies before it.
    let begins = |seq: Seq| -> Result<Option<i64>, ReadError> {
        let mut at = db.prepare_cached("SELECT at FROM records WHERE seq = ?1")?;
        let at: Option<i64> = at.query_row([seq], |row| row.get(0)).optional()?;
        let before = cursor.map_or(i64::MAX, |cursor| i64::try_from(cursor.created_at.0).unwrap_or(i64::MAX));
        Ok(at.filter(|at| *at < before))
    };
    if let Some(after) = begins(search::recent_from(db)?)? {
        let found = page(search::HAS_RECENT_WORD, None, Some(after))?;
        if found.len() >= limit {
            return Ok(found);
        }
    }
    for newest in NEWEST {
        let mut oldest = Seq(0);
        for word in words {
            oldest = oldest.max(search::oldest_of(db, word, newest)?.unwrap_or_default());
        }
        if oldest == Seq(0) {
            break;
        }
        if let Some(after) = begins(oldest)? {
            let found = page(search::HAS_WORD_LATELY, Some(newest), Some(after))?;
            if found.len() >= limit {
                return Ok(found);
            }
        }
    }
    page(search::HAS_WORD, None, None)
}

/// A page of reviews, the one that was opened last first.
pub(super) fn reviews(db: &Connection, filter: &ReviewFilter, page: &PageRequest) -> Result<Page<Review>, ReadError> {
    let cursor = page.cursor.as_deref().map(TaskCursor::parse).transpose()?;
    let mut statement = of_reviews(filter);
    behind(&mut statement, "opened_at, task", cursor.as_ref());
    let found = statement.bodies(db, "opened_at DESC, task DESC", page.size() + 1)?;
    Ok(Page::cut(found, page.size(), |review| TaskCursor::of_review(review).text()))
}

pub(super) fn of_reviews(filter: &ReviewFilter) -> Statement {
    let mut statement = Statement::of("reviews");
    statement.and_one_of("state", filter.states.iter().map(|state| state.as_str()));
    statement.and_equal("agent", filter.agent.as_ref().map(|agent| agent.as_str().to_owned()));
    statement
}

/// What the columns beside the body say.
pub(super) fn of_tasks(filter: &TaskFilter) -> Statement {
    let mut statement = Statement::of("tasks");
    statement.and_one_of("state", filter.states.iter().map(|state| state.as_str()));
    statement.and_equal("holder", filter.agent.as_ref().map(|agent| agent.as_str().to_owned()));
    statement.and_equal("target", filter.target.clone());
    statement.and_equal("priority", filter.priority.map(rank));
    if let Some(since) = filter.changed_since {
        statement.and("updated_at >= ?", [Value::from(i64::try_from(since.0).unwrap_or(i64::MAX))]);
    }
    statement
}

/// Behind the cursor, where the newest come first.
fn behind(statement: &mut Statement, columns: &str, cursor: Option<&TaskCursor>) {
    if let Some(cursor) = cursor {
        let at = i64::try_from(cursor.created_at.0).unwrap_or(i64::MAX);
        let place = [Value::from(at), Value::from(cursor.id.as_str().to_owned())];
        statement.and(&format!("({columns}) < (?, ?)"), place);
    }
}
