//! Who may call, with their secrets, and what a call of theirs comes to.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use http::HeaderMap;
use secrecy::{ExposeSecret as _, SecretSlice};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use super::forge::{self, DeliverySubject};
use super::not_taken::NotTaken;
use super::signature::{self, Verification, text};
use super::skim::{KEPT, Skim};
use super::tracker;
use crate::domain::hook::HookEvent;
use crate::domain::pull::{Repository, is_allowed};
use crate::domain::time::Timestamp;
use crate::private_file;
use crate::settings::{
    ConfigFault, ConfigFaults, HookFields, HubSettings, InboundWebhook, Layer, SourceLocation, WebhookScheme,
};
use crate::webhooks::secret::SigningSecret;
use crate::webhooks::subscription::check_name;

/// The shortest secret that is taken, in bytes.
const SHORTEST: usize = 16;
/// The longest id of a delivery, in bytes.
const LONGEST_ID: usize = 200;

/// Every source, as it is now. Clones see the same.
#[derive(Debug, Clone)]
pub struct Sources(Arc<watch::Sender<BTreeMap<String, Arc<Source>>>>);

struct Source {
    scheme: WebhookScheme,
    secret: SecretSlice<u8>,
    fields: HookFields,
    repositories: Vec<String>,
}

#[derive(Debug)]
pub struct Reading {
    sources: Sources,
    name: String,
    source: Arc<Source>,
    headers: HeaderMap,
    verification: Verification,
    digest: Sha256,
    skim: Skim,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    pub received: Received,
    pub digest: String,
    pub kept: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub source: String,
    /// The id of the delivery: a repeat has the same.
    pub id: String,
    /// Whether the signature covers the id. Where it does not, who has seen a call can send it again under another.
    pub id_is_signed: bool,
    /// Which comment or review it tells of, where that has a name on its forge.
    pub told: Option<DeliverySubject>,
    pub heard: Option<HookEvent>,
}

impl Sources {
    /// Those of these settings. The error says all that is wrong with any of them, at once.
    pub fn load(hub: &HubSettings) -> Result<Self, ConfigFaults> {
        Ok(Self(Arc::new(watch::Sender::new(read(hub)?))))
    }

    pub fn none() -> Self {
        Self(Arc::new(watch::Sender::new(BTreeMap::new())))
    }

    /// Reads settings and secret files again. Fails as [`Sources::load`] does; then the old ones stay.
    pub fn reload(&self, hub: &HubSettings) -> Result<(), ConfigFaults> {
        self.0.send_replace(read(hub)?);
        Ok(())
    }

    /// Fails when there is no such source, or the headers already show that the call is not its.
    pub fn begin(&self, name: &str, headers: &HeaderMap) -> Result<Reading, NotTaken> {
        let source = self.0.borrow().get(name).cloned().ok_or(NotTaken::Unknown)?;
        let verification = Verification::begin(source.scheme, source.secret.expose_secret(), headers)?;
        let (sources, name, headers) = (self.clone(), name.to_owned(), headers.clone());
        let (digest, skim) = (Sha256::new(), Skim::default());
        Ok(Reading { sources, name, source, headers, verification, digest, skim })
    }

    /// Whether a source speaks for a repository: it lists it; or it lists none, and no other source lists this one.
    fn speaks_for(&self, name: &str, repository: &str) -> bool {
        // Another tracker's `KB#7` is in no repository.
        let Ok(repository) = Repository::parse(repository) else { return true };
        let all = self.0.borrow();
        let lists = |source: &Source| is_allowed(&source.repositories, &repository);
        match all.get(name) {
            Some(own) if own.repositories.is_empty() => !all.values().any(|other| lists(other)),
            Some(own) => lists(own),
            None => false,
        }
    }
}

impl Reading {
    pub fn feed(&mut self, part: &[u8]) {
        self.verification.feed(part);
        self.digest.update(part);
        self.skim.feed(part);
    }

    /// How many bytes are kept of it so far.
    pub const fn kept(&self) -> usize {
        self.skim.kept()
    }

    /// Verifies the whole call. The error of an unverified one tells nothing of its content.
    pub fn end(self, now: Timestamp) -> Result<Taken, NotTaken> {
        let Self { sources, name, source, headers, verification, digest, skim } = self;
        verification.end(now)?;
        let id = source.id(&headers)?.to_owned();
        let kept = skim.end().ok_or(NotTaken::TooMuch(KEPT))?;
        let payload: Value = serde_json::from_slice(&kept).map_err(|error| NotTaken::NoJson(error.to_string()))?;
        let heard = match source.scheme {
            WebhookScheme::Standard => tracker::heard(&source.fields, &payload)?,
            WebhookScheme::Github | WebhookScheme::Gitea => forge::heard(&payload)?,
        };
        let about = heard.as_ref().and_then(about);
        if let Some(repository) = about.filter(|repository| !sources.speaks_for(&name, repository)) {
            return Err(NotTaken::NotIts { source_name: name, repository: repository.to_owned() });
        }
        let id_is_signed = source.scheme == WebhookScheme::Standard;
        let told = if id_is_signed { None } else { forge::told(&payload) };
        let digest = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let received = Received { source: name, id, id_is_signed, told, heard };
        Ok(Taken { received, digest, kept })
    }
}

/// The repository that it is about; another tracker's work item is in none.
fn about(heard: &HookEvent) -> Option<&str> {
    match heard {
        HookEvent::Comment { comment } => comment.item.repository(),
        HookEvent::Change { change } => Some(&change.repository),
        HookEvent::Renamed { from, .. } => Some(from),
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
        for name in &set.repositories {
            let of_owner = name.strip_suffix("/*").map(|owner| format!("{owner}/x"));
            if Repository::parse(of_owner.as_deref().unwrap_or(name)).is_err() {
                return Err(("repositories", format!("`{}` is no `owner/name` or `owner/*`", name.escape_debug())));
            }
        }
        let (fields, repositories) = (set.fields.clone(), set.repositories.clone());
        Ok(Self { scheme: set.scheme, secret, fields, repositories })
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
                faults.push(SourceLocation::whole(Layer::File, "hub.yaml").fault(message));
            }
        }
    }
    ConfigFaults::unless_empty(faults).map(|()| found)
}

fn secret(set: &InboundWebhook) -> Result<SecretSlice<u8>, String> {
    let file = set.secret_file.display();
    let text = private_file::read_given(&set.secret_file).map_err(|error| error.to_string())?;
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
