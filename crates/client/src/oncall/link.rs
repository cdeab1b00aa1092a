//! The connection of a host to its hub: found, lost and found again, while the processes go on.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use secrecy::SecretString;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::client::{HubPlace, HubSocket, NoSocket};
use crate::credential::{Bearer, Credential};
use crate::domain::on_call::{PROTOCOL, ToHost};
use crate::domain::wire::PING_EVERY;
use crate::exit::Exit;
use crate::place::GlobalArgs;
use crate::problem::Problem;
use crate::proxy::jittered;

/// The first pause before the hub is looked for again, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));
/// How long a connection may be silent: the hub pings more often than that.
const SILENCE: Duration = Duration::from_secs(PING_EVERY.as_secs() * 2 + PING_EVERY.as_secs() / 4);
/// How long a hub may take to hear that its host hangs up.
const CLOSE_WITHIN: Duration = Duration::from_millis(300);

/// What becomes of the connection.
#[derive(Debug)]
pub(super) enum LinkEvent {
    /// It is open; what is put in here is said.
    Opened(mpsc::UnboundedSender<String>),
    Heard(ToHost),
    /// It is gone, or there was none: why.
    Lost(Problem),
    /// The hub lets nobody in with this token, and trying again changes nothing.
    KeptOut(Problem),
}

/// Where the hub is, and as whom it is spoken to.
#[derive(Debug)]
pub(super) struct Home {
    place: HubPlace,
    credential: Credential,
    bearer: Bearer,
}

impl Home {
    pub(super) fn find(globals: &GlobalArgs, bearer: Bearer) -> Result<Self, Problem> {
        let place = HubPlace::find(globals)?;
        let credential = Credential::of(&place, globals, bearer.clone())?;
        Ok(Self { place, credential, bearer })
    }

    /// Keeps a connection for as long as anybody listens.
    pub(super) async fn keep(self, events: mpsc::Sender<LinkEvent>) {
        let mut pause = PAUSES.0;
        let mut was_open = false;
        loop {
            let event = match self.open().await {
                Ok(socket) => {
                    (pause, was_open) = (PAUSES.0, true);
                    let (said, to_say) = mpsc::unbounded_channel();
                    if events.send(LinkEvent::Opened(said)).await.is_err() {
                        return;
                    }
                    match talk(socket, to_say, &events).await {
                        Some(problem) => LinkEvent::Lost(problem),
                        None => return,
                    }
                }
                // A hub that knew the token once may know it again: its own data may be put back.
                Err(no) if no.again || was_open => LinkEvent::Lost(no.problem),
                Err(no) if no.token_refused => LinkEvent::KeptOut(self.credential.refused(no.problem, &self.bearer)),
                Err(no) => LinkEvent::KeptOut(too_old(no)),
            };
            if events.send(event).await.is_err() {
                return;
            }
            // No deadline of the hub's: it is not there.
            sleep(jittered(pause)).await;
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    async fn open(&self) -> Result<HubSocket, NoSocket> {
        let token: SecretString = self.credential.token(&self.place).await.map_err(|problem| {
            let again = matches!(problem.exit(), Exit::Unreachable | Exit::Failed);
            NoSocket { problem, again, upgrades: true, token_refused: false }
        })?;
        self.place.socket(&["ws", "host"], &token, PROTOCOL, &[]).await
    }
}

fn too_old(no: NoSocket) -> Problem {
    if no.upgrades {
        return no.problem;
    }
    no.problem.also("it has no `/ws/host`: it is older than this program, or what lies between lets no WebSocket pass")
}

/// Until the connection ends, and why; none when nobody listens any more.
async fn talk(
    mut socket: HubSocket,
    mut to_say: mpsc::UnboundedReceiver<String>,
    events: &mpsc::Sender<LinkEvent>,
) -> Option<Problem> {
    let lost = |why: &str| Some(Problem::new(Exit::Unreachable, "the connection to the hub was lost").because(why));
    loop {
        tokio::select! {
            text = to_say.recv() => {
                let Some(text) = text else {
                    drop(timeout(CLOSE_WITHIN, socket.close(None)).await);
                    return lost("this host hung up");
                };
                if let Err(error) = socket.send(Message::text(text)).await {
                    return lost(&error.to_string());
                }
            }
            heard = timeout(SILENCE, socket.next()) => match heard {
                Err(_) => return lost("it was silent for too long"),
                Ok(None) | Ok(Some(Ok(Message::Close(_)))) => return lost("the hub hung up"),
                Ok(Some(Err(error))) => return lost(&error.to_string()),
                Ok(Some(Ok(Message::Text(text)))) => {
                    // A later hub may say what this version does not know.
                    if let Ok(message) = serde_json::from_str(&text) {
                        events.send(LinkEvent::Heard(message)).await.ok()?;
                    }
                }
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_)))) => {}
            },
        }
    }
}
