//! The outbox's way to Discord.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sha2::{Digest as _, Sha256};

use super::called::called;
use super::memory::Shared;
use super::notices::{PlacedNotice, of};
use super::places::Places;
use super::rest::{DiscordRest, Fail};
use super::send::Sender;
use super::status::Changes;
use crate::actors::HubRef;
use crate::actors::outbox::Destination;
use crate::domain::discord::DiscordOrigin;
use crate::domain::outbox::{Delivery, NewDelivery, SendOutcome};
use crate::journal::Append;

const NAME: &str = "discord";
/// How long a permission that is missing is waited for: somebody may give it back.
const PERMISSION_WITHIN: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug)]
pub struct DiscordDestination {
    rest: DiscordRest,
    shared: Shared,
    places: Places,
    changes: Changes,
    /// Comes once the actors are there; nothing is sent before.
    hub: Arc<OnceLock<HubRef>>,
}

impl DiscordDestination {
    pub fn new(
        rest: DiscordRest,
        shared: Shared,
        places: Places,
        changes: Changes,
        hub: Arc<OnceLock<HubRef>>,
    ) -> Self {
        Self { rest, shared, places, changes, hub }
    }
}

impl Destination for DiscordDestination {
    fn name(&self) -> &str {
        NAME
    }

    fn wants(&self, append: &Append) -> Vec<NewDelivery> {
        let settings = self.hub.get().map(|hub| hub.settings());
        let (said, changed) = of(append, &self.places, |task| called(task, settings.as_deref()));
        changed.into_iter().for_each(|task| self.changes.put(task));
        said
    }

    /// For ever: whoever asked waits for it.
    fn give_up_after(&self) -> Option<Duration> {
        None
    }

    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome> {
        async move {
            let Some(hub) = self.hub.get() else {
                return SendOutcome::Retry { error: "the hub begins".to_owned(), after: None };
            };
            let said: PlacedNotice = match serde_json::from_value(delivery.body.clone()) {
                Ok(said) => said,
                Err(error) => return SendOutcome::Refused { reason: format!("it cannot be read: {error}") },
            };
            let Some(place) = DiscordOrigin::read(&said.place) else {
                return SendOutcome::Refused { reason: "it says not where".to_owned() };
            };
            let (rest, shared, changes, places) = (&self.rest, &self.shared, &self.changes, &self.places);
            let sender = Sender { hub, rest, shared, changes, places, place };
            match sender.say(said.notice, &nonce(delivery)).await {
                Ok(receipt) => SendOutcome::Delivered { receipt: receipt.map(|id| id.to_string()) },
                Err(fail) => {
                    self.shared.failed(fail.to_string());
                    match fail {
                        Fail::Later(error) => SendOutcome::Retry { error, after: None },
                        Fail::No { status: 401, text, .. } => {
                            SendOutcome::Retry { error: text, after: self.shared.token_pause() }
                        }
                        no if no.is_permission() && hub.clock.now().since(delivery.tried_since) < PERMISSION_WITHIN => {
                            SendOutcome::Retry { error: no.to_string(), after: None }
                        }
                        Fail::No { .. } => SendOutcome::Refused { reason: fail.to_string() },
                    }
                }
            }
        }
        .boxed()
    }
}

/// The nonce of a delivery's messages, always the same; its ids tell it from another hub on the same token. Discord
/// takes at most 25 characters; up to four more are added where a text is several messages.
fn nonce(delivery: &Delivery) -> String {
    let digest = Sha256::digest(delivery.body.to_string());
    format!("{}_{:02x}{:02x}{:02x}", delivery.id, digest[0], digest[1], digest[2])
}
