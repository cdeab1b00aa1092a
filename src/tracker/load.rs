//! The tracker of `hub.yaml`, with its token.

use std::sync::Arc;

use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};

use super::adapter::Adapter;
use super::github::{Github, PUBLIC, is_repository};
use super::token::Token;
use crate::actors::forge::{ForgeError, HttpCarrier};
use crate::clock::Clock;
use crate::private_file;
use crate::settings::{ConfigFaults, HubSettings, Layer, SourceLocation, TrackerKind, TrackerSettings};
use crate::webhooks::{Egress, SigningSecret, WebhookSender};

#[derive(Debug, Clone)]
pub struct Tracker(pub(super) Adapter);

impl Tracker {
    /// That of these settings; none for the one that is built in.
    pub fn load(hub: &HubSettings, token: Option<SecretString>, clock: Clock) -> Result<Option<Self>, ConfigFaults> {
        let set = &hub.tracker;
        let adapter = match set.kind {
            TrackerKind::Builtin => return Ok(None),
            TrackerKind::Github => github(set, token, clock),
            TrackerKind::Webhook => webhook(set, token, clock),
        };
        let fault = |(key, message): Wrong| {
            ConfigFaults::from(
                SourceLocation::whole(Layer::File, "hub.yaml").fault(format!("`tracker.{key}`: {message}")),
            )
        };
        adapter.map(|adapter| Some(Self(adapter))).map_err(fault)
    }

    /// The same with its requests carried by another, as tests have it.
    #[cfg(test)]
    #[must_use]
    pub fn carried_by(self, carrier: Arc<dyn crate::actors::forge::Carrier>) -> Self {
        match self.0 {
            Adapter::Github(github) => Self(Adapter::Github(Github { carrier, ..github })),
            other @ Adapter::Webhook(..) => Self(other),
        }
    }

    /// Asks the tracker whether it would take comments: for each place, what it says.
    pub async fn check(&self) -> Vec<(String, Result<String, ForgeError>)> {
        let mut all = Vec::new();
        if let Adapter::Github(github) = &self.0 {
            for repository in &github.repositories {
                all.push((repository.clone(), github.look(repository).await));
            }
        }
        all
    }
}

type Wrong = (&'static str, String);

fn github(set: &TrackerSettings, token: Option<SecretString>, clock: Clock) -> Result<Adapter, Wrong> {
    let base = base(set, set.base_url.as_deref().unwrap_or(PUBLIC))?;
    let token = match (token, &set.token_file) {
        (_, Some(file)) => Token::File(file.clone()),
        (Some(token), None) => Token::Given(token),
        (None, None) => {
            return Err(("tokenFile", "name the file of a token, or set CALLBOARD_TRACKER_TOKEN".to_owned()));
        }
    };
    token.read().map_err(|message| ("tokenFile", message))?;
    if set.repositories.is_empty() {
        return Err(("repositories", "name where agents may comment, each as `owner/repo`".to_owned()));
    }
    if let Some(wrong) = set.repositories.iter().find(|name| !is_repository(name)) {
        return Err(("repositories", format!("`{}` is not written as `owner/repo`", wrong.escape_debug())));
    }
    let repositories = set.repositories.iter().map(|name| name.to_lowercase()).collect();
    let egress = Egress { allow_private: set.allow_private };
    let client = egress.client().map_err(|error| ("baseUrl", error.to_string()))?;
    let carrier = Arc::new(HttpCarrier::over(client));
    Ok(Adapter::Github(Github { base, token, repositories, egress, carrier, clock }))
}

fn webhook(set: &TrackerSettings, token: Option<SecretString>, clock: Clock) -> Result<Adapter, Wrong> {
    let url = base(set, set.base_url.as_deref().unwrap_or_default())?;
    let text = match (token, &set.token_file) {
        (_, Some(file)) => private_file::read_given(file).map_err(|error| ("tokenFile", error.to_string()))?,
        (Some(token), None) => token.expose_secret().to_owned(),
        (None, None) => return Err(("tokenFile", "name the file of the signing secret".to_owned())),
    };
    let secret = SigningSecret::parse(&text).map_err(|error| ("tokenFile", format!("the secret {error}")))?;
    let post = WebhookSender::new(url, secret, set.allow_private).map_err(|error| ("baseUrl", error.to_string()))?;
    Ok(Adapter::Webhook(post, clock))
}

fn base(set: &TrackerSettings, given: &str) -> Result<Url, Wrong> {
    let url = Url::parse(given).map_err(|error| ("baseUrl", format!("is no URL: {error}")))?;
    match url.scheme() {
        "https" => Ok(url),
        "http" if set.allow_private => Ok(url),
        _ => Err(("baseUrl", "must begin with `https://`; `allowPrivate: true` allows `http://`".to_owned())),
    }
}
