//! One page of the list, and where the next one begins.

use std::cmp::Reverse;
use std::fmt;

use super::item::InboxItem;
use super::order::{Band, Key, SortKey, key, order};
use crate::task::Priority;
use crate::time::Timestamp;

/// The place of an item in the list of a moment. What becomes more pressing later is on a later first page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxCursor {
    /// The moment whose order it is.
    pub at: Timestamp,
    place: SortKey<String>,
}

impl InboxCursor {
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(9, '.');
        let mut next = || parts.next();
        let at = Timestamp(next()?.parse().ok()?);
        let band = match next()? {
            "0" => Band::DueSoon,
            "1" => Band::Waited,
            "2" => Band::Lies,
            _ => return None,
        };
        let soon = Timestamp(next()?.parse().ok()?);
        let priority = [Priority::Normal, Priority::High, Priority::Critical].into_iter().nth(next()?.parse().ok()?)?;
        let dangerous = next()?.parse().ok()?;
        let weight = next()?.parse().ok()?;
        let deadline = Timestamp(next()?.parse().ok()?);
        let since = Timestamp(next()?.parse().ok()?);
        let id = next()?.to_owned();
        let place = (band, soon, Reverse(priority), Reverse(dangerous), Reverse(weight), deadline, since, id);
        Some(Self { at, place })
    }
}

/// As [`InboxCursor::parse`] reads it.
impl fmt::Display for InboxCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (band, soon, priority, dangerous, weight, deadline, since, id) = &self.place;
        let band = match band {
            Band::DueSoon => 0,
            Band::Waited => 1,
            Band::Lies => 2,
        };
        let at = self.at.0;
        let priority = match priority.0 {
            Priority::Normal => 0,
            Priority::High => 1,
            Priority::Critical => 2,
        };
        write!(f, "{at}.{band}.{}.{priority}.{}.{}.{}.{}.{id}", soon.0, dangerous.0, weight.0, deadline.0, since.0)
    }
}

/// The page behind the cursor, in the order of its moment, else of `now`; and where the next one begins, if any.
pub fn page(
    now: Timestamp,
    mut items: Vec<InboxItem>,
    cursor: Option<&InboxCursor>,
    limit: usize,
) -> (Vec<InboxItem>, Option<InboxCursor>) {
    let at = cursor.map_or(now, |cursor| cursor.at);
    order(at, &mut items);
    if let Some(InboxCursor { place: (band, soon, priority, dangerous, weight, deadline, since, id), .. }) = cursor {
        let last: Key<'_> = (*band, *soon, *priority, *dangerous, *weight, *deadline, *since, id);
        items.retain(|item| key(at, item) > last);
    }
    let more = items.len() > limit;
    items.truncate(limit);
    let last = items.last().filter(|_| more).map(|item| {
        let (band, soon, priority, dangerous, weight, deadline, since, id) = key(at, item);
        InboxCursor { at, place: (band, soon, priority, dangerous, weight, deadline, since, id.to_owned()) }
    });
    (items, last)
}
