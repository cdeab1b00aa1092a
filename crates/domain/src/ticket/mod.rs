//! Tickets: a call that waits, and whose answer is fetched later under a name.
//!
//! ```text
//!                      ┌─ kept: somebody asked, so it lives on
//!                      ▼
//!   issued ─────────► OPEN ──answered──► ANSWERED ──┐
//!                      ├────cancelled──► CANCELLED ─┤   by its owner, or by a newer wait for work
//!                      └────────────────────────────┴──► expired: no row any more, at `keep_until`
//! ```
//!
//! A ticket holds what was called and whose it is, and never waits by itself: whoever fetches the answer waits for as
//! long as it asks, by the verb that was called, with the rights that it has then. So an agent is there for work
//! exactly while somebody asks for it, what is handed to it is handed out as by a call, and nothing but the ticket has
//! to outlive the hub. It lives for [`KEPT`] from when it was last asked for.

mod decide;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ids::{PrincipalId, TicketId};
use super::time::{Deadline, Timestamp};

pub use decide::{h1_one_answer, h2_owners_few};

/// How long a ticket is kept after it was last asked for, or after it came to its end.
pub const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// How many open tickets one principal may have.
pub const OPEN: usize = 64;

/// How many that came to their end are kept for one principal; the oldest make room.
pub const ENDED: usize = 256;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TicketCall {
    pub verb: String,
    /// Its arguments, without how long to wait.
    pub arguments: Value,
    /// Whether a newer call of the same verb takes the place of this one: an agent waits for work once.
    pub alone: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TicketState {
    Open,
    Answered,
    /// Its owner wants none, or asked anew.
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ticket {
    pub id: TicketId,
    /// Whose it is; to anybody else it does not exist.
    pub owner: PrincipalId,
    pub call: TicketCall,
    pub issued_at: Timestamp,
    /// When its state changed last.
    pub moved_at: Timestamp,
    pub keep_until: Timestamp,
    pub state: TicketState,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TicketCommand {
    /// Somebody called, and wants the answer later.
    Issue {
        /// Its name, if it becomes a new one.
        id: TicketId,
        owner: PrincipalId,
        call: TicketCall,
    },
    Keep(TicketId),
    Answer(TicketId),
    Cancel(TicketId),
    Tick,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TicketRecord {
    Issued(Box<Ticket>),
    Kept { id: TicketId, until: Timestamp },
    Answered { id: TicketId, at: Timestamp },
    Cancelled { id: TicketId, at: Timestamp },
    Expired { id: TicketId },
}

/// Why an order to the tickets came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TicketRefusal {
    #[error("`{owner}` has {OPEN} open tickets already")]
    TooMany { owner: PrincipalId },
    #[error("ticket `{id}` is not open")]
    NotOpen { id: TicketId },
}

/// What an order comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct TicketDecision {
    pub records: Vec<TicketRecord>,
    pub about: Option<TicketId>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TicketBook {
    tickets: BTreeMap<TicketId, Ticket>,
}

impl TicketBook {
    /// Those that the store has.
    pub fn of(kept: Vec<Ticket>) -> Self {
        Self { tickets: kept.into_iter().map(|ticket| (ticket.id.clone(), ticket)).collect() }
    }

    /// Those alone that the records are about.
    pub fn touched_by(&self, records: &[TicketRecord]) -> Self {
        Self::of(records.iter().filter_map(|record| self.get(record.id()).cloned()).collect())
    }

    pub fn get(&self, id: &TicketId) -> Option<&Ticket> {
        self.tickets.get(id)
    }

    pub fn all(&self) -> impl Iterator<Item = &Ticket> {
        self.tickets.values()
    }

    /// When the first of them is kept no longer.
    pub fn next_deadline(&self) -> Option<Deadline> {
        let at = self.tickets.values().map(|ticket| ticket.keep_until).min()?;
        Some(Deadline { at, reason: "a ticket for a later answer is kept no longer" })
    }

    pub fn apply(&mut self, record: &TicketRecord) {
        match record {
            TicketRecord::Issued(ticket) => {
                self.tickets.insert(ticket.id.clone(), (**ticket).clone());
            }
            TicketRecord::Kept { id, until } => {
                self.change(id, |ticket| ticket.keep_until = *until);
            }
            TicketRecord::Answered { id, at } => self.ends(id, TicketState::Answered, *at),
            TicketRecord::Cancelled { id, at } => self.ends(id, TicketState::Cancelled, *at),
            TicketRecord::Expired { id } => {
                self.tickets.remove(id);
            }
        }
    }

    fn ends(&mut self, id: &TicketId, state: TicketState, at: Timestamp) {
        self.change(id, |ticket| {
            ticket.state = state;
            ticket.moved_at = at;
            ticket.keep_until = at + KEPT;
        });
    }

    fn change(&mut self, id: &TicketId, change: impl FnOnce(&mut Ticket)) {
        if let Some(ticket) = self.tickets.get_mut(id) {
            change(ticket);
        }
    }
}

impl TicketRecord {
    pub const fn id(&self) -> &TicketId {
        match self {
            Self::Issued(ticket) => &ticket.id,
            Self::Kept { id, .. } | Self::Answered { id, .. } | Self::Cancelled { id, .. } | Self::Expired { id } => id,
        }
    }
}
