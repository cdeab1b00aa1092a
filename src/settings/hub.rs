//! `hub.yaml`, as values. The defaults are in `config/hub.yaml`; nothing here repeats them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Everything of `hub.yaml`.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each key is described where its default stands: config/hub.yaml")]
pub struct HubSettings {
    pub listen: SocketAddr,
    pub data_dir: PathBuf,
    pub leases: LeaseSettings,
    pub waits: WaitSettings,
    pub limits: LimitSettings,
    pub questions: QuestionSettings,
    pub journal: JournalSettings,
    pub tls: Option<TlsSettings>,
    pub behind_proxy: Option<BehindProxy>,
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    pub log: LogSettings,
}

/// `leases`.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "described in config/hub.yaml")]
pub struct LeaseSettings {
    pub ttl: Duration,
    pub ack_within: Duration,
    pub max_attempts: u32,
    pub aging_after: Duration,
    pub starvation_after: Duration,
    pub offline_after: Duration,
    pub last_holder_hold: Duration,
}

/// `waits`.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "described in config/hub.yaml")]
pub struct WaitSettings {
    pub default: Duration,
    pub max: Duration,
    pub progress_every: Duration,
}

/// `limits`. Sizes in bytes.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "described in config/hub.yaml")]
pub struct LimitSettings {
    pub requests_per_second: u32,
    pub burst: u32,
    pub connections: usize,
    pub queue_per_agent: usize,
    pub queue_total: usize,
    pub delegation_depth: u32,
    pub mcp_body: usize,
    pub api_body: usize,
    pub event_buffer: usize,
    pub mailbox: usize,
}

/// `questions`.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "described in config/hub.yaml")]
pub struct QuestionSettings {
    pub timeout: Duration,
    pub reminders: Vec<u8>,
}

/// `journal`.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "described in config/hub.yaml")]
pub struct JournalSettings {
    pub synchronous: Synchronous,
    pub batch: usize,
    pub retention: Duration,
}

/// What `synchronous` may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronous {
    /// An acknowledged write survives power loss.
    Full,
    /// An acknowledged write survives the death of the process.
    Normal,
}

/// `tls`.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "described in config/hub.yaml")]
pub struct TlsSettings {
    pub cert_file: PathBuf,
    pub key_file: PathBuf,
}

/// `behindProxy`.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "described in config/hub.yaml")]
pub struct BehindProxy {
    pub trusted_proxies: Vec<String>,
    pub public_url: String,
}

/// `log`.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "described in config/hub.yaml")]
pub struct LogSettings {
    pub format: LogFormat,
    pub level: String,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Pretty on a terminal, JSON elsewhere.
    Auto,
    /// For people.
    Pretty,
    /// One object a line.
    Json,
}

/// Where each value came from, by its dotted path: `defaults`, `hub.yaml:12`, `CALLBOARD_LISTEN`, `--listen`.
pub type Origins = BTreeMap<String, String>;
