//! The hub that is measured: the real binary, its own data directory, tokens for its agents.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::child::Child;
use super::client::{Caller, Door, Listener};
use super::error::BenchError;
use super::scratch::Scratch;
use callboard::clock::Clock;
use callboard::domain::ids::AgentId;
use callboard::transport::tokens::{NewToken, TokenStore};

/// How long a hub may take to serve before the measurement is given up.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How often it is asked whether it serves.
const ASK_EVERY: Duration = Duration::from_millis(2);

/// How many connections are made at once: less than a listener keeps waiting.
const AT_ONCE: usize = 64;

/// Waits are as long as they may be, so that no agent comes back while it is looked at.
const WAIT: u64 = 280;

/// The role of every agent.
pub(super) const ROLE: &str = "bench";

/// Any program may wait that long here.
const CLIENTS: &str = "clients:\n  unknown: {waitCap: 280s, progress: false, tasks: false, checked: 2026-11-21, \
                       source: the measurement}\n";

/// A hub of its own process.
#[derive(Debug)]
pub(super) struct Hub {
    pub(super) child: Child,
    /// From its start to the first answer.
    pub(super) started_in: Duration,
    operator: String,
    tokens: Vec<String>,
    scratch: Scratch,
}

impl Hub {
    /// Starts one on an empty journal that knows so many agents by their tokens.
    pub(super) async fn start(dir: &Path, agents: usize) -> Result<Self, BenchError> {
        Self::start_in(Scratch::new(dir)?, agents).await
    }

    /// The same with other settings.
    pub(super) async fn start_with(
        dir: &Path,
        agents: usize,
        settings: &[(&'static str, String)],
    ) -> Result<Self, BenchError> {
        Self::start_set(Scratch::new(dir)?, agents, settings).await
    }

    /// Starts one on a journal that is written first.
    pub(super) async fn start_on(
        dir: &Path,
        agents: usize,
        fill: impl FnOnce(&Path) -> Result<(), BenchError>,
    ) -> Result<Self, BenchError> {
        let scratch = Scratch::new(dir)?;
        let data = scratch.path().join("data");
        fs::create_dir_all(&data).map_err(BenchError::io(format!("make `{}`", data.display())))?;
        tokio::task::block_in_place(|| fill(&data.join("callboard.db")))?;
        Self::start_in(scratch, agents).await
    }

    /// Kills it, and starts it again on its own data, with the agents that it knew.
    pub(super) async fn restart(self) -> Result<Self, BenchError> {
        let Self { child, tokens, scratch, .. } = self;
        drop(child);
        let hub = Self::start_in(scratch, 0).await?;
        Ok(Self { tokens, ..hub })
    }

    /// A new connection of the agent of this number, which registered before.
    pub(super) async fn caller_of(&self, number: usize) -> Result<Caller, BenchError> {
        Caller::open(self.address(), Door::Plain, self.tokens.get(number).map(String::as_str)).await
    }

    /// Starts one on whatever is in this folder.
    pub(super) async fn start_in(scratch: Scratch, agents: usize) -> Result<Self, BenchError> {
        Self::start_set(scratch, agents, &[]).await
    }

    /// The same on whatever is in this folder, its `config` included.
    pub(super) async fn start_set(
        scratch: Scratch,
        agents: usize,
        settings: &[(&'static str, String)],
    ) -> Result<Self, BenchError> {
        let (data, config) = (scratch.path().join("data"), scratch.path().join("config"));
        for folder in [&data, &config] {
            fs::create_dir_all(folder).map_err(BenchError::io(format!("make `{}`", folder.display())))?;
            only_ours(folder)?;
        }
        // Before the hub begins: with a server the file would be written anew for each of them.
        let tokens = tokens(&data, agents)?;
        let clients = config.join("clients.yaml");
        fs::write(&clients, CLIENTS).map_err(BenchError::io(format!("write `{}`", clients.display())))?;
        let mut raised = vec![
            ("CALLBOARD_LIMITS_REQUESTS_PER_SECOND", "1000000".to_owned()),
            ("CALLBOARD_LIMITS_BURST", "1000000".to_owned()),
            ("CALLBOARD_LIMITS_QUEUE_TOTAL", "1000000".to_owned()),
            ("CALLBOARD_LIMITS_QUEUE_PER_AGENT", "1000000".to_owned()),
        ];
        raised.extend(settings.iter().cloned());
        let began = Instant::now();
        let mut child = Child::hub(&data, &config, &raised)?;
        wait_until_it_serves(&mut child, began).await?;
        let started_in = began.elapsed();
        let token = data.join("operator.token");
        let operator = fs::read_to_string(&token).map_err(BenchError::io(format!("read `{}`", token.display())))?;
        Ok(Self { child, started_in, operator: operator.trim().to_owned(), tokens, scratch })
    }

    /// Ends it and keeps its folder.
    pub(super) fn end(self) -> Scratch {
        self.scratch
    }

    /// Its data directory.
    pub(super) fn data(&self) -> std::path::PathBuf {
        self.scratch.path().join("data")
    }

    /// Where it listens.
    pub(super) const fn address(&self) -> SocketAddr {
        self.child.address
    }

    /// Somebody who hands out work.
    pub(super) async fn operator(&self, door: Door) -> Result<Caller, BenchError> {
        Caller::open(self.address(), door, Some(&self.operator)).await
    }

    /// Somebody who hears of each event of this type.
    pub(super) async fn listener(&self, kind: &str) -> Result<Listener, BenchError> {
        Listener::open(self.address(), &self.operator, kind).await
    }

    /// So many of its agents, `first` being the number of the first: each with a connection, registered,
    /// and parked where it is to be: the door closes a connection that is silent between two requests.
    pub(super) async fn agents(
        &self,
        door: Door,
        first: usize,
        count: usize,
        parked: bool,
    ) -> Result<Vec<Agent>, BenchError> {
        let tokens = self.tokens.iter().enumerate().skip(first).take(count);
        let address = self.address();
        let opened = stream::iter(tokens).map(async |(number, token)| {
            let mut agent = Agent::open(address, door, number, token).await?;
            if parked {
                agent.caller.begin("wait_for_prompt", &wait()).await?;
            }
            Ok(agent)
        });
        opened.buffered(AT_ONCE).try_collect().await
    }
}

/// An agent of the measurement.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) id: String,
    pub(super) caller: Caller,
}

impl Agent {
    async fn open(address: SocketAddr, door: Door, number: usize, token: &str) -> Result<Self, BenchError> {
        let mut caller = Caller::open(address, door, Some(token)).await?;
        let id = name(number);
        caller.tool("register_agent", &json!({"agentId": id, "role": ROLE, "capabilities": []})).await?;
        Ok(Self { id, caller })
    }
}

/// The arguments of a wait that outlives every measurement.
pub(super) fn wait() -> Value {
    json!({ "timeout": WAIT })
}

fn tokens(data: &Path, agents: usize) -> Result<Vec<String>, BenchError> {
    let unkept = |error: String| BenchError::Start { server: "callboard serve".to_owned(), reason: error };
    let ids = (0..agents).map(|number| AgentId::parse(&name(number)).map(NewToken::Agent));
    let new = ids.collect::<Result<Vec<_>, _>>().map_err(|error| unkept(error.to_string()))?;
    let store = TokenStore::open(data).map_err(|error| unkept(error.to_string()))?;
    store.create_all(&new, Clock::system().now()).map_err(|error| unkept(error.to_string()))
}

fn name(number: usize) -> String {
    format!("bench-{number}")
}

async fn wait_until_it_serves(child: &mut Child, began: Instant) -> Result<(), BenchError> {
    while began.elapsed() < TIMEOUT {
        if let Some(reason) = child.ended() {
            return Err(BenchError::Start { server: "callboard serve".to_owned(), reason });
        }
        if let Ok(mut caller) = Caller::open(child.address, Door::Plain, None).await
            && caller.get("/readyz").await.is_ok()
        {
            return Ok(());
        }
        sleep(ASK_EVERY).await;
    }
    Err(BenchError::Late { what: "the hub to serve".to_owned(), seconds: TIMEOUT.as_secs() })
}

fn only_ours(folder: &Path) -> Result<(), BenchError> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::Permissions::from_mode(0o700);
    fs::set_permissions(folder, mode).map_err(BenchError::io(format!("close `{}`", folder.display())))
}
