//! The connection to the hub: found, lost and found again, while the program goes on.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::{Notify, mpsc};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::outbound::{Outbound, Parcel};
use crate::cli::client::{HubClient, HubSocket};
use crate::cli::problem::Problem;
use crate::transport::terminal::{HostWord, HubWord, PROTOCOL};

/// The first pause before a hub is looked for again, and the longest.
const SOONEST: Duration = Duration::from_millis(250);
const LATEST: Duration = Duration::from_secs(30);
/// The longest where the hub is there: while the agent may only have to register, whose client is what the program
/// starts, and while another host is at its end.
const OFTEN: Duration = Duration::from_secs(1);
/// How long a connection may be silent; the hub asks more often whether anybody is there.
const SILENCE: Duration = Duration::from_secs(60);

/// What the observer and the uplink share, on one thread.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) outbound: RefCell<Outbound>,
    /// Wakes the uplink.
    pub(super) more: Notify,
    /// Whether the observer knows what the hub has: before that, nothing may be sent.
    pub(super) is_open: Cell<bool>,
}

/// Where the hub is looked for, and how this host introduces itself to it.
#[derive(Debug)]
pub(super) struct Home {
    pub(super) data_dir: Option<PathBuf>,
    pub(super) hello: HostWord,
}

/// What the uplink tells the observer.
#[derive(Debug)]
pub(super) enum News {
    /// A hub takes what comes, and has so many bytes already.
    Welcome(u64),
    /// It says this.
    Word(HubWord),
    /// It is gone.
    Lost,
}

/// A connection whose hub takes what comes, and has so many bytes already.
pub(super) struct Welcomed {
    socket: HubSocket,
    position: u64,
}

/// Why there is none.
pub(super) struct Unwatched {
    kind: Kind,
    /// For the user.
    pub(super) problem: Problem,
}

/// When it is worth while to ask again.
#[derive(Clone, Copy)]
enum Kind {
    /// It broke, or never was.
    Lost,
    /// The hub knows no such session, yet.
    NotRegistered,
    /// Another host is there.
    Taken,
    /// The hub said no.
    Refused,
}

/// Keeps a connection for as long as anybody listens, beginning with the one that is there, if one is.
pub(super) async fn keep(home: &Home, mut first: Option<Welcomed>, shared: &Shared, news: &mpsc::Sender<News>) {
    let (mut pause, mut others) = (SOONEST, false);
    loop {
        let welcomed = match first.take() {
            Some(first) => Ok(first),
            None => introduce(home).await,
        };
        let kind = match welcomed {
            Ok(welcomed) => {
                (pause, others) = (SOONEST, false);
                talk(welcomed, shared, news).await;
                Kind::Lost
            }
            Err(unwatched) => unwatched.kind,
        };
        shared.is_open.set(false);
        shared.outbound.borrow_mut().disconnected();
        if news.send(News::Lost).await.is_err() {
            return;
        }
        others |= matches!(kind, Kind::Taken);
        // A pause between two looks for a hub that is away: nothing here could wake it.
        sleep(pause).await;
        pause = match kind {
            // The other one was there first, and finds the hub again by then.
            Kind::Lost if others => LATEST * 2,
            Kind::NotRegistered | Kind::Taken => (pause * 2).min(OFTEN),
            Kind::Lost | Kind::Refused => (pause * 2).min(LATEST),
        };
    }
}

/// Asks the hub to watch this host. One that comes back may be elsewhere, and take other tokens: it is looked for anew
/// each time.
pub(super) async fn introduce(home: &Home) -> Result<Welcomed, Unwatched> {
    let lost = |problem| Unwatched { kind: Kind::Lost, problem };
    let hub = HubClient::find(home.data_dir.as_deref()).map_err(lost)?;
    let opened = hub.socket(&["ws", "terminal"], hub.token(), PROTOCOL, &[]).await;
    let mut socket = opened.map_err(|refused| lost(refused.problem))?;
    let broken = || lost(Problem::failed("the hub hung up"));
    say(&mut socket, &home.hello).await.ok_or_else(broken)?;
    match hear(&mut socket).await.ok_or_else(broken)? {
        HubWord::Welcome { position, .. } => Ok(Welcomed { socket, position }),
        HubWord::Refused { code, message, next } => Err(home.refused(&code, &message, next)),
        HubWord::Type { .. } | HubWord::Goodbye {} => Err(broken()),
    }
}

impl Home {
    fn refused(&self, code: &str, message: &str, next: Option<String>) -> Unwatched {
        let kind = match code {
            "SESSION_REQUIRED" | "SESSION_NOT_FOUND" => Kind::NotRegistered,
            "TERMINAL_HOSTED" => Kind::Taken,
            _ => Kind::Refused,
        };
        let problem = match (&self.hello, code) {
            (HostWord::Hello { agent, .. }, "SESSION_REQUIRED") => {
                Problem::failed(format!("the agent `{agent}` has not registered ({code})"))
                    .next("register_agent, which its own program may do: it is watched from then on")
            }
            _ => Problem::failed(format!("{message} ({code})")).next(next.unwrap_or_default()),
        };
        Unwatched { kind, problem }
    }
}

/// Until the connection ends.
async fn talk(welcomed: Welcomed, shared: &Shared, news: &mpsc::Sender<News>) {
    let Welcomed { mut socket, position } = welcomed;
    if news.send(News::Welcome(position)).await.is_err() {
        return;
    }
    while !shared.is_open.get() {
        shared.more.notified().await;
    }
    loop {
        let parcel = shared.outbound.borrow_mut().next();
        let sent = match parcel {
            Some(Parcel::Output(bytes)) => socket.send(Message::Binary(bytes)).await.ok(),
            Some(Parcel::Word(word)) => say(&mut socket, &word).await,
            None => {
                tokio::select! {
                    () = shared.more.notified() => Some(()),
                    word = hear(&mut socket) => match word {
                        Some(word) => news.send(News::Word(word)).await.ok(),
                        None => None,
                    },
                }
            }
        };
        if sent.is_none() {
            return;
        }
    }
}

async fn say(socket: &mut HubSocket, word: &HostWord) -> Option<()> {
    let text = serde_json::to_string(word).ok()?;
    socket.send(Message::text(text)).await.ok()
}

/// The next word. Safe to drop half-way.
async fn hear(socket: &mut HubSocket) -> Option<HubWord> {
    loop {
        match timeout(SILENCE, socket.next()).await.ok()?? {
            Ok(Message::Text(text)) => {
                if let Ok(word) = serde_json::from_str(&text) {
                    return Some(word);
                }
            }
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_)) => {}
            Ok(Message::Close(_)) | Err(_) => return None,
        }
    }
}
