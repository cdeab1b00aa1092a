//! Limits open connections. A connection counts as unauthenticated until its first valid credential.
//!
//! At most half of the places are for strangers. When none is left, a newcomer gets that of the oldest stranger of the
//! most crowded network, so silent connections keep nobody out. Authenticated ones are never ended.
//!
//! A cap for each address would not help where all come from one, as on the hub's own machine.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::ops::DerefMut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use tokio::task::AbortHandle;

fn unauthenticated_limit(connections: usize) -> usize {
    (connections / 2).max(STRANGERS_AT_LEAST).min(connections)
}

/// Room for probes of health, and for agents that come back all at once.
const STRANGERS_AT_LEAST: usize = 32;

#[derive(Debug)]
pub(super) struct Places {
    most: usize,
    strangers_at_most: usize,
    #[expect(clippy::disallowed_types, reason = "a place is given back by a drop, and no await lies inside")]
    book: std::sync::Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    last: u64,
    known: usize,
    strangers: usize,
    /// By where they come from, in the order in which they came.
    from: BTreeMap<Option<IpAddr>, BTreeMap<u64, Option<AbortHandle>>>,
}

impl Places {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, strangers_at_most: unauthenticated_limit(most), book: Default::default() })
    }

    /// None when all are taken by authenticated ones.
    ///
    pub(super) fn take(self: &Arc<Self>, peer: Option<IpAddr>) -> Option<ConnectionSlot> {
        let mut book = self.book();
        if book.strangers >= self.strangers_at_most || book.strangers + book.known >= self.most {
            book.show_one_out()?;
        }
        let number = book.enters(network(peer));
        drop(book);
        let guest = PeerState { places: Arc::clone(self), number, peer, known: AtomicBool::new(false) };
        Some(ConnectionSlot(ConnectionPeer(Arc::new(guest))))
    }

    fn book(&self) -> impl DerefMut<Target = Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn enters(&mut self, from: Option<IpAddr>) -> u64 {
        self.last += 1;
        self.strangers += 1;
        self.from.entry(from).or_default().insert(self.last, None);
        self.last
    }

    /// Whether they were unauthenticated until now.
    fn leaves(&mut self, from: Option<IpAddr>, number: u64) -> bool {
        let Some(same) = self.from.get_mut(&from) else { return false };
        if same.remove(&number).is_none() {
            return false;
        }
        if same.is_empty() {
            self.from.remove(&from);
        }
        self.strangers -= 1;
        true
    }

    /// Ends the connection of the one who came first from where most come from. None when there are no strangers.
    fn show_one_out(&mut self) -> Option<()> {
        // Of crowds of the same size, the one whose first came first: no address is better than another.
        let first = |same: &BTreeMap<u64, _>| same.first_key_value().map(|(number, _)| Reverse(*number));
        let (from, crowd) = self.from.iter().max_by_key(|(_, same)| (same.len(), first(same)))?;
        let (from, (number, talk)) = (*from, crowd.first_key_value()?);
        tracing::debug!(
            crowd = crowd.len(),
            "a connection without a credential was closed: a newcomer takes its place"
        );
        if let Some(talk) = talk {
            talk.abort();
        }
        let number = *number;
        self.leaves(from, number);
        Some(())
    }
}

/// What one household can have many addresses of counts as one: 64 bits of the newer kind.
fn network(peer: Option<IpAddr>) -> Option<IpAddr> {
    peer.map(|peer| match peer {
        IpAddr::V4(_) => peer,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    })
}

/// The slot of one connection; dropping it frees the slot.
#[derive(Debug)]
pub(super) struct ConnectionSlot(ConnectionPeer);

impl ConnectionSlot {
    pub(super) const fn peer_handle(&self) -> &ConnectionPeer {
        &self.0
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let PeerState { places, number, peer, known } = &*self.0.0;
        let mut book = places.book();
        if !book.leaves(network(*peer), *number) && known.load(Ordering::Relaxed) {
            book.known -= 1;
        }
    }
}

/// The peer of a connection, unauthenticated until its first valid credential. May outlive the connection.
#[derive(Debug, Clone)]
pub struct ConnectionPeer(Arc<PeerState>);

#[derive(Debug)]
struct PeerState {
    places: Arc<Places>,
    number: u64,
    peer: Option<IpAddr>,
    known: AtomicBool,
}

impl ConnectionPeer {
    pub fn peer(&self) -> Option<IpAddr> {
        self.0.peer
    }

    /// The peer is authenticated: its slot is free for another unauthenticated one.
    pub fn is_known(&self) {
        let PeerState { places, number, peer, known } = &*self.0;
        if known.load(Ordering::Relaxed) {
            return;
        }
        let mut book = places.book();
        // Whoever was shown out, or has left, has no place any more.
        if book.leaves(network(*peer), *number) {
            book.known += 1;
            known.store(true, Ordering::Relaxed);
        }
    }

    /// This ends when the place is given to somebody else.
    pub(super) fn talks(&self, talk: AbortHandle) {
        let mut book = self.0.places.book();
        let same = book.from.get_mut(&network(self.0.peer));
        // Whoever is known already, or gone, is not there any more.
        if let Some(kept) = same.and_then(|same| same.get_mut(&self.0.number)) {
            *kept = Some(talk);
        }
    }
}

#[cfg(test)]
mod tests;
