//! The host that serves. A crash takes everything but the journal and the tokens.

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use callboard::actors::journal::JournalReads;
use callboard::actors::{Backstage, BackstageArgs};
use callboard::clock::Clock;
use callboard::domain::ids::AgentId;
use callboard::domain::principal::Scope;
use callboard::domain::time::Timestamp;
use callboard::ids::Ids;
use callboard::journal::Store;
use callboard::journal::memory::{self, MemoryReader};
use callboard::settings::{Settings, SystemPrompts};
use callboard::transport::http::{self, Answers, Connection, Guard, Listen, Pages, Timeouts};
use callboard::transport::tokens::{NewToken, TokenStore};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use turmoil::net::{TcpListener, TcpStream};

pub(super) const PORT: u16 = 7420;
const BEGAN: Timestamp = Timestamp(1_800_000_000_000);

/// What outlives the hub's process.
pub(super) struct DurableState {
    reader: RefCell<MemoryReader>,
    folder: TempDir,
    ids: Ids,
    settings: Settings,
    forgets: bool,
}

impl DurableState {
    pub(super) fn new(seed: u64) -> Rc<Self> {
        Self::that(seed, false)
    }

    /// Each start of its hub finds an empty journal.
    pub(super) fn forgetful(seed: u64) -> Rc<Self> {
        Self::that(seed, true)
    }

    fn that(seed: u64, forgets: bool) -> Rc<Self> {
        let mut settings = Settings::defaults();
        // Short, so that what is lost on the way comes back within a few minutes.
        settings.hub.leases.ack_within = std::time::Duration::from_secs(20);
        settings.hub.leases.ttl = std::time::Duration::from_secs(60);
        settings.hub.leases.max_attempts = 1_000;
        // Counted by a clock that does not stand still.
        settings.hub.limits.requests_per_second = u32::MAX;
        settings.hub.limits.burst = u32::MAX;
        let (_, reader) = memory::open();
        let (reader, folder) = (RefCell::new(reader), TempDir::new().unwrap());
        Rc::new(Self { reader, folder, ids: Ids::seeded(seed), settings, forgets })
    }

    /// A token for an agent of this name, or for the operator without one.
    pub(super) fn token(&self, agent: Option<&str>) -> String {
        let new = match agent {
            Some(id) => NewToken::Agent(AgentId::parse(id).unwrap()),
            None => NewToken::Named { name: "asker".to_owned(), scope: Scope::Operate, service: false },
        };
        TokenStore::open(self.folder.path()).unwrap().create(&new, None, BEGAN).unwrap().0
    }

    /// What is written.
    pub(super) fn reader(&self) -> MemoryReader {
        self.reader.borrow().clone()
    }

    /// Serves until the host crashes.
    pub(super) async fn serves(&self) -> turmoil::Result {
        let (store, reader) = if self.forgets { memory::open() } else { self.reader.borrow().reopened() };
        self.reader.replace(reader.clone());
        let backstage = self.builds(Box::new(store), reader, Duration::ZERO).await?;
        self.answers(&backstage, CancellationToken::new()).await
    }

    /// Everybody of a hub whose machine's clock is wrong by so much.
    pub(super) async fn builds(
        &self,
        store: Box<dyn Store>,
        reader: MemoryReader,
        ahead: Duration,
    ) -> turmoil::Result<Backstage> {
        let began = BEGAN + ahead + turmoil::sim_elapsed().unwrap_or_default();
        let args = BackstageArgs {
            settings: self.settings.clone(),
            ..BackstageArgs::alone(store, JournalReads::new(reader), Clock::starting_at(began), self.ids.clone())
        };
        Ok(Backstage::start(args).await?)
    }

    /// Serves until it is told to end.
    pub(super) async fn answers(&self, backstage: &Backstage, end: CancellationToken) -> turmoil::Result {
        let tokens = TokenStore::open(self.folder.path())?;
        for agent in tokens.agents() {
            backstage.hub.dispatcher.hire(&agent).await?;
        }
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT);
        let guard = Guard::new(backstage.hub.clone(), tokens.clone(), Pages::of(&self.settings.hub, address));
        let (_prompts, prompts) = watch::channel(Arc::new(SystemPrompts::load(None)?));
        let router = http::router(&backstage.hub, guard, tokens, prompts);
        serve(router, end).await
    }
}

/// Answers by these routes until it is told to end.
pub(super) async fn serve(router: impl Answers, end: CancellationToken) -> turmoil::Result {
    let listener = Ear(TcpListener::bind((IpAddr::V4(Ipv4Addr::UNSPECIFIED), PORT)).await?);
    http::serve(listener, None, router, 1_024, Timeouts::default(), end).await;
    Ok(())
}

struct Ear(TcpListener);

/// A connection of the pretended network.
struct Thread(TcpStream);

impl Listen for Ear {
    type Connection = Thread;

    async fn next(&self) -> io::Result<Thread> {
        Ok(Thread(self.0.accept().await?.0))
    }
}

impl Connection for Thread {
    fn hurry(&self) -> io::Result<()> {
        self.0.set_nodelay(true)
    }

    async fn first(&mut self) -> io::Result<usize> {
        self.0.peek(&mut [0]).await
    }

    fn peer(&self) -> Option<IpAddr> {
        self.0.peer_addr().ok().map(|peer| peer.ip())
    }

    fn trouble(&self) -> io::Result<Option<io::Error>> {
        Ok(None)
    }
}

impl AsyncRead for Thread {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Thread {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
