//! Which item is first. A function of the items and the time alone, so that everybody sees one list.

use std::cmp::Reverse;
use std::time::Duration;

use super::item::InboxItem;
use crate::task::Priority;
use crate::time::Timestamp;

/// What happens by itself within this time goes before everything else.
pub const DUE_SOON: Duration = Duration::from_secs(5 * 60);

/// Why an item stands where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Band {
    DueSoon,
    Waited,
    /// Nobody waits for it.
    Lies,
}

/// Compared from left to right, the smaller first; the id comes last, so that the order is total.
pub(super) type SortKey<Id> =
    (Band, Timestamp, Reverse<Priority>, Reverse<bool>, Reverse<usize>, Timestamp, Timestamp, Id);
pub(super) type Key<'a> = SortKey<&'a str>;

/// Puts first what should be looked at first.
pub fn order(now: Timestamp, items: &mut [InboxItem]) {
    items.sort_by(|one, other| key(now, one).cmp(&key(now, other)));
}

pub(super) fn key(now: Timestamp, item: &InboxItem) -> Key<'_> {
    let soon = item.deadline.filter(|deadline| *deadline <= now + DUE_SOON);
    let band = match (soon, item.cost.weight()) {
        (Some(_), _) => Band::DueSoon,
        (None, 0) => Band::Lies,
        (None, _) => Band::Waited,
    };
    (
        band,
        // Only among those that are due soon does the deadline go before how urgent the work is.
        soon.unwrap_or_default(),
        Reverse(item.priority),
        Reverse(item.dangerous),
        Reverse(item.cost.weight()),
        item.deadline.unwrap_or(Timestamp(u64::MAX)),
        item.since,
        &item.id,
    )
}
