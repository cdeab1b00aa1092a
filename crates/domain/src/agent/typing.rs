//! What an agent has not heard, on its way into the terminal that it works in: the third rung of the ladder.
//!
//! ```text
//!                order                    the host says
//!   unheard ───────────────► ordered ──┬── sent ───────► typed      told once more with the next result, marked
//!      ▲  quiet for so long            ├── not typed ──► declined ─► ordered again, three times at most
//!      │                               ├── not sent ───► undelivered: not typed again, wakes a wait, told marked
//!      └── its next call hears it ◄────┴── nothing ────► nobody knows: it is not typed again
//! ```
//!
//! *Once.* The order is on disk before the host hears of it: whatever dies between the typing and its record, the line
//! is never typed a second time, and the notice comes with the agent's next call. Only a host that did *not* type makes
//! room for another order. While an order is out, no result brings its notice, for at most [`HOST_ANSWERS_WITHIN`].
//!
//! *Nothing lost.* A line that left the input box is no proof that the agent read it. Such a notice wakes no wait any
//! more, and is told a last time with the next result, with `typedAt` to say that it is not new. A line that still
//! stands in the box is not delivered: the notice goes on down the ladder, with `typedAt`, because somebody may send
//! the line later.

use std::collections::BTreeSet;
use std::time::Duration;

use super::state::{Agent, Notice, Typing, TypingStage};
use crate::ids::NoticeId;
use crate::time::Timestamp;

/// How long a host may take to say what came of an order: after that it is not waited for.
pub const HOST_ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// How many orders to type one notice there may be, where hosts decline.
const MOST_ORDERS: u8 = 3;

/// What there is to type into an agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToType {
    Nothing,
    /// Something, not before then.
    Later(Timestamp),
    /// This, under the order of that name.
    Now(Box<Notice>, String),
}

impl Agent {
    /// The oldest notice that nobody fetched for `after`, counted from when the agent fell silent. `told` are those
    /// that left with a result, which are on their way already.
    pub fn to_type(
        &self,
        now: Timestamp,
        quiet_since: Timestamp,
        after: Duration,
        told: &BTreeSet<NoticeId>,
    ) -> ToType {
        if self.registered().is_err() {
            return ToType::Nothing;
        }
        // One at a time: whether the next may be typed shows when this one was taken.
        if let Some(until) = self.typing.values().filter_map(Typing::held_until).find(|until| now < *until) {
            return ToType::Later(until);
        }
        let due = |notice: &Notice| {
            let declined = self.typing.get(&notice.id).map(|typing| typing.at);
            notice.at.max(quiet_since).max(declined.unwrap_or_default()) + after
        };
        let mut open = self.notices.values().filter(|it| !told.contains(&it.id) && self.may_be_ordered(&it.id));
        match open.next() {
            None => ToType::Nothing,
            Some(notice) if now < due(notice) => ToType::Later(due(notice)),
            Some(notice) => ToType::Now(Box::new(notice.clone()), self.next_order(&notice.id)),
        }
    }

    /// What it is told with a result, oldest first: not what is being typed this very moment.
    pub fn tellable(&self, now: Timestamp) -> impl Iterator<Item = Notice> {
        let free =
            move |id: &NoticeId| self.typing.get(id).and_then(Typing::held_until).is_none_or(|until| until <= now);
        self.notices.values().filter(move |notice| free(&notice.id)).map(|notice| {
            let typed = self.typing.get(&notice.id).filter(|typing| typing.stands_in_the_terminal());
            Notice { typed_at: typed.map(|typing| typing.at), ..notice.clone() }
        })
    }

    /// When the next of those that are being typed may be told again.
    pub fn held_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.typing.values().filter_map(Typing::held_until).filter(|until| now < *until).min()
    }

    /// Whether it is a reason to end a wait: not what is being typed this very moment, nor what was typed.
    pub fn is_news(&self, id: &NoticeId, now: Timestamp) -> bool {
        let typing = self.typing.get(id);
        typing.is_none_or(|typing| !typing.is_delivered() && typing.held_until().is_none_or(|until| until <= now))
    }

    pub fn was_typed(&self, id: &NoticeId) -> bool {
        self.typing.get(id).is_some_and(Typing::is_delivered)
    }

    /// What it has not heard, oldest first. What stands in its terminal has reached it.
    pub fn unheard(&self) -> impl Iterator<Item = &Notice> {
        self.notices.values().filter(|notice| !self.was_typed(&notice.id))
    }

    pub(super) fn may_be_ordered(&self, id: &NoticeId) -> bool {
        let again = |typing: &Typing| typing.stage == TypingStage::Declined && typing.orders < MOST_ORDERS;
        self.notices.contains_key(id) && self.typing.get(id).is_none_or(again)
    }

    /// The name of its next order: that of the notice, and a number.
    pub(super) fn next_order(&self, id: &NoticeId) -> String {
        format!("{id}.{}", self.typing.get(id).map_or(0, |typing| typing.orders).saturating_add(1))
    }
}

impl Typing {
    fn is_delivered(&self) -> bool {
        self.whole && self.stage == TypingStage::Typed
    }

    /// Whether all of it was typed, sent or not: its agent may read it there.
    const fn stands_in_the_terminal(&self) -> bool {
        self.whole && matches!(self.stage, TypingStage::Typed | TypingStage::Undelivered)
    }

    /// Until when it is told by no other way.
    fn held_until(&self) -> Option<Timestamp> {
        (self.stage == TypingStage::Ordered).then(|| self.at + HOST_ANSWERS_WITHIN)
    }
}

#[cfg(test)]
mod tests;
