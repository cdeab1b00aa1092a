//! A browser as a subscriber: an added webhook whose events go out as Web Push.
//!
//! ```text
//!   event ─► what of it leaves the hub ─► seal for the device ─► POST, signed by the hub ─► push service ─► device
//!                                                                       │ 404, 410: it is gone
//!                                                                       └─► its keys are removed, nothing is written
//! ```
//!
//! The records, the row, the lanes, the retries and the rules for addresses are those of every added webhook.
//!
//! - *The keys of the device* are in the webhook's secret file. The record says only that it is a device.
//! - *What leaves the hub*: type, id and time of the event, and the ids of what it is about. No text, not even a title;
//!   the push service reads none of it, and sees the address, the time and the length.
//! - *One push an item*: `Topic` is a digest of what the event is about, so a push service that holds a message for a
//!   device that is away replaces it by the next about the same question, as by that of its answer.
//! - *Gone*: a push service that answers 404 or 410 will never take another (RFC 8030, 7.3). The keys are removed from
//!   the disk, so it stays forgotten after a restart; the webhook stays in the list and says why it hears nothing.
//! - *The hub's key* is drawn once. Another one would void every subscription.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
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

use crate::domain::time::Timestamp;
use crate::private_file;

/// The file of the hub's key, in the folder of the secrets.
pub(super) const KEY_FILE: &str = "push.key";
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

    /// As they stand in the secret file.
    pub fn text(&self) -> String {
        json!({ "p256dh": self.p256dh, "auth": self.auth }).to_string()
    }
}

/// Turns events into messages for one device. Clones share whether it is gone.
#[derive(Debug, Clone)]
pub struct PushDevice {
    keys: DeviceKeys,
    hub_key: Arc<VapidKey>,
    file: PathBuf,
    gone: Arc<AtomicBool>,
}

impl PushDevice {
    /// The device whose keys are in this file of the folder of the secrets. The error says why they cannot be used.
    pub fn load(folder: &Path, file: &str) -> Result<Self, String> {
        let file = folder.join(file);
        let text = private_file::read_given(&file).map_err(|error| error.to_string())?;
        let keys: PushKeys = serde_json::from_str(&text).map_err(|_| "are no keys of a device".to_owned())?;
        let hub_key = Arc::new(hub_key(folder).map_err(|error| error.to_string())?);
        Ok(Self { keys: keys.check()?, hub_key, file, gone: Arc::default() })
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// The push service knows it no more: its keys are of no use to anybody.
    pub(super) fn forget(&self) {
        if self.gone.swap(true, Ordering::Relaxed) {
            return;
        }
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!("the keys of a device that is gone stay in `{}`: {error}", self.file.display());
            }
            Err(_) | Ok(()) => {}
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
        let said = told(event);
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
}

/// The key of the hub; a new one where there is none yet. Only one call at a time may draw it. Fails when its file
/// cannot be read or written.
fn hub_key(folder: &Path) -> io::Result<VapidKey> {
    let path = folder.join(KEY_FILE);
    let bytes = match private_file::read_own(&path)? {
        Some(text) => STANDARD.decode(text.trim()).map_err(io::Error::other)?,
        None => {
            let drawn = VapidKey::draw().map_err(io::Error::other)?;
            private_file::make_folder(folder)?;
            private_file::replace(&path, format!("{}\n", STANDARD.encode(&drawn)).as_bytes())?;
            drawn
        }
    };
    VapidKey::read(&bytes, CONTACT.to_owned()).map_err(io::Error::other)
}

/// The public half of the hub's key: what a browser subscribes with. Fails when it cannot be read, or drawn and kept.
pub fn public_key(folder: &Path) -> io::Result<String> {
    Ok(hub_key(folder)?.public())
}

/// What of an event leaves the hub.
fn told(event: &str) -> Value {
    let event: Value = serde_json::from_str(event).unwrap_or_default();
    let question = &event["data"]["questionId"];
    json!({
        "type": event["type"], "id": event["id"], "time": event["time"], "subject": event["subject"],
        "question": question,
    })
}

/// The same for all that is told of one question, task, session or agent; nothing can be read from it.
fn topic(said: &Value) -> String {
    let item = if said["question"].is_null() { &said["subject"] } else { &said["question"] };
    let mut topic = URL_SAFE_NO_PAD.encode(Sha256::digest(item.to_string()));
    topic.truncate(TOPIC);
    topic
}
