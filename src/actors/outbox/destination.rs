//! Where deliveries go: the port behind which a chat, a tracker or a webhook stands.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::handle::OutboxRef;
use crate::actors::journal::Outlet;
use crate::broken::{self, Break};
use crate::domain::outbox::{Delivery, NewDelivery, SendOutcome};
use crate::journal::Append;

/// Somewhere outside.
pub trait Destination: Send + Sync + 'static {
    /// Its name, as deliveries carry it. It never changes.
    fn name(&self) -> &str;

    /// What of this append must reach it. Called by the journal for each append: must neither block nor wait.
    fn wants(&self, append: &Append) -> Vec<NewDelivery>;

    /// For how long a delivery is tried; without a limit, until it is taken or refused.
    fn give_up_after(&self) -> Option<Duration>;

    /// Told whether a dead letter to it stands, at the start and whenever that may have changed.
    fn has_dead_letters(&self, _any: bool) {}

    /// Sends one delivery under its key ([`Delivery::key`]). It may be called again for the same one, after a crash or
    /// where no answer came.
    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome>;
}

/// Every destination of a hub. Cheap to clone.
#[derive(Clone, Default)]
pub struct Destinations(Arc<[Arc<dyn Destination>]>);

impl Destinations {
    /// These.
    #[must_use]
    pub fn new(all: Vec<Arc<dyn Destination>>) -> Self {
        Self(all.into())
    }

    /// Every one.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<dyn Destination>> {
        self.0.iter()
    }
}

impl fmt::Debug for Destinations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|one| one.name())).finish()
    }
}

/// What the journal asks, and tells.
#[derive(Debug)]
pub struct DestinationsOutlet {
    /// Who is asked.
    pub destinations: Destinations,
    /// Who is told.
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
        self.destinations.iter().flat_map(named).collect()
    }

    fn written(&self) {
        self.outbox.written();
    }
}
