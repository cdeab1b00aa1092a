//! A subscription, as `hub.yaml: webhooks.out` says it, checked: what may be sent where, and signed with what.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use reqwest::Url;

use super::egress::{PrivateAddress, is_public};
use super::secret::SigningSecret;
use super::sender::WebhookSender;
use crate::actors::noticeboard::{UnknownType, check_types};
use crate::private_file;
use crate::settings::{ConfigFault, ConfigFaults, HubSettings, Layer, OutboundWebhook, SourceLocation};

/// How long a name may be: it stands in the ids of what is sent.
const LONGEST_NAME: usize = 40;

#[derive(Debug, Clone)]
pub struct Subscription {
    pub name: String,
    /// The types and families of types that it wants; none means all.
    pub events: Vec<String>,
    pub post: WebhookSender,
}

impl Subscription {
    pub fn wants(&self, kind: &str) -> bool {
        crate::domain::webhook::wants(&self.events, kind)
    }

    /// Reads one, with its secret. Fails with the key that is wrong, and what would be right.
    pub fn load(name: &str, set: &OutboundWebhook) -> Result<Self, (&'static str, String)> {
        Self::signed(name, set, || secret(&set.secret_file))
    }

    /// The same with another secret than the one of its file.
    pub(super) fn signed(
        name: &str,
        set: &OutboundWebhook,
        secret: impl FnOnce() -> Result<SigningSecret, String>,
    ) -> Result<Self, (&'static str, String)> {
        let url = Self::check(name, &set.url, &set.events, set.allow_private)?;
        let secret = secret().map_err(|message| ("secretFile", message))?;
        let post = WebhookSender::new(url, secret, set.allow_private);
        let post = post.map_err(|error| ("url", format!("failed to set up HTTP: {error}")))?;
        Ok(Self { name: name.to_owned(), events: set.events.clone(), post })
    }

    /// Checks all of one but its secret. Fails as [`Subscription::load`] does.
    pub fn check(name: &str, url: &str, events: &[String], allow_private: bool) -> Result<Url, (&'static str, String)> {
        check_name(name).map_err(|message| ("", message))?;
        let url = address(url, allow_private).map_err(|message| ("url", message))?;
        check_types(events).map_err(|unknown: UnknownType| ("events", unknown.to_string()))?;
        Ok(url)
    }
}

/// Every subscription of these settings. The error says all that is wrong with any of them, at once.
pub fn subscriptions(hub: &HubSettings) -> Result<Vec<Subscription>, ConfigFaults> {
    let mut faults: Vec<ConfigFault> = Vec::new();
    let mut found = Vec::new();
    for (name, set) in &hub.webhooks.outbound {
        match Subscription::load(name, set) {
            Ok(subscription) => found.push(subscription),
            Err((key, message)) => {
                let dot = if key.is_empty() { "" } else { "." };
                let message = format!("`webhooks.out.{}{dot}{key}`: {message}", name.escape_debug());
                faults.push(SourceLocation::whole(Layer::File, "hub.yaml").fault(message));
            }
        }
    }
    ConfigFaults::unless_empty(faults).map(|()| found)
}

/// Where it goes, where that is allowed as far as the text shows. What a name leads to is judged with each connection.
fn address(url: &str, allow_private: bool) -> Result<Url, String> {
    // The parser drops some of them: what is shown would not be what is called.
    if url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("must hold no blank, no line break and no control character".to_owned());
    }
    let url = Url::parse(url).map_err(|error| format!("is no URL: {error}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must carry no user name and no password: settings hold no secrets".to_owned());
    }
    if url.scheme() != "https" && !(url.scheme() == "http" && allow_private) {
        return Err("must be `https://`; `http://` only with `allowPrivate: true`".to_owned());
    }
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    // A name that ends so leads to this machine, and to nowhere else (RFC 6761, 6.3).
    let here = (host == "localhost" || host.ends_with(".localhost")).then_some(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let literal = host.parse::<IpAddr>().ok().or(here);
    match literal.filter(|address| !allow_private && !is_public(*address)) {
        Some(address) => Err(PrivateAddress(address).to_string()),
        None => Ok(url),
    }
}

fn secret(file: &Path) -> Result<SigningSecret, String> {
    let text = private_file::read_given(file).map_err(|error| error.to_string())?;
    SigningSecret::parse(&text).map_err(|error| format!("`{}` {error}", file.display()))
}

/// Whether a subscription, or a source of webhooks, may be called that. The error says what a name is made of.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(fits) {
        return Err(format!("a name has 1 to {LONGEST_NAME} of a to z, 0 to 9 and `-`"));
    }
    Ok(())
}
