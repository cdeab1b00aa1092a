//! The connection to the hub: found, lost and found again, while the program goes on.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::{Notify, mpsc};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::outbound::{Outbound, OutboundItem};
use crate::client::{HubPlace, HubSocket};
use crate::domain::wire::{HostWord, HubWord, PROTOCOL};
use crate::place::GlobalArgs;
use crate::problem::Problem;

/// The first pause before a hub is looked for again, and the longest.
const SOONEST: Duration = Duration::from_millis(250);
const LATEST: Duration = Duration::from_secs(30);
/// The longest where the hub is there: its agent may only have to register, or another host is at its end.
const OFTEN: Duration = Duration::from_secs(1);
/// How long a connection may be silent; the hub asks more often whether anybody is there.
const SILENCE: Duration = Duration::from_secs(60);

/// What the observer and the uplink share, on one thread.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) outbound: RefCell<Outbound>,
    pub(super) more: Notify,
    /// Whether the observer knows what the hub has: before that, nothing may be sent.
    pub(super) is_open: Cell<bool>,
}

/// Where the hub is looked for, and how this host introduces itself to it.
#[derive(Debug)]
pub(super) struct Home {
    pub(super) globals: GlobalArgs,
    pub(super) hello: HostWord,
}

/// What the uplink tells the observer.
#[derive(Debug)]
pub(super) enum News {
    /// A hub takes what comes, and has so many bytes already.
    Welcome(u64),
    Word(HubWord),
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

/// What comes of asking to be watched.
pub(super) type Answer = Result<Welcomed, Unwatched>;

/// When it is worth while to ask again.
#[derive(Clone, Copy)]
enum Kind {
    /// It broke, or never was.
    Lost,
    /// The hub knows no such session, yet.
    NotRegistered,
    Taken,
    Refused,
}

/// Keeps a connection for as long as anybody listens, beginning with what came of asking before, if it was heard.
pub(super) async fn keep(home: &Home, mut first: Option<Answer>, shared: &Shared, news: &mpsc::Sender<News>) {
    let mut search = Search::default();
    loop {
        let answer = match first.take() {
            Some(first) => first,
            None => introduce(home, search.others).await,
        };
        let kind = match answer {
            Ok(welcomed) => {
                search = Search::default();
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
        // A pause between two looks for a hub that is away: nothing here could wake it.
        sleep(search.pauses_after(kind)).await;
    }
}

/// How the hub is looked for, until it takes what comes.
#[derive(Debug)]
struct Search {
    pause: Duration,
    /// Whether it was in vain because another host was there.
    others: bool,
}

impl Default for Search {
    fn default() -> Self {
        Self { pause: SOONEST, others: false }
    }
}

impl Search {
    /// How long to wait before the next look.
    fn pauses_after(&mut self, kind: Kind) -> Duration {
        self.others |= matches!(kind, Kind::Taken);
        if self.others && matches!(kind, Kind::Lost) {
            // The other one was there first, and finds the hub again by then.
            return LATEST * 2;
        }
        let pause = self.pause;
        self.pause = match kind {
            Kind::NotRegistered | Kind::Taken => (pause * 2).min(OFTEN),
            Kind::Lost | Kind::Refused => (pause * 2).min(LATEST),
        };
        pause
    }
}

/// Asks the hub to watch this host. It is looked for anew each time: it may be elsewhere, and take other tokens.
/// `others`: whether it was refused because another host was there.
pub(super) async fn introduce(home: &Home, others: bool) -> Answer {
    let lost = |problem| Unwatched { kind: Kind::Lost, problem };
    let hub = HubPlace::find(&home.globals).map_err(lost)?;
    let opened = hub.socket(&["ws", "terminal"], &hub.token(), PROTOCOL, &[]).await;
    let mut socket = opened.map_err(|refused| lost(refused.problem))?;
    let broken = || lost(Problem::failed("the hub hung up"));
    let mut hello = home.hello.clone();
    if let HostWord::Hello { waited, .. } = &mut hello {
        *waited = others;
    }
    say(&mut socket, &hello).await.ok_or_else(broken)?;
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
            Some(OutboundItem::Output(bytes)) => socket.send(Message::Binary(bytes)).await.ok(),
            Some(OutboundItem::Word(word)) => say(&mut socket, &word).await,
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

#[cfg(test)]
mod tests;
