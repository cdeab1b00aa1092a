//! The composition root: settings and a data directory become a hub that serves, is reloaded, and ends gently.

mod audited;
mod discord;
mod journal;
#[cfg(feature = "postgres")]
mod node;
#[cfg(not(feature = "postgres"))]
#[path = "hub/no_node.rs"]
mod node;
#[cfg(test)]
mod outside_stories;
mod outward;
mod sampler;

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

#[cfg(feature = "postgres")]
pub(crate) use self::journal::has_all_of_the_file;
pub use self::node::{Holder, NodeProcess};
use self::outward::Outward;
use self::sampler::Sampler;
use crate::actors::common::Fault;
use crate::actors::journal::{JournalMessage, JournalReads};
use crate::actors::supervisor::ServiceKind;
use crate::actors::{Backstage, BackstageArgs, Held, HubRef};
use crate::audit::AuditFault;
use crate::clock::Clock;
use crate::domain::ids::{IdError, PrincipalId};
use crate::domain::node::NodeView;
use crate::domain::principal::{By, Surface};
use crate::ids::Ids;
use crate::journal::search::SearchError;
use crate::journal::sqlite::OpenError;
use crate::journal::vault::Vault;
use crate::journal::{Append, Entry, HubRecord};
use crate::private_file;
use crate::settings::{ConfigFaults, HubSettings, Origins, Settings, SystemPrompts, check_bind, check_files};
use crate::transcripts::{self, Transcripts};
use crate::transport::http::{self, Guard, Pages, Timeouts, TlsError};
use crate::transport::mcp::Entrance;
use crate::transport::tokens::{TokenError, TokenStore};
use crate::webhooks::Sources;

/// The file in the data directory that says where the hub is reached: how the command line finds it.
pub const URL_FILE: &str = "hub.url";

/// Keys of `hub.yaml`, or groups of them, that are read once: a change waits for the next start. `log.format` is bound
/// by whoever starts the log.
pub const BOUND_AT_START: [&str; 22] = [
    "allowedHosts", "allowedOrigins", "behindProxy", "dataDir", "discord.apiBase", "discord.gatewayUrl",
    "discord.messageContent", "journal.batch", "journal.synchronous", "limits.burst", "limits.connections",
    "limits.eventBuffer", "limits.mailbox", "limits.mcpBody", "limits.requestsPerSecond", "listen", "log.format",
    "node", "store", "storePasswordFile", "tls", "webhooks.out",
];

/// How long open requests, and then the actors, may take to end.
const END_WITHIN: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct HubOptions {
    /// What is set; `dataDir` is where it lives.
    pub settings: Settings,
    pub config_dir: Option<PathBuf>,
    /// The texts that roles are given.
    pub system_prompts: SystemPrompts,
    /// The data directory is removed at the end.
    pub ephemeral: bool,
    /// The password of the database that holds the journal, where there is one and it asks for one.
    pub store_password: Option<SecretString>,
    pub owned: Option<Owned>,
    /// The token of the Discord bot; without one there is no Discord.
    pub discord_token: Option<SecretString>,
    /// The token of the tracker, or its signing secret, where no file holds it.
    pub tracker_token: Option<SecretString>,
    /// The token of the forge, where no file holds it.
    pub forge_token: Option<SecretString>,
}

/// What a node of several has taken.
#[derive(Debug)]
pub struct Owned {
    pub holder: Holder,
    pub held: Held,
    /// Where it listened while it stood by: a client that comes in between waits there.
    pub listener: Option<Arc<TcpListener>>,
}

#[derive(Debug)]
pub struct Hub {
    backstage: Backstage,
    tokens: TokenStore,
    sources: Sources,
    prompts: watch::Sender<Arc<SystemPrompts>>,
    address: SocketAddr,
    url: String,
    data_dir: PathBuf,
    operator_token: PathBuf,
    ephemeral: bool,
    store: String,
    /// Holds the data directory where the journal does not.
    _folder: Option<File>,
    end: CancellationToken,
    server: JoinHandle<()>,
}

#[derive(Debug, Error)]
pub enum HubError {
    #[error(transparent)]
    Config(#[from] ConfigFaults),
    /// The data directory cannot be made, or is not the hub's alone.
    #[error("the data directory `{path}` cannot be used: {error}")]
    DataDir { path: PathBuf, error: std::io::Error },
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] OpenError),
    #[error("{0}")]
    Database(String),
    /// The database does not answer now.
    #[error("{0}")]
    Unreachable(String),
    /// The journal of this data directory is elsewhere than the settings say; with what to do.
    #[error("{0}")]
    Elsewhere(String),
    #[error("failed to open the search index: {0}")]
    Search(#[from] SearchError),
    #[error(transparent)]
    Tokens(#[from] TokenError),
    #[error(transparent)]
    Audit(#[from] AuditFault),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("failed to listen on {address}: {error}; is another hub running, or another program on this port?")]
    Listen { address: SocketAddr, error: std::io::Error },
    #[error(transparent)]
    Actors(#[from] crate::actors::StartError),
    /// Something was built wrongly.
    #[error(transparent)]
    Name(#[from] IdError),
    #[error("failed to begin: {0}")]
    Begin(String),
}

/// Doors that know people by something else than a token ask here what their tokens let them do.
fn know_credentials(hub: &HubRef, tokens: &TokenStore, clock: Clock) {
    let known = tokens.clone();
    hub.credentials.begin(move |principal| known.scopes_of(principal, clock.now()));
}

/// Discord before the actors are there; none without a token. A read may wait for a disk, or for a database.
async fn discord(
    settings: &Settings,
    token: Option<SecretString>,
    vault: &Arc<dyn Vault>,
    reads: &JournalReads,
) -> Result<Option<discord::Discord>, HubError> {
    let (settings, vault) = (settings.clone(), Arc::clone(vault));
    let prepared = reads.read(move |reader| discord::Discord::prepare(&settings, token, &vault, reader)).await;
    prepared.map_err(|error| HubError::Begin(error.to_string()))
}

/// Everybody who has a token is there from the start.
async fn hire(hub: &HubRef, tokens: &TokenStore) -> Result<(), Fault> {
    for agent in tokens.agents() {
        hub.dispatcher.hire_at_the_start(&agent).await?;
    }
    Ok(())
}

impl Hub {
    /// Opens the data directory, builds everybody from the journal, and serves. When it fails, nothing listens.
    pub async fn start(options: HubOptions) -> Result<Self, HubError> {
        Self::start_behind(options, |hub, prompts| Entrance::new(hub.clone(), prompts)).await
    }

    /// The same behind another way in for MCP, as tests of the protocol build it. Fails as [`Hub::start`] does.
    pub async fn start_behind(
        options: HubOptions,
        entrance: impl FnOnce(&HubRef, watch::Receiver<Arc<SystemPrompts>>) -> Entrance,
    ) -> Result<Self, HubError> {
        let settings = options.settings;
        check_bind(&settings.hub, &Origins::new())?;
        check_files(&settings.hub, options.config_dir.as_deref())?;
        let data_dir = settings.hub.data_dir.clone();
        let tls = settings.hub.tls.as_ref().map(http::acceptor).transpose()?;
        let own = own_folder(&settings.hub)?;
        let journal = journal::open(&settings, &data_dir, options.store_password, options.owned.as_ref()).await?;
        let clock = journal.clock;
        let outward = Outward::load(&settings.hub, options.tracker_token, options.forge_token, clock.clone())?;
        let discord = discord(&settings, options.discord_token, &journal.vault, &journal.reads).await?;
        let (listener, address) = listen(settings.hub.listen, options.owned.as_ref()).await?;
        let (tokens, operator_token) = credentials(&journal.vault, &data_dir, &clock)?;
        let url = url_of(&settings, address);
        let (pages, connections) = (Pages::of(&settings.hub, address), settings.hub.limits.connections);
        let kept = (&journal.reads, &journal.vault);
        let args = BackstageArgs {
            destinations: outward.destinations(discord.as_ref(), kept, &settings.hub, &clock).await?,
            forge: outward.port.clone(),
            store: journal.store,
            reads: journal.reads,
            search: journal.search,
            transcripts: Transcripts::at(own.join(transcripts::FILE)),
            settings,
            clock: clock.clone(),
            ids: Ids::random(),
        };
        let backstage = Backstage::start(args).await?;
        options.owned.into_iter().for_each(|owned| backstage.hub.ownership.begin(owned.held));
        backstage.hub.dispatcher.catches_up().await.map_err(|fault| unready(&fault))?;
        outward.begin(&backstage.hub);
        let seen = backstage.hub.audit.begin(&own, backstage.hub.clock.now())?;
        know_credentials(&backstage.hub, &tokens, clock);
        hire(&backstage.hub, &tokens).await.map_err(|fault| unready(&fault))?;
        let guard = Guard::new(backstage.hub.clone(), tokens.clone(), pages).with_sources(outward.sources.clone());
        let sampler = Sampler { hub: backstage.hub.clone(), denials: guard.denials().clone() };
        let (prompts, prompts_seen) = watch::channel(Arc::new(options.system_prompts));
        let mcp = entrance(&backstage.hub, prompts_seen.clone());
        let router = http::router_with(&backstage.hub, guard, tokens.clone(), prompts_seen, mcp);
        // Refused by a journal that ended: then the hub ends, too.
        let retention = JournalMessage::KeepToRetention { settings: backstage.hub.settings.clone() };
        let _ = backstage.hub.journal.actor().send_message(retention);
        // Before anybody is answered: whoever is told that the hub is ready finds it.
        write_url(&data_dir, &url)?;
        // Before a door is open: what is asked of it is noted behind the audit's first line.
        audited::follow(&backstage.hub, seen).await.map_err(HubError::Begin)?;
        let end = CancellationToken::new();
        #[expect(
            clippy::disallowed_methods,
            reason = "the door is no actor; the hub holds its handle and waits for it"
        )]
        let server = tokio::spawn(http::serve(listener, tls, router, connections, Timeouts::default(), end.clone()));
        let hub = Self {
            backstage,
            tokens,
            sources: outward.sources,
            prompts,
            address,
            url,
            data_dir,
            operator_token,
            ephemeral: options.ephemeral,
            store: journal.shown,
            _folder: journal.folder,
            end,
            server,
        };
        hub.begin(sampler).await?;
        if let Some(discord) = discord {
            discord.start(hub.lines()).await.map_err(|fault| unready(&fault))?;
        }
        Ok(hub)
    }

    /// Answers for a node without the journal, until `end` fires: its address, its socket, and what to wait for.
    pub async fn stands_by(
        settings: &Settings,
        nodes: watch::Receiver<Vec<NodeView>>,
        end: CancellationToken,
    ) -> Result<(String, Arc<TcpListener>, impl Future<Output = ()>), HubError> {
        check_bind(&settings.hub, &Origins::new())?;
        let tls = settings.hub.tls.as_ref().map(http::acceptor).transpose()?;
        let (listener, address) = listen(settings.hub.listen, None).await?;
        let url = url_of(settings, address);
        // In a folder that all share, it says where the owner is reached.
        if !settings.hub.node.shared_disk {
            write_url(&settings.hub.data_dir, &url)?;
        }
        let (connections, router) = (settings.hub.limits.connections, http::standby(nodes));
        let serving = http::serve(Arc::clone(&listener), tls, router, connections, Timeouts::default(), end);
        Ok((url, listener, serving))
    }

    pub const fn lines(&self) -> &HubRef {
        &self.backstage.hub
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// How it is reached from this machine.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where its journal is, for people; without user and password.
    pub fn store(&self) -> &str {
        &self.store
    }

    /// Whether that is a database.
    pub fn in_database(&self) -> bool {
        self.backstage.hub.settings().hub.store.is_some()
    }

    pub const fn tokens(&self) -> &TokenStore {
        &self.tokens
    }

    pub fn operator_token(&self) -> &Path {
        &self.operator_token
    }

    /// Other settings and prompts from now on. What was bound at the start stays: see [`BOUND_AT_START`].
    pub fn reload(&self, mut settings: Settings, prompts: SystemPrompts) {
        // Lists and tests of webhooks are about those that are sent to.
        let in_force = self.backstage.hub.settings();
        settings.hub.webhooks.outbound.clone_from(&in_force.hub.webhooks.outbound);
        audited::reloaded(&self.backstage.hub, &settings);
        if let Err(why) = self.sources.reload(&settings.hub) {
            tracing::warn!("the sources of webhooks stay as they were: {why}");
        }
        self.prompts.send_replace(Arc::new(prompts));
        self.backstage.reload(settings);
    }

    /// Newer settings could not be read: those in force stay, and the overview says so.
    pub fn keeps_settings(&self, why: String) {
        self.backstage.keeps_settings(why);
    }

    pub async fn failed(&self) -> String {
        self.backstage.failed().await
    }

    /// Ends gently: open waits hear "reconnect", open requests end, what was accepted is on disk.
    pub async fn end(self) {
        self.backstage.drain();
        self.end.cancel();
        if self.server.await.is_err() {
            tracing::warn!("the accept loop did not end as it should");
        }
        if let Err(fault) = self.tokens.flush() {
            tracing::warn!("the tokens' last use could not be written down: {fault}");
        }
        if let Err(fault) = write_down(&self.backstage.hub, HubRecord::Stopped).await {
            tracing::warn!("the end could not be written down: {fault}");
        }
        let hub = self.backstage.hub.clone();
        self.backstage.end(END_WITHIN).await;
        hub.audit.settle().await;
        // The address stays where it is: whoever comes before the next start waits there, and carries its token to
        // nobody who listens elsewhere.
        if self.ephemeral
            && let Err(error) = fs::remove_dir_all(&self.data_dir)
        {
            tracing::debug!("left behind in `{}`: {error}", self.data_dir.display());
        }
    }

    /// The first record of this run, and the samples of what is counted.
    async fn begin(&self, sampler: Sampler) -> Result<(), HubError> {
        let started = HubRecord::Started { version: env!("CARGO_PKG_VERSION").to_owned() };
        write_down(&self.backstage.hub, started).await.map_err(|why| {
            drop(fs::remove_file(self.data_dir.join(URL_FILE)));
            HubError::Begin(why)
        })?;
        let sampler = ServiceKind { name: "metrics", what: Arc::new(sampler) };
        self.lines().supervisor.supervise(sampler).await.map_err(|fault| unready(&fault))
    }
}

/// Where to find the hub.
fn write_url(data_dir: &Path, url: &str) -> Result<(), HubError> {
    private_file::replace_unsynced(&data_dir.join(URL_FILE), format!("{url}\n").as_bytes())
        .map_err(|error| HubError::Begin(error.to_string()))
}

async fn write_down(hub: &HubRef, record: HubRecord) -> Result<(), String> {
    let principal = PrincipalId::parse("hub").map_err(|error| error.to_string())?;
    let append = Append {
        at: hub.clock.now(),
        by: By { principal, surface: Surface::Hub },
        request: None,
        entries: vec![Entry::of_hub(record)],
        rows: Vec::new(),
        blobs: Vec::new(),
        idempotency: None,
        expects: Vec::new(),
    };
    hub.journal.append(append).await.map(drop).map_err(|error| error.to_string())
}

/// The tokens, and where the operator's is kept.
fn credentials(vault: &Arc<dyn Vault>, data_dir: &Path, clock: &Clock) -> Result<(TokenStore, PathBuf), HubError> {
    let tokens = TokenStore::open_in(Arc::clone(vault), data_dir)?;
    tokens.recount(clock.machine_now())?;
    let operators = tokens.ensure_operator(data_dir, clock.machine_now())?;
    Ok((tokens, operators))
}

fn unready(fault: &Fault) -> HubError {
    HubError::Begin(fault.to_string())
}

/// Makes the data directory; returns where one process at a time writes: its own for each of several hubs.
fn own_folder(hub: &HubSettings) -> Result<PathBuf, HubError> {
    make_folder(&hub.data_dir)?;
    let own = match &hub.node.name {
        Some(name) if hub.node.shared_disk => hub.data_dir.join(format!("node-{name}")),
        Some(_) | None => hub.data_dir.clone(),
    };
    make_folder(&own)?;
    Ok(own)
}

fn make_folder(path: &Path) -> Result<(), HubError> {
    let made = private_file::make_folder(path).and_then(|()| private_file::check_folder(path));
    made.map_err(|error| HubError::DataDir { path: path.to_owned(), error })
}

async fn listen(address: SocketAddr, owned: Option<&Owned>) -> Result<(Arc<TcpListener>, SocketAddr), HubError> {
    let failed = |error| HubError::Listen { address, error };
    let listener = match owned.and_then(|owned| owned.listener.as_ref()) {
        Some(listener) => Arc::clone(listener),
        None => Arc::new(TcpListener::bind(address).await.map_err(failed)?),
    };
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// How the hub is reached from this machine: one that listens on every address is reached on the loopback.
fn url_of(settings: &Settings, bound: SocketAddr) -> String {
    let scheme = if settings.hub.tls.is_some() { "https" } else { "http" };
    match bound {
        any if any.ip().is_unspecified() => format!("{scheme}://127.0.0.1:{}", any.port()),
        one => format!("{scheme}://{one}"),
    }
}
