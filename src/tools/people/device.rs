//! Browsers that are notified: webhooks by Web Push that operators make for devices of their own; and their answers.
//!
//! What they carry is encrypted for the one browser. Their name follows from the address of the subscription, so
//! subscribing the same browser anew replaces its device.
//!
//! A ticket ([`PushDevice`]) answers one question, by its options, in the name of who switched the device on, while
//! they have a token that may operate. Dangerous questions are answered on the page.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::prelude::*;
use super::question::{AnswerQuestion, find_question};
use super::webhook_change::{
    NewWebhook, WebhookMade, WebhookRemoved, add, added, checked, permitted, remove, shown_now, too_many, unwritable,
    vault,
};
use super::webhook_known::{KnownWebhook, known, no_such_webhook};
use crate::domain::principal::PrincipalKind;
use crate::domain::webhook::Webhook;
use crate::webhooks::{BUTTONS, PushDevice, PushKeys, draw_secret, may_be_pressed};

/// How many devices a person may have.
const MOST_DEVICES: usize = 10;
/// How many bytes of the digest of its address a device is named by.
const NAMED_BY: usize = 10;

/// Has a browser notified that subscribed with the hub's key (`GET /api/v1/push`). A device at the same
/// address is replaced.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddDevice {
    /// The `endpoint` of its `PushSubscription`: `https://`, to a public address.
    endpoint: String,
    /// The `keys` of its `PushSubscription`.
    keys: PushKeys,
    /// The types and families of types of events that it hears of; of questions and failed tasks where it is left out.
    #[serde(default)]
    events: Vec<String>,
    /// Whether it shows the words of questions and failures, and answers to questions that are not dangerous.
    #[serde(default)]
    text: bool,
}

/// Has a browser notified no more: one of the caller's, or anybody's for who has the scope `admin`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveDevice {}

/// An answer by the ticket of a notification.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceAnswer {
    /// The name of the device that got the ticket.
    device: String,
    /// The id of the question.
    question: String,
    /// Which of its options, from 0.
    option: usize,
    ticket: String,
}

impl AddDevice {
    pub fn name(&self) -> String {
        let digest = Sha256::digest(&self.endpoint);
        let digits: String = digest.iter().take(NAMED_BY).map(|byte| format!("{byte:02x}")).collect();
        format!("device-{digits}")
    }
}

impl PersonVerb for AddDevice {
    const NAME: &'static str = "add_device";
    type Reply = WebhookMade;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<WebhookMade> {
        let hub = &call.hub;
        permitted(call).await?;
        if !call.who().is_person() {
            let said = format!("`{}` is a program: only people have devices that are notified", call.who().id);
            return Err(Refusal::without_advice("NOT_A_HUMAN", said));
        }
        let key = call.key_of(name, self);
        let _turn = hub.destinations.turn().await;
        if used(hub, key.as_ref(), read).await?.transpose()?.is_some() {
            return Ok(WebhookMade { secret: None, repeated: true, webhook: shown_now(hub, name).await? });
        }
        self.keys.check().map_err(|why| argument("keys", why))?;
        checked(name, &self.endpoint, &self.events, false)?;
        let devices = devices(hub).await?;
        let own = devices.iter().filter(|one| one.added_by == call.who().id && one.name != name);
        if own.count() >= MOST_DEVICES {
            return Err(too_many("devices of yours are notified", MOST_DEVICES));
        }
        let tickets = draw_secret().map_err(|error| unwritable(&error.to_string()))?;
        if let Some(before) = devices.iter().find(|one| one.name == name) {
            remove(call, None, before).await?;
        }
        let (url, events, push_text) = (&*self.endpoint, &*self.events, self.text);
        let secret = self.keys.text(push_text.then_some(&*tickets));
        let new = NewWebhook { name, url, events, allow_private: false, secret, push: true, push_text };
        Ok(WebhookMade { secret: None, repeated: false, webhook: add(call, key, new).await? })
    }
}

impl PersonVerb for RemoveDevice {
    const NAME: &'static str = "remove_device";
    type Reply = WebhookRemoved;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<WebhookRemoved> {
        let hub = &call.hub;
        let key = call.key_of(name, self);
        let _turn = hub.destinations.turn().await;
        if let Some(first) = used(hub, key.as_ref(), read).await?.transpose()? {
            return serde_json::from_value(first).map_err(|_| refuse::key_reused());
        }
        let webhook = added(hub, name).await?;
        let may = webhook.added_by == call.who().id || call.who().may(Scope::Admin);
        if !webhook.push || !may {
            return Err(no_such_webhook(name));
        }
        if webhook.added_by != call.who().id {
            permitted(call).await?;
        }
        remove(call, key, &webhook).await
    }
}

async fn devices(hub: &HubRef) -> Result<Vec<Webhook>> {
    let device = |one| match one {
        KnownWebhook::Added(webhook) if webhook.push => Some(*webhook),
        KnownWebhook::Added(_) | KnownWebhook::Set(..) => None,
    };
    Ok(known(hub).await?.into_iter().filter_map(device).collect())
}

/// Who answers which question, and what. Fails with `UNAUTHENTICATED` for another's ticket, or as [`find_question`].
pub async fn answer_by_ticket(hub: &HubRef, given: &DeviceAnswer) -> Result<(Principal, String, AnswerQuestion)> {
    let refused = || {
        let said = "this ticket answers nothing: its device was removed, or the question is answered on the page alone";
        Refusal::without_advice("UNAUTHENTICATED", said)
    };
    let webhook = devices(hub).await?.into_iter().find(|one| one.name == given.device).ok_or_else(refused)?;
    let device = PushDevice::load(vault(hub)?, &webhook).map_err(|_| refused())?;
    if !device.gave(&given.ticket, &given.question) {
        return Err(refused());
    }
    let spec = find_question(hub, &given.question).await?.spec;
    if !may_be_pressed(&spec) {
        return Err(refused());
    }
    let shown = spec.options.get(given.option).filter(|_| given.option < BUTTONS);
    let value = shown.ok_or_else(|| argument("option", "the question has no such option"))?;
    let id = webhook.added_by.clone();
    let settings = hub.settings();
    let known_as = settings.people.display_name(&id).unwrap_or_else(|| id.as_str().trim_start_matches("person:"));
    let scopes = if hub.credentials.operates(&id) { vec![Scope::View, Scope::Operate] } else { Vec::new() };
    let (display_name, scopes) = (known_as.to_owned(), BTreeSet::from_iter(scopes));
    let who = Principal { id, display_name, kind: PrincipalKind::Person, scopes };
    Ok((who, given.question.clone(), AnswerQuestion { value: value.clone(), own_words: false }))
}
