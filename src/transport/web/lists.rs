//! Lists that are made on the spot: a stable order by name, and a cursor that is the last name of a page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{ApiError, ApiResult};
use crate::journal::{Page, PageRequest};

/// A piece of a list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct List<T> {
    /// The items, in the list's stable order.
    pub items: Vec<T>,
    /// How many there are in all, without `limit` and `cursor`; absent where that is not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Where the next page begins; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// How much of a list, as the query says: 1 to 500, 100 when left out. Fails with `INVALID_ARGUMENTS`.
pub fn page_request(limit: Option<usize>, cursor: Option<String>) -> ApiResult<PageRequest> {
    let limit = limit.unwrap_or_else(|| PageRequest::default().limit);
    if limit == 0 || limit > PageRequest::MOST {
        let message = format!("the query: `limit` must be 1 to {}", PageRequest::MOST);
        return Err(ApiError::new("INVALID_ARGUMENTS", message).detail("field", "limit"));
    }
    Ok(PageRequest { limit, cursor })
}

impl<T> List<T> {
    pub fn whole(items: Vec<T>) -> Self {
        Self { total: u64::try_from(items.len()).ok(), items, next_cursor: None }
    }

    /// A page of the journal, of `total` items in all.
    pub fn counted(page: Page<T>, total: u64) -> Self {
        Self { items: page.items, total: Some(total), next_cursor: page.next_cursor }
    }

    pub fn map<U>(self, shown: impl FnMut(T) -> U) -> List<U> {
        let Self { items, total, next_cursor } = self;
        List { items: items.into_iter().map(shown).collect(), total, next_cursor }
    }

    /// The page of `items`, which are in the order of their names, that begins behind the cursor.
    pub fn page_of(items: Vec<T>, page: &PageRequest, name: impl Fn(&T) -> &str) -> Self {
        let total = u64::try_from(items.len()).ok();
        let after = page.cursor.as_deref();
        let rest = items.into_iter().filter(|item| after.is_none_or(|after| name(item) > after));
        let mut items: Vec<T> = rest.take(page.limit + 1).collect();
        let more = items.len() > page.limit;
        items.truncate(page.limit);
        let next_cursor = if more { items.last().map(|item| name(item).to_owned()) } else { None };
        Self { items, total, next_cursor }
    }
}

/// The names in a field that takes several, separated by commas.
pub fn names(given: Option<&str>) -> impl Iterator<Item = &str> {
    given.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;
