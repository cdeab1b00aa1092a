//! Where deliveries go: the port behind which a chat, a tracker or a webhook stands.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::handle::OutboxRef;
use crate::actors::credentials::Credentials;
use crate::actors::journal::Outlet;
use crate::actors::ownership::Ownership;
use crate::broken::{self, Break};
use crate::domain::outbox::{Delivery, NewDelivery, SendOutcome};
use crate::journal::Append;
use crate::journal::vault::Vault;

pub trait Destination: Send + Sync + 'static {
    /// Its name, as deliveries carry it. It never changes.
    fn name(&self) -> &str;

    /// What of this append must reach it. Called by the journal for each append: must neither block nor wait.
    fn wants(&self, append: &Append) -> Vec<NewDelivery>;

    /// What it must get because a delivery became a dead letter or was dropped, written with that end. An owed delivery
    /// owes nothing itself, or there would be no end.
    fn owed(&self, _over: &Delivery) -> Option<NewDelivery> {
        None
    }

    /// For how long a delivery is tried; without a limit, until it is taken or refused.
    fn give_up_after(&self) -> Option<Duration>;

    /// Told whether a dead letter to it stands, at the start and whenever that may have changed.
    fn has_dead_letters(&self, _any: bool) {}

    /// Why nothing goes out to it, beside its dead letters, where that is so.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Sends one delivery under its key ([`Delivery::key`]); perhaps again, after a crash or where no answer came.
    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome>;
}

/// Every destination of a hub: those that it was started with, and those added since. Clones share them.
#[derive(Clone)]
pub struct Destinations(Arc<Shared>);

struct Shared {
    fixed: Vec<Arc<dyn Destination>>,
    added: watch::Sender<BTreeMap<String, Arc<dyn Destination>>>,
    turn: Semaphore,
    secrets: Option<Arc<dyn Vault>>,
    credentials: Credentials,
    ownership: Ownership,
}

impl Destinations {
    pub fn new(all: Vec<Arc<dyn Destination>>) -> Self {
        Self::made(all, BTreeMap::new(), None, Credentials::default())
    }

    /// These while the hub runs, and those added while an earlier one ran; secrets of what is added are in this vault.
    pub fn with_added(
        fixed: Vec<Arc<dyn Destination>>,
        added: Vec<Arc<dyn Destination>>,
        secrets: Arc<dyn Vault>,
        credentials: Credentials,
    ) -> Self {
        let added = added.into_iter().map(|one| (one.name().to_owned(), one)).collect();
        Self::made(fixed, added, Some(secrets), credentials)
    }

    fn made(
        fixed: Vec<Arc<dyn Destination>>,
        added: BTreeMap<String, Arc<dyn Destination>>,
        secrets: Option<Arc<dyn Vault>>,
        credentials: Credentials,
    ) -> Self {
        let (added, turn) = (watch::Sender::new(added), Semaphore::new(1));
        Self(Arc::new(Shared { fixed, added, turn, secrets, credentials, ownership: Ownership::default() }))
    }

    pub fn credentials(&self) -> Credentials {
        self.0.credentials.clone()
    }

    pub fn ownership(&self) -> &Ownership {
        &self.0.ownership
    }

    pub fn secrets(&self) -> Option<&Arc<dyn Vault>> {
        self.0.secrets.as_ref()
    }

    /// Waits until nobody else adds, changes or removes one; it is the caller's turn until the answer is dropped.
    pub async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        // Never closed, so there is always a permit to wait for.
        self.0.turn.acquire().await.ok()
    }

    pub fn added(&self, name: &str) -> Option<Arc<dyn Destination>> {
        self.0.added.borrow().get(name).cloned()
    }

    pub fn put(&self, one: Arc<dyn Destination>) {
        self.0.added.send_modify(|added| {
            added.insert(one.name().to_owned(), one);
        });
    }

    /// Takes one away that was added, once nothing waits for it.
    pub fn take(&self, name: &str) {
        self.0.added.send_modify(|added| drop(added.remove(name)));
    }

    pub(super) fn all(&self) -> Vec<Arc<dyn Destination>> {
        let added = self.0.added.borrow();
        self.0.fixed.iter().chain(added.values()).cloned().collect()
    }
}

impl Default for Destinations {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl fmt::Debug for Destinations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all().iter().map(|one| one.name())).finish()
    }
}

#[derive(Debug)]
pub struct DestinationsOutlet {
    pub destinations: Destinations,
    pub outbox: OutboxRef,
}

impl Outlet for DestinationsOutlet {
    fn outgoing(&self, append: &Append) -> Vec<NewDelivery> {
        if append.at.0.is_multiple_of(5) && broken::by(Break::LosesDeliveries) {
            return Vec::new();
        }
        let named = |one: &Arc<dyn Destination>| {
            let name = one.name().to_owned();
            one.wants(append).into_iter().map(move |new| NewDelivery { destination: name.clone(), ..new })
        };
        self.destinations.all().iter().flat_map(named).collect()
    }

    fn written(&self) {
        self.outbox.written();
    }
}
