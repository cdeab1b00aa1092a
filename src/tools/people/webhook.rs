//! Webhooks out, as people see them, and the trying of one.

use super::prelude::*;
use super::webhook_gap::{WebhookGap, gap};
use super::webhook_known::{KnownWebhook, find, known};
use crate::domain::outbox::DeliveryStateName;
use crate::domain::webhook::shown_url;
use crate::journal::DeliveryCounts;
use crate::tools::once::once;

/// Posts a message of the type `webhook.test` to a subscriber at once, beside the queue of what waits for it.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestWebhook {}

/// What came of trying a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookTried {
    pub name: String,
    /// Whether the subscriber took it: an answer of 2xx.
    pub delivered: bool,
    /// What the subscriber answered, or why it did not.
    pub answer: String,
    /// How long that took.
    pub took_ms: u64,
}

/// A webhook, as people see it. Its secret is not shown, nor what its receiver may have for one in its address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookView {
    pub name: String,
    /// Where it goes: the host and the first segment of the path. The whole is for who may change it.
    pub url: String,
    /// The types and families of types of events that it wants; none means all.
    pub events: Vec<String>,
    /// Whether it may go to a private address.
    pub allow_private: bool,
    /// Whether it is a browser that hears by Web Push.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub push: bool,
    /// Whether that browser shows the words of what it hears of.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub push_text: bool,
    /// Who added it while a hub ran: then it can be changed and removed. One of hub.yaml has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_by: Option<String>,
    /// The name of its deliveries' destination: `GET /api/v1/outbox?destination=` is its log.
    pub destination: String,
    /// Whether it is stopped: nothing is written for it until its dead letters are retried or dropped, or its
    /// fault is mended.
    pub stopped: bool,
    /// Why nothing can go out to it, beside its dead letters, as a secret that cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// What it has missed since its first dead letter, where one stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<WebhookGap>,
    /// How many deliveries wait for it.
    pub waiting: u64,
    /// How many arrived, of those that are still kept.
    pub delivered: u64,
    /// How many could not be delivered.
    pub dead_letters: u64,
}

/// Every webhook, those of hub.yaml first, by name.
pub async fn webhooks(hub: &HubRef) -> Result<Vec<WebhookView>> {
    let counts = hub.journal.read(|reader| reader.delivery_counts()).await.map_err(|error| read(&error))?;
    let mut views = Vec::new();
    for one in known(hub).await? {
        views.push(view(hub, &one, &counts).await?);
    }
    Ok(views)
}

pub(super) async fn webhook_names(hub: &HubRef) -> Result<Vec<String>> {
    Ok(known(hub).await?.iter().map(|one| one.name().to_owned()).collect())
}

/// With its whole address. Fails with `WEBHOOK_NOT_FOUND`, or when the journal cannot be read.
pub async fn webhook_with_address(hub: &HubRef, name: &str) -> Result<WebhookView> {
    let counts = hub.journal.read(|reader| reader.delivery_counts()).await.map_err(|error| read(&error))?;
    let one = find(hub, name).await?;
    let url = one.url().0.to_owned();
    Ok(WebhookView { url, ..view(hub, &one, &counts).await? })
}

pub(super) async fn view(hub: &HubRef, one: &KnownWebhook, counts: &DeliveryCounts) -> Result<WebhookView> {
    let destination = one.destination();
    let count = |state| counts.get(&(destination.clone(), state)).copied().unwrap_or_default();
    let dead_letters = count(DeliveryStateName::DeadLetter);
    let gap = if dead_letters > 0 { gap(hub, &destination, one.events()).await? } else { None };
    let fault = hub.destinations.added(&destination).and_then(|sent_to| sent_to.fault());
    let (url, allow_private) = one.url();
    Ok(WebhookView {
        name: one.name().to_owned(),
        url: shown_url(url),
        events: one.events().to_vec(),
        allow_private,
        push: matches!(one, KnownWebhook::Added(webhook) if webhook.push),
        push_text: matches!(one, KnownWebhook::Added(webhook) if webhook.push_text),
        added_by: match one {
            KnownWebhook::Set(..) => None,
            KnownWebhook::Added(webhook) => Some(webhook.added_by.to_string()),
        },
        stopped: dead_letters > 0 || fault.is_some(),
        fault,
        gap,
        waiting: count(DeliveryStateName::Pending) + count(DeliveryStateName::Sending),
        delivered: count(DeliveryStateName::Delivered),
        dead_letters,
        destination,
    })
}

impl PersonVerb for TestWebhook {
    const NAME: &'static str = "test_webhook";
    const SCOPE: Scope = Scope::Admin;
    type Reply = WebhookTried;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<WebhookTried> {
        // It tells of nobody's work; whoever is narrowed to some agents has no say in it.
        authorize::person(&call.hub, call.who(), Deed::SettleDelivery, Whose::Everybody).await?;
        let known = find(&call.hub, name).await?;
        once(&call.hub, &call.caller, call.key_of(name, self), async {
            let subscription = known.load(&call.hub).map_err(|(key, why)| unusable(name, key, &why))?;
            let began = call.hub.clock.now();
            let by = call.caller.by();
            let message = json!({
                "type": "webhook.test",
                "time": began,
                "subject": {},
                "actor": {"principal": by.principal, "surface": by.surface},
                "requestId": call.caller.request,
                "data": {"webhook": name},
            });
            let id = format!("test_{}", call.caller.request);
            let answer = subscription.post.send(&id, call.hub.clock.machine_now(), message.to_string()).await;
            let took = call.hub.clock.now().since(began).as_millis();
            Ok(WebhookTried {
                name: name.to_owned(),
                delivered: answer.is_taken(),
                answer: answer.error().unwrap_or_else(|| answer.words()),
                took_ms: u64::try_from(took).unwrap_or(u64::MAX),
            })
        })
        .await
    }
}

fn unusable(name: &str, key: &str, why: &str) -> Refusal {
    let message = format!("the webhook `{}` cannot be used: its `{key}` {why}", shown(name));
    Refusal::without_advice("WEBHOOK_UNUSABLE", message)
}
