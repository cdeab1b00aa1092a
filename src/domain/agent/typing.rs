//! What an agent has not heard, on its way into the terminal that it works in: the third rung of the ladder.
//!
//! ```text
//!                order                    the host says
//!   unheard ───────────────► ordered ──┬── typed ──────► typed      told once more with the next result, marked
//!      ▲  quiet for so long            ├── not typed ──► declined ─► ordered again, three times at most
//!      └── its next call hears it ◄────┴── nothing ────► nobody knows: it is not typed again
//! ```
//!
//! *Once.* The order is on disk before the host hears of it. So whatever dies between the typing and its record (host,
//! connection, hub), the line is never typed a second time: the notice stays undelivered and comes with the agent's
//! next call, under the same id. Only a host that says that it did *not* type makes room for another order.
//!
//! *No two ways at a time.* While an order is out, no result brings its notice, for at most [`HOST_ANSWERS_WITHIN`].
//!
//! *Nothing lost.* Keys in a terminal are no proof that a program took them. So a typed notice counts as delivered,
//! wakes no wait any more, and is told a last time with the agent's next result, with `typedAt` to say that it is not
//! new; like any other it is heard with the call after that.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::state::{Agent, Notice};
use crate::domain::ids::NoticeId;
use crate::domain::time::Timestamp;

/// How long a host may take to say what came of an order: after that it is not waited for.
pub const HOST_ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// How many orders to type one notice there may be, where hosts decline.
const MOST_ORDERS: u8 = 3;

/// How far a notice is on its way into its agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typing {
    /// The last order to type it.
    pub order_id: String,
    /// When it came so far.
    pub at: Timestamp,
    /// How far.
    pub stage: TypingStage,
    /// Whether all of it is in the line; otherwise that only says that there is something to hear.
    pub whole: bool,
    /// How many orders there were.
    pub orders: u8,
}

/// What became of an order to type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypingStage {
    /// The host is told to.
    Ordered,
    /// It did.
    Typed,
    /// It did not.
    Declined,
}

/// What there is to type into an agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToType {
    /// Nothing.
    Nothing,
    /// Something, not before then.
    Later(Timestamp),
    /// This, under the order of that name.
    Now(Box<Notice>, String),
}

impl Agent {
    /// The oldest notice that nobody fetched for `after`, counted from when the agent fell silent. `told` are those
    /// that left with a result, which are on their way already.
    #[must_use]
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
            let typed = self.typing.get(&notice.id).filter(|typing| typing.is_delivered());
            Notice { typed_at: typed.map(|typing| typing.at), ..notice.clone() }
        })
    }

    /// When the next of those that are being typed may be told again.
    #[must_use]
    pub fn held_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.typing.values().filter_map(Typing::held_until).filter(|until| now < *until).min()
    }

    /// Whether it is a reason to end a wait: not what is being typed this very moment, nor what was typed.
    #[must_use]
    pub fn is_news(&self, id: &NoticeId, now: Timestamp) -> bool {
        let typing = self.typing.get(id);
        typing.is_none_or(|typing| !typing.is_delivered() && typing.held_until().is_none_or(|until| until <= now))
    }

    /// Whether all of it was typed into its terminal.
    #[must_use]
    pub fn was_typed(&self, id: &NoticeId) -> bool {
        self.typing.get(id).is_some_and(Typing::is_delivered)
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

    /// Until when it is told by no other way.
    fn held_until(&self) -> Option<Timestamp> {
        (self.stage == TypingStage::Ordered).then(|| self.at + HOST_ANSWERS_WITHIN)
    }
}
