//! `hub.yaml`, as values. The defaults and the meaning of each key are in `config/hub.yaml`; nothing here repeats them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, Unexpected};

use super::discord::DiscordSettings;
use super::ip_range::IpRange;
use super::ports::{ForgeSettings, TrackerSettings, WebhookSettings};
use super::span::Span;

/// Everything of `hub.yaml`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HubSettings {
    #[serde(deserialize_with = "address")]
    #[schemars(with = "String")]
    pub listen: SocketAddr,
    #[schemars(with = "Option<String>")]
    pub data_dir: PathBuf,
    pub store: Option<String>,
    pub store_password_file: Option<PathBuf>,
    pub node: NodeSettings,
    pub leases: LeaseSettings,
    pub waits: WaitSettings,
    pub limits: LimitSettings,
    pub oncall: OnCallSettings,
    pub questions: QuestionSettings,
    pub permissions: PermissionSettings,
    pub notices: NoticeSettings,
    pub journal: JournalSettings,
    pub monitor: MonitorSettings,
    #[serde(deserialize_with = "tls")]
    #[schemars(with = "TlsKeys")]
    pub tls: Option<TlsSettings>,
    #[serde(deserialize_with = "behind_proxy")]
    #[schemars(with = "BehindProxyKeys")]
    pub behind_proxy: Option<BehindProxy>,
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    pub discord: DiscordSettings,
    pub webhooks: WebhookSettings,
    pub forge: ForgeSettings,
    pub tracker: TrackerSettings,
    pub log: LogSettings,
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wanted = "an address and a port such as `127.0.0.1:7420`";
    text.parse().map_err(|_| D::Error::invalid_value(Unexpected::Str(&text), &wanted))
}

/// `node`: this hub as one of several on one database.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeSettings {
    pub name: Option<String>,
    pub public_url: Option<String>,
    pub shared_disk: bool,
}

/// `leases`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeaseSettings {
    #[serde(with = "Span")]
    pub ttl: Duration,
    #[serde(with = "Span")]
    pub ack_within: Duration,
    pub max_attempts: u32,
    #[serde(with = "Span")]
    pub aging_after: Duration,
    #[serde(with = "Span")]
    pub starvation_after: Duration,
    #[serde(with = "Span")]
    pub offline_after: Duration,
    #[serde(with = "Span")]
    pub last_holder_hold: Duration,
}

/// `waits`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WaitSettings {
    #[serde(with = "Span")]
    pub default: Duration,
    #[serde(with = "Span")]
    pub max: Duration,
    #[serde(with = "Span")]
    pub progress_every: Duration,
}

/// `oncall`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OnCallSettings {
    #[serde(with = "Span")]
    pub linger: Duration,
    #[serde(with = "Span")]
    pub silence: Duration,
    pub slots: u16,
}

/// `limits`. Sizes in bytes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitSettings {
    pub requests_per_second: u32,
    pub burst: u32,
    pub connections: usize,
    pub queue_per_agent: usize,
    pub queue_total: usize,
    pub comments_per_task: usize,
    pub notices_per_agent: usize,
    pub delegation_depth: u32,
    pub schedules: usize,
    pub mcp_body: usize,
    pub api_body: usize,
    pub event_buffer: usize,
    pub mailbox: usize,
}

/// `questions`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionSettings {
    #[serde(with = "Span")]
    pub timeout: Duration,
    pub reminders: Vec<u8>,
}

impl QuestionSettings {
    /// The reminders of a new question: each once, ascending.
    pub fn reminders_in_order(&self) -> Vec<u8> {
        let mut reminders = self.reminders.clone();
        reminders.sort_unstable();
        reminders.dedup();
        reminders
    }
}

/// `permissions`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionSettings {
    #[serde(with = "Span")]
    pub timeout: Duration,
}

/// `notices`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NoticeSettings {
    #[serde(with = "Span")]
    pub type_after: Duration,
}

/// `journal`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JournalSettings {
    pub synchronous: Synchronous,
    pub batch: usize,
    #[serde(with = "Span")]
    pub retention: Duration,
}

/// What `synchronous` may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    /// An acknowledged write survives power loss.
    Full,
    /// An acknowledged write survives the death of the process.
    Normal,
}

/// `monitor`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MonitorSettings {
    pub roots: Vec<PathBuf>,
    pub lines: usize,
    #[serde(with = "Span")]
    pub rest_after: Duration,
}

/// `tls`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    pub cert_file: PathBuf,
    pub key_file: PathBuf,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TlsKeys {
    cert_file: Option<PathBuf>,
    key_file: Option<PathBuf>,
}

fn tls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TlsSettings>, D::Error> {
    let keys = TlsKeys::deserialize(deserializer)?;
    match (keys.cert_file, keys.key_file) {
        (None, None) => Ok(None),
        (Some(cert_file), Some(key_file)) => Ok(Some(TlsSettings { cert_file, key_file })),
        (Some(_), None) => Err(D::Error::custom("has a `certFile` and needs its `keyFile`")),
        (None, Some(_)) => Err(D::Error::custom("has a `keyFile` and needs its `certFile`")),
    }
}

/// `behindProxy`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BehindProxy {
    pub trusted_proxies: Vec<IpRange>,
    pub public_url: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BehindProxyKeys {
    trusted_proxies: Vec<IpRange>,
    public_url: Option<String>,
}

fn behind_proxy<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BehindProxy>, D::Error> {
    let BehindProxyKeys { trusted_proxies, public_url } = BehindProxyKeys::deserialize(deserializer)?;
    match (trusted_proxies.is_empty(), public_url) {
        (true, None) => Ok(None),
        (false, Some(public_url)) => Ok(Some(BehindProxy { trusted_proxies, public_url })),
        (false, None) => Err(D::Error::custom("has `trustedProxies` and needs the `publicUrl` that people use")),
        (true, Some(_)) => Err(D::Error::custom("has a `publicUrl` and needs `trustedProxies`, the proxy's addresses")),
    }
}

/// `log`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogSettings {
    pub format: LogFormat,
    pub level: LogLevel,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Pretty on a terminal, JSON elsewhere.
    Auto,
    /// Lines that people read.
    Pretty,
    /// One object a line.
    Json,
}

/// The least grave level that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl LogLevel {
    /// As filters write it: `info`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}
