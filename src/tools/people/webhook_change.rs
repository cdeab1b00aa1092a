//! Webhooks that people add, change and remove while the hub runs.
//!
//! ```text
//!   check ─► secret to its file ─► destination in place, as before ─► append: record, row, key ─► it turns with it
//!                                                                          │ failed
//!                                                                          └─► destination as it was, secret gone
//! ```
//!
//! One change at a time. A crash before the append leaves a file that the next start removes. The secret is told once;
//! a repeat under the same key is answered without.

use std::sync::Arc;
use std::{fmt, io};

use super::prelude::*;
use super::webhook::{WebhookView, view};
use super::webhook_gap::settle_all;
use super::webhook_known::{KnownWebhook, find, known, no_such_webhook};
use crate::actors::journal::AppendError;
use crate::actors::outbox::OutboxOrder;
use crate::domain::outbox::DeliveryStateName;
use crate::domain::webhook::{BOTH_FOR, PreviousSecret, Webhook};
use crate::journal::vault::Vault;
use crate::journal::{Append, Entry, HubRecord, Row, WriteError};
use crate::webhooks::{
    Hearing, MOST_ADDED, PUSHED, PushKeys, SigningSecret, Subscription, WebhookDestination, draw_secret, hearing,
    public_key, remove_secret, write_secret,
};

/// Has events posted to one more subscriber, signed by Standard Webhooks.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddWebhook {
    /// Its name: 1 to 40 of a to z, 0 to 9 and `-`.
    pub name: String,
    /// Where events are posted: `https://`, to a public address.
    url: String,
    /// The types and families of types of events that it wants, as `task` or `question.asked`; none means all.
    #[serde(default)]
    events: Vec<String>,
    /// Whether it may go to a private address, and by `http://`.
    #[serde(default)]
    allow_private: bool,
    /// `whsec_` and 24 to 64 bytes in base64. Where it is left out, the hub makes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret: Option<SigningText>,
    /// The keys of a browser that subscribed with the hub's key (`GET /api/v1/push`): events go to it by Web Push, and
    /// `url` is its `endpoint`. It hears of questions and failed tasks where `events` is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    push: Option<PushKeys>,
}

/// Changes a webhook that was added. What is left out stays.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeWebhook {
    /// Where events are posted from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The types and families of types of events that it wants from now on; an empty list means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<String>>,
    /// Whether it may go to a private address, and by `http://`.
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_private: Option<bool>,
    /// Its secret from now on. For a day what goes out is signed with the one before, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<SigningText>,
    /// Has the hub make a new secret. For a day what goes out is signed with the one before, too.
    new_secret: bool,
}

/// Removes a webhook that was added. What waits for it is dropped.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveWebhook {}

/// A secret on its way in or out. No log shows it.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct SigningText(String);

impl fmt::Debug for SigningText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[a secret]")
    }
}

/// A webhook after it was added or changed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookMade {
    pub webhook: WebhookView,
    /// The secret that the hub made for it: told this once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<SigningText>,
    /// True when an earlier call under the same `Idempotency-Key` did this, and told the secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

/// A webhook that is no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRemoved {
    pub name: String,
    /// How many deliveries to it were dropped.
    pub dropped: u64,
}

impl PersonVerb for AddWebhook {
    const NAME: &'static str = "add_webhook";
    const SCOPE: Scope = Scope::Admin;
    type Reply = WebhookMade;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<WebhookMade> {
        let hub = &call.hub;
        permitted(call).await?;
        let key = call.key_of(name, self);
        let _turn = hub.destinations.turn().await;
        if used(hub, key.as_ref(), read).await?.transpose()?.is_some() {
            return Ok(WebhookMade { secret: None, repeated: true, webhook: shown_now(hub, name).await? });
        }
        let (secret, told) = match &self.push {
            Some(_) if self.secret.is_some() => return Err(argument("secret", "is not for a device: it has `push`")),
            Some(keys) => {
                keys.check().map_err(|why| argument("push", why))?;
                (keys.text(None), None)
            }
            None => chosen(self.secret.as_ref())?,
        };
        let Self { url, events, allow_private, push, .. } = self;
        let (allow_private, push) = (*allow_private, push.is_some());
        let new = NewWebhook { name, url, events, allow_private, secret, push, push_text: false };
        let webhook = add(call, key, new).await?;
        Ok(WebhookMade { secret: told, repeated: false, webhook })
    }
}

pub(super) struct NewWebhook<'a> {
    pub(super) name: &'a str,
    pub(super) url: &'a str,
    /// None means what a device hears that names none, where it is one; else all.
    pub(super) events: &'a [String],
    pub(super) allow_private: bool,
    pub(super) secret: String,
    pub(super) push: bool,
    pub(super) push_text: bool,
}

/// Adds a webhook, whose secret was checked. Only one call at a time may do so.
pub(super) async fn add(call: &PersonCall, key: Option<IdempotencyKey>, new: NewWebhook<'_>) -> Result<WebhookView> {
    let (hub, name) = (&call.hub, new.name);
    checked(name, new.url, new.events, new.allow_private)?;
    let there = known(hub).await?;
    match there.iter().find(|one| one.name() == name) {
        Some(KnownWebhook::Set(..)) => return Err(in_settings(name)),
        Some(KnownWebhook::Added(_)) => return Err(exists(name)),
        None if there.iter().filter(|one| matches!(one, KnownWebhook::Added(_))).count() >= MOST_ADDED => {
            return Err(too_many("webhooks were added", MOST_ADDED));
        }
        None => {}
    }
    let vault = vault(hub)?;
    let now = hub.clock.now();
    let generation = hub.journal.read(|reader| reader.position()).await.map_err(|error| read(&error))?.0;
    let usual = new.push && new.events.is_empty();
    let webhook = Webhook {
        name: name.to_owned(),
        generation,
        version: 0,
        url: new.url.to_owned(),
        events: if usual { PUSHED.map(str::to_owned).to_vec() } else { new.events.to_vec() },
        allow_private: new.allow_private,
        secret_file: format!("{name}.{generation}.0"),
        previous_secret: None,
        push: new.push,
        push_text: new.push_text,
        added_by: call.who().id.clone(),
        added_at: now,
        changed_at: now,
    };
    write(vault, &webhook, new.secret).await?;
    let record = HubRecord::WebhookAdded { webhook: Box::new(webhook.clone()) };
    let row = Row::Webhook(Box::new(webhook.clone()));
    turn(call, key, &webhook, Hearing::NotYet, hearing(&webhook, vault), record, row).await.inspect_err(|_| {
        remove_secret(&**vault, &webhook.secret_file);
    })?;
    tracing::info!(principal = %webhook.added_by, "the webhook `{name}` was added");
    shown_now(hub, name).await
}

impl PersonVerb for ChangeWebhook {
    const NAME: &'static str = "change_webhook";
    const SCOPE: Scope = Scope::Admin;
    type Reply = WebhookMade;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<WebhookMade> {
        let hub = &call.hub;
        permitted(call).await?;
        let key = call.key_of(name, self);
        let _turn = hub.destinations.turn().await;
        if used(hub, key.as_ref(), read).await?.transpose()?.is_some() {
            return Ok(WebhookMade { secret: None, repeated: true, webhook: shown_now(hub, name).await? });
        }
        let before = added(hub, name).await?;
        if hub.settings().hub.webhooks.outbound.contains_key(name) {
            // The one of hub.yaml is in force, and the other can only be removed.
            return Err(in_settings(name));
        }
        let vault = vault(hub)?;
        if self.new_secret && self.secret.is_some() {
            return Err(argument("newSecret", "or else `secret`: give one, or have the hub make one"));
        }
        if before.push && (self.new_secret || self.secret.is_some()) {
            return Err(argument("secret", "is not for a device: remove it, and switch it on there again"));
        }
        let version = before.version.saturating_add(1);
        let another = self.new_secret || self.secret.is_some();
        let now = hub.clock.now();
        let (secret_file, previous_secret) = match another {
            true => {
                let previous = PreviousSecret { file: before.secret_file.clone(), until: now + BOTH_FOR };
                (format!("{name}.{}.{version}", before.generation), Some(previous))
            }
            false => (before.secret_file.clone(), before.previous_secret.clone()),
        };
        let after = Webhook {
            version,
            url: self.url.clone().unwrap_or_else(|| before.url.clone()),
            events: self.events.clone().unwrap_or_else(|| before.events.clone()),
            allow_private: self.allow_private.unwrap_or(before.allow_private),
            secret_file,
            previous_secret,
            changed_at: now,
            ..before.clone()
        };
        checked(name, &after.url, &after.events, after.allow_private)?;
        let mut told = None;
        if another {
            let secret;
            (secret, told) = chosen(self.secret.as_ref())?;
            write(vault, &after, secret).await?;
        }
        let record = HubRecord::WebhookChanged { webhook: Box::new(after.clone()) };
        let row = Row::Webhook(Box::new(after.clone()));
        let turned = turn(call, key, &after, hearing(&before, vault), hearing(&after, vault), record, row).await;
        let (kept, left) = if turned.is_ok() { (&after, &before) } else { (&before, &after) };
        let unused = left.secret_files().filter(|file| !kept.secret_files().any(|known| known == *file));
        unused.for_each(|file| remove_secret(&**vault, file));
        turned?;
        tracing::info!(principal = %call.who().id, "the webhook `{name}` was changed");
        Ok(WebhookMade { secret: told, repeated: false, webhook: shown_now(hub, name).await? })
    }
}

impl PersonVerb for RemoveWebhook {
    const NAME: &'static str = "remove_webhook";
    const SCOPE: Scope = Scope::Admin;
    type Reply = WebhookRemoved;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<WebhookRemoved> {
        let hub = &call.hub;
        permitted(call).await?;
        let key = call.key_of(name, self);
        let _turn = hub.destinations.turn().await;
        if let Some(first) = used(hub, key.as_ref(), read).await?.transpose()? {
            return serde_json::from_value(first).map_err(|_| refuse::key_reused());
        }
        remove(call, key, &added(hub, name).await?).await
    }
}

/// Removes a webhook. Only one call at a time may do so.
pub(super) async fn remove(
    call: &PersonCall,
    key: Option<IdempotencyKey>,
    webhook: &Webhook,
) -> Result<WebhookRemoved> {
    let (hub, name) = (&call.hub, &webhook.name);
    let vault = vault(hub)?;
    let (destination, by) = (webhook.destination(), call.who().id.clone());
    let record = HubRecord::WebhookRemoved { name: name.clone(), generation: webhook.generation };
    let row = Row::WebhookGone(name.clone());
    turn(call, key, webhook, hearing(webhook, vault), Hearing::Removed(by.clone()), record, row).await?;
    webhook.secret_files().for_each(|file| remove_secret(&**vault, file));
    tracing::info!(principal = %by, "the webhook `{name}` was removed");
    let order = OutboxOrder::Drop { reason: format!("the webhook `{name}` was removed") };
    let states = [DeliveryStateName::Pending, DeliveryStateName::DeadLetter];
    // What is being sent just now is dropped by its destination, should it be tried again.
    let dropped = settle_all(call, &destination, &states, &order).await?;
    let counts = hub.journal.read(|reader| reader.delivery_counts()).await.map_err(|error| read(&error))?;
    if !counts.contains_key(&(destination.clone(), DeliveryStateName::Pending)) {
        hub.destinations.take(&destination);
    }
    Ok(WebhookRemoved { name: name.clone(), dropped })
}

/// Whoever is narrowed to some agents has no say in what tells of everybody's work.
pub(super) async fn permitted(call: &PersonCall) -> Result<()> {
    authorize::person(&call.hub, call.who(), Deed::SettleDelivery, Whose::Everybody).await
}

/// The destination turns with the append of this record and row; where that is not written, it is as it was.
async fn turn(
    call: &PersonCall,
    key: Option<IdempotencyKey>,
    webhook: &Webhook,
    before: Hearing,
    after: Hearing,
    record: HubRecord,
    row: Row,
) -> Result<()> {
    let hub = &call.hub;
    let name = webhook.destination();
    let was = hub.destinations.added(&name);
    let turning = WebhookDestination::kept(webhook, after, hub.clock.clone(), hub.credentials.clone());
    let turning = turning.turning(before, record.clone());
    hub.destinations.put(Arc::new(turning));
    let receipt = json!({"name": webhook.name, "dropped": 0});
    let idempotency = key.map(|key| key.keeps(receipt));
    let append = Append {
        request: Some(call.caller.request.clone()),
        rows: vec![row],
        idempotency,
        ..Append::new(hub.clock.now(), call.caller.by(), vec![Entry::of_hub(record)])
    };
    let failed = match hub.journal.append(append).await {
        Ok(_) => {
            // The outbox meets it now, and not only with its first delivery.
            hub.outbox.written();
            return Ok(());
        }
        Err(AppendError::Write(WriteError::KeyReused | WriteError::Repeated { .. })) => refuse::key_reused(),
        Err(error) => fault(error.into()),
    };
    match was {
        Some(was) => hub.destinations.put(was),
        None => hub.destinations.take(&name),
    }
    Err(failed)
}

pub(super) async fn added(hub: &HubRef, name: &str) -> Result<Webhook> {
    let all = known(hub).await?;
    let named = |one: &&KnownWebhook| one.name() == name;
    match all.iter().rfind(named) {
        Some(KnownWebhook::Added(webhook)) => Ok((**webhook).clone()),
        Some(KnownWebhook::Set(..)) => Err(in_settings(name)),
        None => Err(no_such_webhook(name)),
    }
}

pub(super) async fn shown_now(hub: &HubRef, name: &str) -> Result<WebhookView> {
    let counts = hub.journal.read(|reader| reader.delivery_counts()).await.map_err(|error| read(&error))?;
    view(hub, &find(hub, name).await?, &counts).await
}

pub(super) fn checked(name: &str, url: &str, events: &[String], allow_private: bool) -> Result<()> {
    let wrong = |(key, why): (&str, String)| argument(if key.is_empty() { "name" } else { key }, why);
    Subscription::check(name, url, events, allow_private).map(drop).map_err(wrong)
}

/// The secret of a request, or a new one, which is told then.
fn chosen(given: Option<&SigningText>) -> Result<(String, Option<SigningText>)> {
    match given {
        Some(SigningText(secret)) => match SigningSecret::parse(secret) {
            Ok(_) => Ok((secret.trim().to_owned(), None)),
            Err(why) => Err(argument("secret", why)),
        },
        None => {
            let drawn = draw_secret().map_err(|error| unwritable(&error.to_string()))?;
            Ok((drawn.clone(), Some(SigningText(drawn))))
        }
    }
}

/// What a browser subscribes with.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushKey {
    /// The public key of the hub, in base64url: `applicationServerKey` of `PushManager.subscribe`.
    pub application_server_key: String,
    /// The types of events that a device hears that names none.
    pub events: Vec<String>,
}

/// The hub's key for Web Push; drawn when it is asked for the first time.
pub async fn push_key(hub: &HubRef) -> Result<PushKey> {
    let _turn = hub.destinations.turn().await;
    let key = aside(vault(hub)?, |vault| public_key(vault)).await?;
    Ok(PushKey { application_server_key: key, events: PUSHED.map(str::to_owned).to_vec() })
}

pub(super) fn vault(hub: &HubRef) -> Result<&Arc<dyn Vault>> {
    hub.destinations.secrets().ok_or_else(|| unwritable("this hub keeps no files"))
}

async fn write(vault: &Arc<dyn Vault>, webhook: &Webhook, secret: String) -> Result<()> {
    let file = webhook.secret_file.clone();
    aside(vault, move |vault| write_secret(vault, &file, &secret)).await
}

/// What may wait for a disk or a database, on a thread where nobody else waits.
async fn aside<T: Send + 'static>(
    vault: &Arc<dyn Vault>,
    work: impl FnOnce(&dyn Vault) -> io::Result<T> + Send + 'static,
) -> Result<T> {
    let vault = Arc::clone(vault);
    let done = tokio::task::spawn_blocking(move || work(&*vault)).await.map_err(io::Error::other).flatten();
    done.map_err(|error| unwritable(&error.to_string()))
}

pub(super) fn unwritable(why: &str) -> Refusal {
    Refusal::without_advice("UNAVAILABLE", format!("the webhook's secret cannot be kept, and nothing changed: {why}"))
}

fn in_settings(name: &str) -> Refusal {
    let message = format!("the webhook `{}` is one of hub.yaml: it is changed and removed there", shown(name));
    Refusal::without_advice("WEBHOOK_IN_SETTINGS", message)
}

fn exists(name: &str) -> Refusal {
    Refusal::without_advice("WEBHOOK_EXISTS", format!("there is a webhook `{}` already", shown(name)))
}

pub(super) fn too_many(what: &str, limit: usize) -> Refusal {
    let message = format!("{limit} {what}, which is the most: remove one first");
    Refusal::without_advice("WEBHOOK_LIMIT", message).detail("limit", limit)
}
