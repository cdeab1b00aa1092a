//! Who may call, with their secrets, and what a call of theirs comes to.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use http::HeaderMap;
use secrecy::{ExposeSecret as _, SecretSlice};
use serde_json::Value;
use tokio::sync::watch;

use super::forge::{self, Told};
use super::not_taken::NotTaken;
use super::signature::{self, text, verify};
use super::tracker;
use crate::domain::hook::Heard;
use crate::domain::time::Timestamp;
use crate::settings::{
    ConfigFault, ConfigFaults, HookFields, HubSettings, InboundWebhook, Layer, Place, WebhookScheme,
};
use crate::webhooks::secret::SigningSecret;
use crate::webhooks::subscription::{check_name, private_text};

/// The shortest secret that is taken, in bytes.
const SHORTEST: usize = 16;
/// The longest id of a delivery, in bytes.
const LONGEST_ID: usize = 200;

/// Every source, as it is now. Clones see the same.
#[derive(Debug, Clone)]
pub struct Sources(Arc<watch::Sender<BTreeMap<String, Arc<Source>>>>);

/// One source.
struct Source {
    scheme: WebhookScheme,
    secret: SecretSlice<u8>,
    fields: HookFields,
}

/// A call, before it is known whose it is.
#[derive(Debug, Clone, Copy)]
pub struct Incoming<'a> {
    /// Its headers.
    pub headers: &'a HeaderMap,
    /// Its body, as it came.
    pub body: &'a [u8],
    /// When it came.
    pub now: Timestamp,
}

/// A call that is its source's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The name of the source.
    pub source: String,
    /// The id of the delivery: a repeat has the same.
    pub id: String,
    /// Whether the signature covers the id. Where it does not, who has seen a call can send it again under another.
    pub id_is_signed: bool,
    /// Which comment or review it tells of, where that has a name on its forge.
    pub told: Option<Told>,
    /// What it says; none where nobody here acts on that.
    pub heard: Option<Heard>,
}

impl Sources {
    /// Those of these settings.
    ///
    /// # Errors
    /// All that is wrong with any of them, at once.
    pub fn load(hub: &HubSettings) -> Result<Self, ConfigFaults> {
        Ok(Self(Arc::new(watch::Sender::new(read(hub)?))))
    }

    /// None.
    #[must_use]
    pub fn none() -> Self {
        Self(Arc::new(watch::Sender::new(BTreeMap::new())))
    }

    /// Those of these settings from now on, with the secrets as the files have them now.
    ///
    /// # Errors
    /// As [`Sources::load`]; then those from before stay.
    pub fn reload(&self, hub: &HubSettings) -> Result<(), ConfigFaults> {
        self.0.send_replace(read(hub)?);
        Ok(())
    }

    /// Whether there is such a source.
    ///
    /// # Errors
    /// [`NotTaken::Unknown`].
    pub fn knows(&self, name: &str) -> Result<(), NotTaken> {
        if self.0.borrow().contains_key(name) { Ok(()) } else { Err(NotTaken::Unknown) }
    }

    /// What a call comes to.
    ///
    /// # Errors
    /// Why it is not taken.
    pub fn take(&self, name: &str, call: &Incoming<'_>) -> Result<Received, NotTaken> {
        let source = self.0.borrow().get(name).cloned().ok_or(NotTaken::Unknown)?;
        verify(source.scheme, source.secret.expose_secret(), call.headers, call.body, call.now)?;
        let id = source.id(call.headers)?;
        let payload: Value = serde_json::from_slice(call.body).map_err(|error| NotTaken::NoJson(error.to_string()))?;
        let heard = match source.scheme {
            WebhookScheme::Standard => tracker::heard(&source.fields, &payload)?,
            WebhookScheme::Github | WebhookScheme::Gitea => forge::heard(&payload)?,
        };
        let id_is_signed = source.scheme == WebhookScheme::Standard;
        let told = if id_is_signed { None } else { forge::told(&payload) };
        Ok(Received { source: name.to_owned(), id: id.to_owned(), id_is_signed, told, heard })
    }
}

/// The headers that name the delivery.
const GITHUB_IDS: [&str; 1] = ["x-github-delivery"];
const GITEA_IDS: [&str; 2] = ["x-forgejo-delivery", "x-gitea-delivery"];
const STANDARD_IDS: [&str; 1] = [signature::ID];

impl Source {
    fn load(name: &str, set: &InboundWebhook) -> Result<Self, (&'static str, String)> {
        check_name(name).map_err(|message| ("", message))?;
        let secret = secret(set).map_err(|message| ("secretFile", message))?;
        let fields = &set.fields;
        for (key, path) in [
            ("fields.kind", &fields.kind),
            ("fields.comment", &fields.comment),
            ("fields.item", &fields.item),
            ("fields.author", &fields.author),
            ("fields.text", &fields.text),
        ] {
            if path.trim().is_empty() {
                return Err((key, "must name a field of the payload".to_owned()));
            }
        }
        Ok(Self { scheme: set.scheme, secret, fields: set.fields.clone() })
    }

    fn id<'a>(&self, headers: &'a HeaderMap) -> Result<&'a str, NotTaken> {
        let names: &[&'static str] = match self.scheme {
            WebhookScheme::Github => &GITHUB_IDS,
            WebhookScheme::Gitea => &GITEA_IDS,
            WebhookScheme::Standard => &STANDARD_IDS,
        };
        let fits = |id: &&str| (1..=LONGEST_ID).contains(&id.len()) && id.chars().all(|c| c.is_ascii_graphic());
        first(headers, names).filter(fits).ok_or_else(|| NotTaken::NoId(names.first().map_or("", |name| name)))
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("scheme", &self.scheme).finish_non_exhaustive()
    }
}

fn first<'a>(headers: &'a HeaderMap, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| text(headers, name))
}

fn read(hub: &HubSettings) -> Result<BTreeMap<String, Arc<Source>>, ConfigFaults> {
    let mut faults: Vec<ConfigFault> = Vec::new();
    let mut found = BTreeMap::new();
    for (name, set) in &hub.webhooks.inbound {
        match Source::load(name, set) {
            Ok(source) => drop(found.insert(name.clone(), Arc::new(source))),
            Err((key, message)) => {
                let dot = if key.is_empty() { "" } else { "." };
                let message = format!("`webhooks.in.{}{dot}{key}`: {message}", name.escape_debug());
                faults.push(Place::whole(Layer::File, "hub.yaml").fault(message));
            }
        }
    }
    ConfigFaults::unless_empty(faults).map(|()| found)
}

fn secret(set: &InboundWebhook) -> Result<SecretSlice<u8>, String> {
    let file = set.secret_file.display();
    let text = private_text(&set.secret_file)?;
    match set.scheme {
        WebhookScheme::Standard => {
            let secret = SigningSecret::parse(&text).map_err(|error| format!("`{file}` {error}"))?;
            Ok(SecretSlice::from(secret.key().to_vec()))
        }
        WebhookScheme::Github | WebhookScheme::Gitea => {
            let secret = text.trim();
            if secret.len() < SHORTEST {
                let how = "make one: openssl rand -hex 32";
                return Err(format!("`{file}` must hold a secret of at least {SHORTEST} characters; {how}"));
            }
            Ok(SecretSlice::from(secret.as_bytes().to_vec()))
        }
    }
}
