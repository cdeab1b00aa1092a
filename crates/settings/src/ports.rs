//! `hub.yaml: webhooks, forge, tracker`, as values.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

/// `webhooks`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookSettings {
    /// Who may call, by the source in `/hooks/in/SOURCE`.
    #[serde(rename = "in")]
    pub inbound: BTreeMap<String, InboundWebhook>,
    /// Who hears events, by name.
    #[serde(rename = "out")]
    pub outbound: BTreeMap<String, OutboundWebhook>,
}

/// One caller of `/hooks/in/SOURCE`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InboundWebhook {
    /// How its calls are signed.
    pub scheme: WebhookScheme,
    /// The file that holds the shared secret.
    pub secret_file: PathBuf,
    /// The repositories for which it speaks, as `owner/name` or `owner/*`; none means those that no other source lists.
    #[serde(default)]
    pub repositories: Vec<String>,
    /// Where a tracker of the scheme `standard` has what is needed of a comment.
    #[serde(default)]
    pub fields: HookFields,
}

/// The names of fields in a tracker's payload. A field inside another is written with dots, as `data.comment.body`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct HookFields {
    /// Which field says what the payload is about.
    pub kind: String,
    /// What stands there for a new comment; all else is let pass unread.
    pub comment: String,
    /// The work item's id, as `link_task` is given it.
    pub item: String,
    /// The comment's id, as the hub was given it or gave it itself; may be missing from a payload.
    pub id: String,
    /// The author's name, as `people.yaml` has it under the name of the source.
    pub author: String,
    /// The comment's text.
    pub text: String,
    /// When it was written, RFC 3339; may be missing from a payload.
    pub at: String,
}

impl Default for HookFields {
    fn default() -> Self {
        let named = |name: &str| name.to_owned();
        Self {
            kind: named("type"),
            comment: named("comment.created"),
            item: named("data.issue.id"),
            id: named("data.comment.id"),
            author: named("data.comment.author"),
            text: named("data.comment.body"),
            at: named("data.comment.createdAt"),
        }
    }
}

/// How calls are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookScheme {
    /// `X-Hub-Signature-256`.
    Github,
    /// The HMAC of Gitea and Forgejo.
    Gitea,
    /// As Standard Webhooks prescribe it.
    Standard,
}

/// One hearer of events.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutboundWebhook {
    /// Where events are posted.
    pub url: String,
    /// The file that holds the signing secret.
    pub secret_file: PathBuf,
    /// The types of events; none means all.
    #[serde(default)]
    pub events: Vec<String>,
    /// Whether the address may be a private one.
    #[serde(default)]
    pub allow_private: bool,
}

/// `forge`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForgeSettings {
    pub kind: ForgeKind,
    pub base_url: Option<String>,
    pub token_file: Option<PathBuf>,
    pub repositories: Vec<String>,
}

/// Where pull requests live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ForgeKind {
    /// GitHub, or GitHub Enterprise with a base URL.
    Github,
    /// Forgejo or Gitea; needs a base URL.
    Forgejo,
    /// No forge: plain git.
    Git,
}

impl ForgeKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Github => "github",
            Self::Forgejo => "forgejo",
            Self::Git => "git",
        }
    }
}

/// `tracker`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrackerSettings {
    pub kind: TrackerKind,
    pub base_url: Option<String>,
    pub token_file: Option<PathBuf>,
    pub repositories: Vec<String>,
    pub allow_private: bool,
}

/// Where work items live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrackerKind {
    /// The comment threads of the hub's own tasks.
    Builtin,
    /// The issues of GitHub.
    Github,
    /// A generic webhook; needs a base URL.
    Webhook,
}
