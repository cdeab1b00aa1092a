//! Webhooks out, as people see them, and the one thing that a person orders of one: that it is tried now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::call::{PersonCall, PersonVerb};
use super::refused::read;
use crate::actors::HubRef;
use crate::domain::outbox::DeliveryStateName;
use crate::domain::permission::{Deed, Whose};
use crate::domain::principal::Scope;
use crate::domain::text::shown;
use crate::tools::once::once;
use crate::tools::{Refusal, permit};
use crate::webhooks::{Subscription, destination_name, shown_url};

/// Posts a message of the type `webhook.test` to a subscriber at once, beside the queue of what waits for it.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestWebhook {}

/// What came of trying a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookTried {
    /// Its name.
    pub name: String,
    /// Whether the subscriber took it: an answer of 2xx.
    pub delivered: bool,
    /// What the subscriber answered, or why it did not.
    pub answer: String,
    /// How long that took.
    pub took_ms: u64,
}

/// A webhook, as people see it. Its secret is not shown, nor a query in its URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookView {
    /// Its name.
    pub name: String,
    /// Where it goes.
    pub url: String,
    /// The types and families of types of events that it wants; none means all.
    pub events: Vec<String>,
    /// Whether it may go to a private address.
    pub allow_private: bool,
    /// The name of its deliveries' destination: `GET /api/v1/outbox?destination=` is its log.
    pub destination: String,
    /// Whether it is stopped: nothing is written for it until its dead letters are retried or dropped.
    pub stopped: bool,
    /// How many deliveries wait for it.
    pub waiting: u64,
    /// How many arrived, of those that are still kept.
    pub delivered: u64,
    /// How many could not be delivered.
    pub dead_letters: u64,
}

/// Every webhook, by name.
///
/// # Errors
/// When the journal cannot be read.
pub async fn webhooks(hub: &HubRef) -> Result<Vec<WebhookView>, Refusal> {
    let counts = hub.journal.read(|reader| reader.delivery_counts()).await.map_err(|error| read(&error))?;
    let view = |(name, set): (&String, &crate::settings::OutboundWebhook)| {
        let destination = destination_name(name);
        let count = |state| counts.get(&(destination.clone(), state)).copied().unwrap_or_default();
        let dead_letters = count(DeliveryStateName::DeadLetter);
        WebhookView {
            name: name.clone(),
            url: shown_url(&set.url),
            events: set.events.clone(),
            allow_private: set.allow_private,
            stopped: dead_letters > 0,
            waiting: count(DeliveryStateName::Pending) + count(DeliveryStateName::Sending),
            delivered: count(DeliveryStateName::Delivered),
            dead_letters,
            destination,
        }
    };
    Ok(hub.settings().hub.webhooks.outbound.iter().map(view).collect())
}

impl PersonVerb for TestWebhook {
    const NAME: &'static str = "test_webhook";
    const SCOPE: Scope = Scope::Admin;
    type Reply = WebhookTried;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<WebhookTried, Refusal> {
        // It tells of nobody's work; whoever is narrowed to some agents has no say in it.
        permit::person(&call.hub, call.who(), Deed::SettleDelivery, Whose::Everybody).await?;
        let set = call.hub.settings().hub.webhooks.outbound.get(name).cloned().ok_or_else(|| no_such_webhook(name))?;
        once(&call.hub, &call.caller, call.key_of(name, self), async {
            let loaded = Subscription::load(name, &set);
            let subscription = loaded.map_err(|(key, why)| unusable(name, key, &why))?;
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
            let answer = subscription.post.send(&id, began, message.to_string()).await;
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

fn no_such_webhook(given: &str) -> Refusal {
    Refusal::without_advice("WEBHOOK_NOT_FOUND", format!("there is no webhook `{}`", shown(given)))
}

fn unusable(name: &str, key: &str, why: &str) -> Refusal {
    let message = format!("the webhook `{}` cannot be used: its `{key}` {why}", shown(name));
    Refusal::without_advice("WEBHOOK_UNUSABLE", message)
}
