//! What an actor shows without being asked: how full its mailbox is, whether anybody need ask it, whether it is there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use prometheus_client::metrics::counter::Counter;

use super::counters::Counters;
use crate::domain::agent::{Departure, DepartureKind, Presence};
use crate::domain::time::Timestamp;

/// How full a mailbox is, whether something lies ready for a client or may need a person, and an agent's presence.
#[derive(Debug)]
pub struct MailboxMetrics {
    depth: AtomicUsize,
    handled: AtomicU64,
    flag: AtomicBool,
    needs: AtomicBool,
    presence: [AtomicU64; 3],
    limit: usize,
    rejected: Counter,
}

impl MailboxMetrics {
    /// Nothing waits, nothing is shown. `limit` is what doors are held to, and `counters` counts whom it held off.
    pub fn new(limit: usize, counters: &Counters) -> Arc<Self> {
        let rejected = counters.rejected.clone();
        let (depth, handled) = (AtomicUsize::new(0), AtomicU64::new(0));
        let (flag, needs) = (AtomicBool::new(false), AtomicBool::new(true));
        Arc::new(Self { depth, handled, flag, needs, presence: Default::default(), limit, rejected })
    }

    pub fn depth(&self) -> usize {
        self.depth.load(Ordering::Acquire)
    }

    pub fn handled(&self) -> u64 {
        self.handled.load(Ordering::Relaxed)
    }

    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// Whether something lies ready.
    pub fn is_raised(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }

    /// Raises the flag, or takes it down. For the actor alone, before it answers whoever may look.
    pub fn raise(&self, ready: bool) {
        self.flag.store(ready, Ordering::Release);
    }

    /// Whether something of the actor may need a person. False only where its last turn [ended](Self::ended) with
    /// `false` and no message waits: what was told to it before this call is in the answer then, as if it were asked.
    pub fn may_need_a_person(&self) -> bool {
        // In this order: a message that is not counted any more has begun a turn, which set the flag before.
        self.depth() > 0 || self.needs.load(Ordering::Acquire)
    }

    /// Whether every message told before this call has had its whole turn: what that told others is in their mailboxes.
    /// False for an actor that failed in a turn, until the one in its place has ended its first.
    pub fn is_at_rest(&self) -> bool {
        !self.may_need_a_person()
    }

    /// A turn begins: one message was taken out. A turn that fails never ends: who asks then waits for the new actor.
    pub fn began(&self) {
        self.needs.store(true, Ordering::Release);
        self.took();
    }

    /// A turn ended, after which something of the actor `needs` a person, or nothing does.
    pub fn ended(&self, needs: bool) {
        self.needs.store(needs, Ordering::Release);
    }

    /// Shows from outside whether an agent is there. For the actor alone, before it answers whoever may look.
    pub fn shows(&self, presence: &Presence) {
        let departed = presence.departure.map(|departure| match departure.how {
            DepartureKind::Ended => departure.at.0 << 1,
            DepartureKind::Lost => (departure.at.0 << 1) | 1,
        });
        let shown = [presence.last_seen.map(|at| at.0), presence.waiting_since.map(|at| at.0), departed];
        for (cell, value) in self.presence.iter().zip(shown) {
            cell.store(value.map_or(0, |value| value.saturating_add(1)), Ordering::Release);
        }
    }

    /// Whether an agent is there, as its actor [showed](Self::shows) it last; nobody is asked.
    pub fn presence(&self) -> Presence {
        let [last_seen, waiting_since, departed] =
            [0, 1, 2].map(|cell| self.presence[cell].load(Ordering::Acquire).checked_sub(1));
        let departure = departed.map(|kept| Departure {
            at: Timestamp(kept >> 1),
            how: if kept & 1 == 0 { DepartureKind::Ended } else { DepartureKind::Lost },
        });
        Presence { last_seen: last_seen.map(Timestamp), waiting_since: waiting_since.map(Timestamp), departure }
    }

    pub fn took(&self) {
        let _ = self.depth.fetch_update(Ordering::Release, Ordering::Relaxed, |depth| depth.checked_sub(1));
        self.handled.fetch_add(1, Ordering::Relaxed);
    }

    pub fn lost(&self) {
        self.depth.store(0, Ordering::Relaxed);
    }

    pub(super) fn rejects(&self) {
        self.rejected.inc();
    }

    pub(super) fn put(&self) {
        self.depth.fetch_add(1, Ordering::Relaxed);
    }
}
