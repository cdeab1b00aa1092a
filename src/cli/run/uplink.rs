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
use crate::transport::terminal::{HostWord, HubWord, PROTOCOL};

/// The first pause before a hub is looked for again, and the longest.
const SOONEST: Duration = Duration::from_millis(250);
const LATEST: Duration = Duration::from_secs(30);
/// The longest while the agent may only have to register: its client is what the program starts.
const UNTIL_REGISTERED: Duration = Duration::from_secs(1);
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

/// Why a connection ended.
enum Ended {
    /// It broke, or never was.
    Lost,
    /// The hub knows no such session, yet.
    NotRegistered,
    /// The hub said no.
    Refused,
}

/// Keeps a connection for as long as anybody listens.
pub(super) async fn keep(home: &Home, shared: &Shared, news: &mpsc::Sender<News>) {
    let mut pause = SOONEST;
    loop {
        let (ended, was_welcome) = match connect(home).await {
            Some(socket) => talk(socket, &home.hello, shared, news).await,
            None => (Ended::Lost, false),
        };
        shared.is_open.set(false);
        shared.outbound.borrow_mut().disconnected();
        if news.send(News::Lost).await.is_err() {
            return;
        }
        if was_welcome {
            pause = SOONEST;
        }
        // A pause between two looks for a hub that is away: nothing here could wake it.
        sleep(pause).await;
        pause = match ended {
            Ended::NotRegistered => (pause * 2).min(UNTIL_REGISTERED),
            Ended::Lost | Ended::Refused => (pause * 2).min(LATEST),
        };
    }
}

/// A hub that comes back may be elsewhere, and take other tokens: it is looked for anew each time.
async fn connect(home: &Home) -> Option<HubSocket> {
    let hub = HubClient::find(home.data_dir.as_deref()).ok()?;
    hub.socket(&["ws", "terminal"], hub.token(), PROTOCOL, &[]).await.ok()
}

/// Returns how a connection ended, and whether the hub ever took this host.
async fn talk(mut socket: HubSocket, hello: &HostWord, shared: &Shared, news: &mpsc::Sender<News>) -> (Ended, bool) {
    if say(&mut socket, hello).await.is_none() {
        return (Ended::Lost, false);
    }
    match hear(&mut socket).await {
        Some(HubWord::Welcome { position, .. }) => {
            if news.send(News::Welcome(position)).await.is_err() {
                return (Ended::Lost, true);
            }
        }
        Some(HubWord::Refused { code, .. }) if matches!(code.as_str(), "SESSION_REQUIRED" | "SESSION_NOT_FOUND") => {
            return (Ended::NotRegistered, false);
        }
        Some(HubWord::Refused { .. } | HubWord::Type { .. } | HubWord::Goodbye {}) => return (Ended::Refused, false),
        None => return (Ended::Lost, false),
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
            return (Ended::Lost, true);
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
