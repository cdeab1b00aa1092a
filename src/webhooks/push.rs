//! A browser as a subscriber: an added webhook whose events go out as Web Push.
//!
//! ```text
//!   event ─► what of it leaves the hub ─► seal for the device ─► POST, signed by the hub ─► push service ─► device
//!                                                                       │ 404, 410: it is gone
//!                                                                       └─► its keys are removed, nothing is written
//! ```
//!
//! All else is as for every added webhook. The webhook's secret holds the device's keys.
//!
//! - *What leaves the hub*: type, id, time and the ids of the subject; text only if the owner wants it
//!   ([`push_text`](super::push_text)). The push service sees only the address, the time and the length.
//! - *Answer tickets*: an HMAC over a question's id under a secret of this device that never leaves the hub. It answers
//!   that one question, once, if that is not dangerous; so the device holds no token of a person.
//! - *One push an item*: `Topic` is a digest of the subject, so a waiting message is replaced by the next about it.
//! - *Gone*: after 404 or 410 (RFC 8030, 7.3) the keys are removed for good; the webhook stays listed, and says why.
//! - *The hub's key* is drawn once. Another one would void every subscription.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use callboard_platform::push::{DeviceKeys, VapidKey, seal};
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use reqwest::{RequestBuilder, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::secret::{SigningSecret, kept_as, remove_secret};
use crate::domain::time::Timestamp;
use crate::domain::webhook::Webhook;
use crate::journal::vault::{PUSH_KEY, Vault};

/// Whom a push service may ask about the sender. No address of a person leaves the hub.
const CONTACT: &str = "mailto:callboard@example.com";
/// For how many seconds a push service holds a message for a device that is away: a day.
const HELD_FOR: u32 = 86_400;
/// What a device hears that names no events.
pub const PUSHED: [&str; 3] = ["question.asked", "question.resolved", "task.failed"];
/// How long a topic may be (RFC 8030, 5.4).
const TOPIC: usize = 32;

/// The keys of a browser's `PushSubscription`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushKeys {
    /// `keys.p256dh`: the public key of the device, in base64url.
    p256dh: String,
    /// `keys.auth`: what only the device and the hub know, in base64url.
    auth: String,
}

impl std::fmt::Debug for PushKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PushKeys([a secret])")
    }
}

impl PushKeys {
    /// Passes keys that something can be sealed for. The error says which of them is none.
    pub fn check(&self) -> Result<DeviceKeys, String> {
        DeviceKeys::parse(&self.p256dh, &self.auth).map_err(|why| why.to_string())
    }

    /// As they stand in the secret file; with the secret of its answer tickets, where it may answer.
    pub fn text(&self, tickets: Option<&str>) -> String {
        json!({ "p256dh": self.p256dh, "auth": self.auth, "tickets": tickets }).to_string()
    }
}

#[derive(Deserialize)]
struct DeviceFile {
    p256dh: String,
    auth: String,
    /// `whsec_…`
    tickets: Option<String>,
}

/// Turns events into messages for one device. Clones share whether it is gone.
#[derive(Debug, Clone)]
pub struct PushDevice {
    keys: DeviceKeys,
    hub_key: Arc<VapidKey>,
    vault: Arc<dyn Vault>,
    file: String,
    /// The name of its webhook.
    name: String,
    shows_text: bool,
    tickets: Option<SigningSecret>,
    gone: Arc<AtomicBool>,
}

impl PushDevice {
    pub fn load(vault: &Arc<dyn Vault>, webhook: &Webhook) -> Result<Self, String> {
        let file = webhook.secret_file.clone();
        let text = vault.need(&kept_as(&file)).map_err(|error| error.to_string())?;
        let kept: DeviceFile = serde_json::from_str(&text).map_err(|_| "are no keys of a device".to_owned())?;
        let keys = PushKeys { p256dh: kept.p256dh, auth: kept.auth }.check()?;
        let tickets = kept.tickets.map(|secret| SigningSecret::parse(&secret)).transpose();
        let tickets = tickets.map_err(|_| "have no usable secret for answer tickets".to_owned())?;
        let hub_key = Arc::new(hub_key(&**vault).map_err(|error| error.to_string())?);
        let (name, shows_text) = (webhook.name.clone(), webhook.push_text);
        Ok(Self { keys, hub_key, vault: Arc::clone(vault), file, name, shows_text, tickets, gone: Arc::default() })
    }

    pub(super) const fn shows_text(&self) -> bool {
        self.shows_text
    }

    /// What answers this question from this device; none where it may not answer.
    fn ticket(&self, question: &str) -> Option<String> {
        self.tickets.as_ref().map(|secret| secret.sign(question, 0, "answer"))
    }

    /// Whether this device was given this ticket for this question.
    pub fn gave(&self, ticket: &str, question: &str) -> bool {
        self.ticket(question).is_some_and(|own| bool::from(own.as_bytes().ct_eq(ticket.as_bytes())))
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// The push service knows it no more: its keys are of no use to anybody.
    pub(super) fn forget(&self) {
        if !self.gone.swap(true, Ordering::Relaxed) {
            remove_secret(&*self.vault, &self.file);
        }
    }

    /// Completes a POST to this URL with the sealed message. The error says why it cannot be sealed.
    pub(super) fn seal(
        &self,
        request: RequestBuilder,
        url: &Url,
        now: Timestamp,
        event: &str,
    ) -> Result<RequestBuilder, String> {
        let said = self.told(event);
        let by = self.hub_key.authorization(&url.origin().ascii_serialization(), now);
        let body = seal(&self.keys, said.to_string().as_bytes()).map_err(|error| error.to_string())?;
        Ok(request
            .header(AUTHORIZATION, by.map_err(|error| error.to_string())?)
            .header(CONTENT_TYPE, "application/octet-stream")
            .header(CONTENT_ENCODING, "aes128gcm")
            .header("ttl", HELD_FOR)
            .header("urgency", "high")
            .header("topic", topic(&said))
            .body(body))
    }

    fn told(&self, event: &str) -> Value {
        let event: Value = serde_json::from_str(event).unwrap_or_default();
        let question = &event["data"]["questionId"];
        let mut said = json!({
            "type": event["type"], "id": event["id"], "time": event["time"], "subject": event["subject"],
            "question": question,
        });
        let Some(shown) = event.get("shown").filter(|_| self.shows_text) else { return said };
        for part in ["title", "text"] {
            said[part] = shown[part].clone();
        }
        let options = shown.get("options");
        if let (Some(options), Some(ticket)) = (options, question.as_str().and_then(|id| self.ticket(id))) {
            said["answer"] = json!({ "device": self.name, "ticket": ticket, "options": options });
        }
        said
    }
}

/// Draws it where there is none yet; only one call at a time may. Fails when it cannot be read or kept.
fn hub_key(vault: &dyn Vault) -> io::Result<VapidKey> {
    let bytes = match vault.read(PUSH_KEY)? {
        Some(text) => STANDARD.decode(text.trim()).map_err(io::Error::other)?,
        None => {
            let drawn = VapidKey::draw().map_err(io::Error::other)?;
            vault.write(PUSH_KEY, &format!("{}\n", STANDARD.encode(&drawn)))?;
            drawn
        }
    };
    VapidKey::read(&bytes, CONTACT.to_owned()).map_err(io::Error::other)
}

/// The public half of the hub's key: what a browser subscribes with. Fails when it cannot be read, or drawn and kept.
pub fn public_key(vault: &dyn Vault) -> io::Result<String> {
    Ok(hub_key(vault)?.public())
}

/// The same for all that is told of one question, task, session or agent; nothing can be read from it.
fn topic(said: &Value) -> String {
    let item = if said["question"].is_null() { &said["subject"] } else { &said["question"] };
    let mut topic = URL_SAFE_NO_PAD.encode(Sha256::digest(item.to_string()));
    topic.truncate(TOPIC);
    topic
}
