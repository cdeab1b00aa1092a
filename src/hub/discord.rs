//! Discord, put together: what the journal's outbox sends to, and the services that hear and edit.

#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use secrecy::SecretString;
use tokio::sync::Notify;

use crate::actors::HubRef;
use crate::actors::common::Fault;
use crate::actors::discord::{
    AuditPosts, Changes, DiscordDestination, DiscordRest, Gateway, Keeper, Pending, Places, Shared, StatusEdits,
};
use crate::actors::outbox::Destination;
use crate::actors::service::Service;
use crate::actors::supervisor::ServiceKind;
use crate::journal::vault::Vault;
use crate::journal::{ReadError, Reader};
use crate::settings::{DiscordSettings, Settings, Snowflake};
use crate::transport::discord::DiscordDoor;

/// Discord before the actors are there.
pub(super) struct Discord {
    token: Arc<SecretString>,
    settings: DiscordSettings,
    rest: DiscordRest,
    shared: Shared,
    places: Places,
    changes: Changes,
    keeper: Keeper,
    hub: Arc<OnceLock<HubRef>>,
}

impl Discord {
    /// What is needed before the journal opens; none without a token, which is said once.
    pub(super) fn prepare(
        settings: &Settings,
        token: Option<SecretString>,
        vault: &Arc<dyn Vault>,
        reader: &dyn Reader,
    ) -> Result<Option<Self>, ReadError> {
        let Some(token) = token else {
            tracing::info!("Discord is off: neither DISCORD_TOKEN nor DISCORD_TOKEN_FILE is set");
            return Ok(None);
        };
        if settings.permissions.is_empty() {
            tracing::warn!("nobody on Discord may do anything yet: write permissions.yaml");
        }
        let by_name = |role: &String| Snowflake::parse(role).is_none();
        if settings.hub.discord.guilds.is_empty() && settings.permissions.roles.keys().any(by_name) {
            tracing::warn!(
                "names of roles in permissions.yaml give nothing: anybody can make a role of that name in a server of \
                 theirs. List your servers in `discord.guilds` of hub.yaml, or use the ids of roles"
            );
        }
        let places = Places::read(reader)?;
        let mut memory = Keeper::read(&**vault);
        // It is written a little later than tasks are: those say how far a channel was heard where a crash came
        // between. It must be known before the connection is: that tells each channel's newest message, and a channel
        // of which nothing is known counts as heard up to there.
        memory.begins_channels(places.newest());
        let shared = Shared::new(memory);
        let discord = settings.hub.discord.clone();
        // The same provider that the hub's own TLS has; set already where the command line did.
        drop(rustls::crypto::ring::default_provider().install_default());
        Ok(Some(Self {
            rest: DiscordRest::new(&token, discord.api_base.as_deref(), shared.clone()),
            token: Arc::new(token),
            settings: discord,
            keeper: Keeper::new(Arc::clone(vault), shared.clone()),
            shared,
            places,
            changes: Changes::default(),
            hub: Arc::default(),
        }))
    }

    /// What the outbox sends to.
    pub(super) fn destination(&self) -> Arc<dyn Destination> {
        let (rest, shared, places) = (self.rest.clone(), self.shared.clone(), self.places.clone());
        let discord = DiscordDestination::new(rest, shared, places, self.changes.clone(), Arc::clone(&self.hub));
        Arc::new(discord)
    }

    /// Hears and speaks from now on. Returns at once, whether or not Discord can be reached.
    pub(super) async fn start(self, hub: &HubRef) -> Result<(), Fault> {
        self.start_behind(hub, |gateway| Arc::new(gateway)).await
    }

    /// The same behind another connection, as tests build it.
    async fn start_behind(self, hub: &HubRef, gateway: impl FnOnce(Gateway) -> Arc<dyn Service>) -> Result<(), Fault> {
        // Set once: this is the only one that does.
        let _ = self.hub.set(hub.clone());
        let events = Pending::default();
        let connection = Gateway {
            token: self.token,
            settings: self.settings,
            shared: self.shared.clone(),
            door: events.clone(),
            clock: hub.clock.clone(),
            ids: hub.ids.clone(),
        };
        let decided = Arc::new(Notify::new());
        let posts = AuditPosts {
            rest: self.rest.clone(),
            shared: self.shared.clone(),
            hub: Arc::clone(&self.hub),
            decided: Arc::clone(&decided),
        };
        let door = DiscordDoor {
            hub: hub.clone(),
            rest: self.rest.clone(),
            shared: self.shared.clone(),
            places: self.places,
            events,
            told: Arc::default(),
            under_way: Arc::default(),
            lately: Arc::default(),
            gone: Arc::default(),
            turns: Arc::default(),
            decided,
        };
        let (rest, shared, changes) = (self.rest, self.shared, self.changes);
        let edits = StatusEdits { rest, shared, hub: self.hub, changes };
        let services: [(&'static str, Arc<dyn Service>); 5] = [
            ("discord-memory", Arc::new(self.keeper)),
            ("discord-status", Arc::new(edits)),
            ("discord-audit", Arc::new(posts)),
            ("discord-door", Arc::new(door)),
            ("discord-gateway", gateway(connection)),
        ];
        for (name, service) in services {
            hub.supervisor.supervise(ServiceKind { name, what: service }).await?;
        }
        Ok(())
    }
}
