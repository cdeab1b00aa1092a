//! What the hub has to do with services outside, Discord aside: made from its settings, and set going with it.

use std::sync::Arc;

use secrecy::SecretString;

use super::HubError;
use super::discord::Discord;
use crate::actors::forge::{Forge, ForgeDestination};
use crate::actors::journal::JournalReads;
use crate::actors::outbox::{Destination, Destinations};
use crate::actors::{Credentials, HubRef};
use crate::clock::Clock;
use crate::domain::ids::PrincipalId;
use crate::journal::ReadError;
use crate::journal::vault::Vault;
use crate::settings::{ConfigFaults, HubSettings};
use crate::tools::hooks::HookEffects;
use crate::tracker::{Tracker, TrackerDestination};
use crate::webhooks::{Sources, Subscription, WebhookDestination, added_destinations, subscriptions};

pub(super) struct Outward {
    /// Who may call by webhook.
    pub(super) sources: Sources,
    webhooks: Vec<Subscription>,
    hooks: HookEffects,
    tracker: Option<TrackerDestination>,
    forge: ForgeDestination,
    /// Where pull requests live.
    pub(super) port: Forge,
}

impl Outward {
    pub(super) fn load(
        hub: &HubSettings,
        tracker_token: Option<SecretString>,
        forge_token: Option<SecretString>,
        clock: Clock,
    ) -> Result<Self, ConfigFaults> {
        let (webhooks, sources) = (subscriptions(hub)?, Sources::load(hub)?);
        let tracker = Tracker::load(hub, tracker_token, clock)?.map(TrackerDestination::new);
        let port = Forge::new(forge_token).keeping(&hub.data_dir);
        let forge = ForgeDestination::new(port.clone());
        Ok(Self { sources, webhooks, hooks: HookEffects::default(), tracker, forge, port })
    }

    /// Where the outbox sends to. Fails when the journal cannot say what was added while an earlier hub ran.
    pub(super) async fn destinations(
        &self,
        discord: Option<&Discord>,
        (journal, vault): (&JournalReads, &Arc<dyn Vault>),
        settings: &HubSettings,
        clock: &Clock,
    ) -> Result<Destinations, HubError> {
        let unread = |error: ReadError| HubError::Begin(error.to_string());
        let read = journal.read(|reader| Ok((reader.webhooks()?, reader.delivery_counts()?))).await;
        let (added, counts) = read.map_err(unread)?;
        let in_settings = |name: &str| settings.webhooks.outbound.contains_key(name);
        let by_hub = PrincipalId::parse("hub")?;
        let credentials = Credentials::default();
        let added = added_destinations(&added, &counts, in_settings, &by_hub, vault, (clock, &credentials));
        let webhooks = self.webhooks.iter().map(|webhook| WebhookDestination::new(webhook.clone(), clock.clone()));
        let webhooks = webhooks.map(|webhook| Arc::new(webhook) as Arc<dyn Destination>);
        let hooks = Arc::new(self.hooks.clone()) as Arc<dyn Destination>;
        let tracker = self.tracker.clone().map(|tracker| Arc::new(tracker) as Arc<dyn Destination>);
        let forge = Arc::new(self.forge.clone()) as Arc<dyn Destination>;
        let ours = [hooks, forge].into_iter().chain(tracker);
        let fixed = webhooks.chain(discord.map(Discord::destination)).chain(ours).collect();
        Ok(Destinations::with_added(fixed, added, Arc::clone(vault), credentials))
    }

    /// What waited for the hub goes on.
    pub(super) fn begin(&self, hub: &HubRef) {
        self.hooks.begin(hub);
        if let Some(tracker) = &self.tracker {
            tracker.begin(hub);
        }
        self.forge.begin(hub);
    }
}
