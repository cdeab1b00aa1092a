//! Subscriptions that are added while the hub runs: their secrets, and their destinations at its start.
//!
//! Secrets are texts of their own in the vault, written before the record that names them; those that a crash left are
//! removed at the next start. A secret that cannot be read stops its subscription, and nothing else.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::destination::{Hearing, WebhookDestination};
use super::push::PushDevice;
use super::secret::{SigningSecret, kept_as};
use super::sender::WebhookSender;
use super::subscription::Subscription;
use crate::actors::Credentials;
use crate::actors::outbox::Destination;
use crate::clock::Clock;
use crate::domain::ids::PrincipalId;
use crate::domain::outbox::DeliveryStateName;
use crate::domain::webhook::{Webhook, added_name};
use crate::journal::DeliveryCounts;
use crate::journal::vault::{PUSH_KEY, Vault};
use crate::settings::OutboundWebhook;

pub const MOST_ADDED: usize = 50;

const SECRET_BYTES: usize = 32;

/// A new signing secret: `whsec_` and 32 random bytes in base64.
pub fn draw_secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(format!("whsec_{}", STANDARD.encode(bytes)))
}

/// Replaces what a crash may have left under this name. May wait for a disk or database; fails when that does.
pub fn write_secret(vault: &dyn Vault, file: &str, secret: &str) -> io::Result<()> {
    vault.write(&kept_as(file), &format!("{secret}\n"))
}

fn secret(vault: &dyn Vault, file: &str) -> Result<SigningSecret, String> {
    let text = vault.need(&kept_as(file)).map_err(|error| error.to_string())?;
    SigningSecret::parse(&text).map_err(|error| format!("`{}` {error}", vault.shown(&kept_as(file))))
}

/// What an added webhook is to the rest of the hub, with its secret. Fails as [`Subscription::load`] does.
pub fn load_added(webhook: &Webhook, vault: &Arc<dyn Vault>) -> Result<Subscription, (&'static str, String)> {
    if webhook.push {
        return load_device(webhook, vault);
    }
    let set = OutboundWebhook {
        url: webhook.url.clone(),
        secret_file: webhook.secret_file.clone().into(),
        events: webhook.events.clone(),
        allow_private: webhook.allow_private,
    };
    let subscription = Subscription::signed(&webhook.name, &set, || secret(&**vault, &webhook.secret_file))?;
    // Without the secret before it is signed with the new one alone.
    let previous = webhook.previous_secret.as_ref();
    let previous = previous.and_then(|previous| Some((secret(&**vault, &previous.file).ok()?, previous.until)));
    Ok(match previous {
        Some((secret, until)) => Subscription { post: subscription.post.also_signed(secret, until), ..subscription },
        None => subscription,
    })
}

fn load_device(webhook: &Webhook, vault: &Arc<dyn Vault>) -> Result<Subscription, (&'static str, String)> {
    let url = Subscription::check(&webhook.name, &webhook.url, &webhook.events, webhook.allow_private)?;
    let device = PushDevice::load(vault, webhook).map_err(|why| ("keys", why))?;
    let post = WebhookSender::to_device(url, device, webhook.allow_private);
    let post = post.map_err(|error| ("url", format!("failed to set up HTTP: {error}")))?;
    Ok(Subscription { name: webhook.name.clone(), events: webhook.events.clone(), post })
}

pub fn hearing(webhook: &Webhook, vault: &Arc<dyn Vault>) -> Hearing {
    match load_added(webhook, vault) {
        Ok(subscription) => Hearing::On(Box::new(subscription)),
        Err((key, why)) => Hearing::Broken(format!("its `{key}` cannot be used: {why}")),
    }
}

/// Destinations of what an earlier hub added, or removed while something still waits for it. A name that `hub.yaml` has
/// taken since is that one's. Secrets that nothing names are removed.
pub fn added_destinations(
    added: &[Webhook],
    counts: &DeliveryCounts,
    in_settings: impl Fn(&str) -> bool,
    by_hub: &PrincipalId,
    vault: &Arc<dyn Vault>,
    (clock, credentials): (&Clock, &Credentials),
) -> Vec<Arc<dyn Destination>> {
    sweep(added, &**vault);
    let kept = added.iter().map(|webhook| {
        let hearing = if in_settings(&webhook.name) {
            Hearing::Broken("hub.yaml has a webhook of this name, too: remove one of them".to_owned())
        } else {
            hearing(webhook, vault)
        };
        if let Hearing::Broken(why) = &hearing {
            tracing::warn!("the webhook `{}` is stopped: {why}", webhook.name);
        }
        WebhookDestination::kept(webhook, hearing, clock.clone(), credentials.clone())
    });
    let known: BTreeSet<String> = added.iter().map(Webhook::destination).collect();
    let waits = counts.keys().filter(|(name, state)| *state == DeliveryStateName::Pending && !known.contains(name));
    let removed = waits.filter_map(|(destination, _)| {
        let name = added_name(destination)?;
        Some(WebhookDestination::removed(destination, name, by_hub.clone(), clock.clone()))
    });
    kept.chain(removed).map(|one| Arc::new(one) as Arc<dyn Destination>).collect()
}

fn sweep(added: &[Webhook], vault: &dyn Vault) {
    let named: BTreeSet<String> =
        added.iter().flat_map(Webhook::secret_files).map(kept_as).chain([PUSH_KEY.to_owned()]).collect();
    let kept = vault.secrets().unwrap_or_default();
    kept.iter().filter(|name| !named.contains(*name)).for_each(|name| vault.remove(name));
}
