//! Subscriptions that are added while the hub runs: their secrets, and their destinations at its start.
//!
//! *The secret* is in a file of its own in [`FOLDER`] of the data directory (700), which its owner alone may read
//! (600). It is written before the record that names it, so no record is without one; a file that a crash left behind
//! is removed at the next start. A secret that cannot be read stops its subscription, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::destination::{Hearing, WebhookDestination};
use super::push::{KEY_FILE, PushDevice};
use super::sender::WebhookSender;
use super::subscription::{Subscription, secret};
use crate::actors::Credentials;
use crate::actors::outbox::Destination;
use crate::clock::Clock;
use crate::domain::ids::PrincipalId;
use crate::domain::outbox::DeliveryStateName;
use crate::domain::webhook::{Webhook, added_name};
use crate::journal::DeliveryCounts;
use crate::private_file;
use crate::settings::OutboundWebhook;

/// The folder of the secrets, in the data directory.
pub const FOLDER: &str = "webhooks";

/// How many subscriptions may be added.
pub const MOST_ADDED: usize = 50;

/// How many random bytes a secret has that the hub makes.
const SECRET_BYTES: usize = 32;

/// A new signing secret: `whsec_` and 32 random bytes in base64.
pub fn draw_secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(format!("whsec_{}", STANDARD.encode(bytes)))
}

/// Writes a secret to a file of this name, for its owner alone; on disk when this returns. What stands there is left of
/// a crash, and replaced. Fails when the disk does not take it.
pub fn write_secret(folder: &Path, name: &str, secret: &str) -> io::Result<()> {
    private_file::make_folder(folder)?;
    private_file::replace(&folder.join(name), format!("{secret}\n").as_bytes())
}

/// Removes a secret that nothing names any more. One that stays is removed at the next start.
pub fn remove_secret(folder: &Path, name: &str) {
    match fs::remove_file(folder.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!("a webhook's old secret `{name}` stays until the next start: {error}");
        }
        Err(_) | Ok(()) => {}
    }
}

/// What an added webhook is to the rest of the hub, with its secret. Fails as [`Subscription::load`] does.
pub fn load_added(webhook: &Webhook, folder: &Path) -> Result<Subscription, (&'static str, String)> {
    if webhook.push {
        return load_device(webhook, folder);
    }
    let set = OutboundWebhook {
        url: webhook.url.clone(),
        secret_file: folder.join(&webhook.secret_file),
        events: webhook.events.clone(),
        allow_private: webhook.allow_private,
    };
    let subscription = Subscription::load(&webhook.name, &set)?;
    // Without the secret before it is signed with the new one alone.
    let previous = webhook.previous_secret.as_ref();
    let previous = previous.and_then(|previous| Some((secret(&folder.join(&previous.file)).ok()?, previous.until)));
    Ok(match previous {
        Some((secret, until)) => Subscription { post: subscription.post.also_signed(secret, until), ..subscription },
        None => subscription,
    })
}

/// The same of a browser.
fn load_device(webhook: &Webhook, folder: &Path) -> Result<Subscription, (&'static str, String)> {
    let url = Subscription::check(&webhook.name, &webhook.url, &webhook.events, webhook.allow_private)?;
    let device = PushDevice::load(folder, webhook).map_err(|why| ("keys", why))?;
    let post = WebhookSender::to_device(url, device, webhook.allow_private);
    let post = post.map_err(|error| ("url", format!("failed to set up HTTP: {error}")))?;
    Ok(Subscription { name: webhook.name.clone(), events: webhook.events.clone(), post })
}

/// How it hears: not at all where it cannot be loaded.
pub fn hearing(webhook: &Webhook, folder: &Path) -> Hearing {
    match load_added(webhook, folder) {
        Ok(subscription) => Hearing::On(Box::new(subscription)),
        Err((key, why)) => Hearing::Broken(format!("its `{key}` cannot be used: {why}")),
    }
}

/// The destinations of those that were added while an earlier hub ran.
///
/// And of those that were removed and for which something still waits. A name that `hub.yaml` has taken since is that
/// one's. Files of secrets that nothing names are removed.
pub fn added_destinations(
    added: &[Webhook],
    counts: &DeliveryCounts,
    in_settings: impl Fn(&str) -> bool,
    by_hub: &PrincipalId,
    folder: &Path,
    (clock, credentials): (&Clock, &Credentials),
) -> Vec<Arc<dyn Destination>> {
    sweep(added, folder);
    let kept = added.iter().map(|webhook| {
        let hearing = if in_settings(&webhook.name) {
            Hearing::Broken("hub.yaml has a webhook of this name, too: remove one of them".to_owned())
        } else {
            hearing(webhook, folder)
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

/// Removes what nothing names.
fn sweep(added: &[Webhook], folder: &Path) {
    let Ok(files) = fs::read_dir(folder) else { return };
    let named: BTreeSet<&str> = added.iter().flat_map(Webhook::secret_files).chain([KEY_FILE]).collect();
    for file in files.flatten() {
        let name = file.file_name();
        if let Some(name) = name.to_str().filter(|name| !named.contains(name)) {
            remove_secret(folder, name);
        }
    }
}
