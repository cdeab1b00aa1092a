//! The loop: what comes from either side goes to the relay, and what follows goes out.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::link::{Hub, Link};
use super::pipes::{self, note};
use super::relay::{Out, Relay};
use crate::cli::problem::Problem;

/// How long a client that has ended its input may still hear answers: a script that sends its requests and ends.
const LINGER: Duration = Duration::from_millis(500);

/// How long the last lines may take to be read.
const FLUSH_WITHIN: Duration = Duration::from_millis(200);

type Reaching = Pin<Box<dyn Future<Output = Result<Link, Problem>>>>;

/// Both sides, and what stands between them.
pub(super) struct Pump {
    hub: Arc<Hub>,
    relay: Relay,
    input: mpsc::Receiver<String>,
    output: mpsc::Sender<String>,
    written: oneshot::Receiver<()>,
    way: Way,
}

/// How it stands with the hub.
enum Way {
    Up(Box<Link>),
    Down(Reaching),
}

/// What happened.
enum Happened {
    Said(Option<String>),
    Heard(Option<String>),
    Reached(Result<Link, Problem>),
    Due,
}

impl Pump {
    pub(super) fn new(hub: Hub, relay: Relay) -> Result<Self, Problem> {
        let hub = Arc::new(hub);
        let (output, written) = pipes::output()?;
        let way = reaching(&hub);
        Ok(Self { hub, relay, input: pipes::input()?, output, written, way })
    }

    /// Relays until the client ends.
    ///
    /// # Errors
    /// When the hub lets nobody in.
    pub(super) async fn run(mut self) -> Result<(), Problem> {
        loop {
            let out = match self.happens().await {
                Happened::Said(Some(line)) => self.relay.from_client(line, Instant::now()),
                Happened::Said(None) => break,
                other => self.of_hub(other)?,
            };
            if !self.carries(out).await {
                return Ok(());
            }
        }
        self.ends().await
    }

    /// What happens next. Nothing is lost of what did not.
    async fn happens(&mut self) -> Happened {
        let due = self.relay.next_deadline();
        let hub = async {
            match &mut self.way {
                Way::Up(link) => Happened::Heard(link.heard().await),
                Way::Down(reaching) => Happened::Reached(reaching.await),
            }
        };
        tokio::select! {
            said = self.input.recv() => Happened::Said(said),
            happened = hub => happened,
            () = until(due) => Happened::Due,
        }
    }

    fn of_hub(&mut self, happened: Happened) -> Result<Vec<Out>, Problem> {
        Ok(match happened {
            Happened::Heard(Some(text)) => self.relay.from_hub(&text, Instant::now()),
            Happened::Reached(link) => {
                self.way = Way::Up(Box::new(link?));
                self.relay.is_up(Instant::now())
            }
            Happened::Due => self.relay.tick(Instant::now()),
            Happened::Heard(None) => {
                self.lost();
                Vec::new()
            }
            Happened::Said(_) => Vec::new(),
        })
    }

    fn lost(&mut self) {
        note("the connection to the hub was lost");
        self.relay.is_down();
        self.way = reaching(&self.hub);
    }

    /// Carries out what follows; false when the client reads no more.
    async fn carries(&mut self, out: Vec<Out>) -> bool {
        for out in out {
            match (out, &mut self.way) {
                (Out::Client(text), _) => {
                    if self.output.send(text).await.is_err() {
                        return false;
                    }
                }
                (Out::Hub(text), Way::Up(link)) => {
                    if !link.say(text).await {
                        self.lost();
                    }
                }
                // It was lost a moment ago: what asks for an answer is asked again.
                (Out::Hub(_), Way::Down(_)) => {}
            }
        }
        true
    }

    /// The client has ended its input: answers that are on their way still come, and waits end with it.
    async fn ends(mut self) -> Result<(), Problem> {
        let until = Instant::now() + LINGER;
        while self.relay.is_busy() {
            let Way::Up(link) = &mut self.way else { break };
            let Ok(Some(text)) = timeout_at(until, link.heard()).await else { break };
            let out = self.relay.from_hub(&text, Instant::now());
            if !self.carries(out).await {
                break;
            }
        }
        if let Way::Up(link) = self.way {
            link.close().await;
        }
        drop(self.output);
        // Whoever reads no more has heard enough.
        drop(timeout(FLUSH_WITHIN, self.written).await);
        Ok(())
    }
}

fn reaching(hub: &Arc<Hub>) -> Way {
    let hub = Arc::clone(hub);
    Way::Down(Box::pin(async move { hub.reach().await }))
}

async fn until(due: Option<Instant>) {
    match due {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
