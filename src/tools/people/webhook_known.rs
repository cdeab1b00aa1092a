//! The webhooks that there are: those of hub.yaml, and those that were added while a hub ran.

use super::prelude::*;
use crate::domain::webhook::Webhook;
use crate::settings::OutboundWebhook;
use crate::webhooks::{Subscription, destination_name, load_added};

#[derive(Debug, Clone)]
pub(super) enum KnownWebhook {
    Set(String, OutboundWebhook),
    Added(Box<Webhook>),
}

impl KnownWebhook {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Set(name, _) => name,
            Self::Added(webhook) => &webhook.name,
        }
    }

    pub(super) fn destination(&self) -> String {
        match self {
            Self::Set(name, _) => destination_name(name),
            Self::Added(webhook) => webhook.destination(),
        }
    }

    pub(super) fn events(&self) -> &[String] {
        match self {
            Self::Set(_, set) => &set.events,
            Self::Added(webhook) => &webhook.events,
        }
    }

    pub(super) fn url(&self) -> (&str, bool) {
        match self {
            Self::Set(_, set) => (&set.url, set.allow_private),
            Self::Added(webhook) => (&webhook.url, webhook.allow_private),
        }
    }

    pub(super) fn load(&self, hub: &HubRef) -> Result<Subscription, (&'static str, String)> {
        match (self, hub.destinations.secrets()) {
            (Self::Set(name, set), _) => Subscription::load(name, set),
            (Self::Added(webhook), Some(vault)) => load_added(webhook, vault),
            (Self::Added(_), None) => Err(("secretFile", "is kept nowhere by this hub".to_owned())),
        }
    }
}

/// Every webhook: those of hub.yaml by name, then those that were added by name.
pub(super) async fn known(hub: &HubRef) -> Result<Vec<KnownWebhook>> {
    let added = hub.journal.read(|reader| reader.webhooks()).await.map_err(|error| read(&error))?;
    let settings = hub.settings();
    let set = settings.hub.webhooks.outbound.iter().map(|(name, set)| KnownWebhook::Set(name.clone(), set.clone()));
    Ok(set.chain(added.into_iter().map(|webhook| KnownWebhook::Added(Box::new(webhook)))).collect())
}

/// The one of this name. Of two, the one of hub.yaml is in force.
pub(super) async fn find(hub: &HubRef, name: &str) -> Result<KnownWebhook> {
    known(hub).await?.into_iter().find(|one| one.name() == name).ok_or_else(|| no_such_webhook(name))
}

pub(super) fn no_such_webhook(given: &str) -> Refusal {
    Refusal::without_advice("WEBHOOK_NOT_FOUND", format!("there is no webhook `{}`", shown(given)))
}
