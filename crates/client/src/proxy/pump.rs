//! The loop: what comes from either side goes to the relay, and what follows goes out.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::link::{Hub, KeptOut, Link};
use super::output::Output;
use super::pipes::{self, note};
use super::relay::{Out, Relay, WAIT};
use super::wake::Wake;
use crate::hook::Record;
use crate::problem::Problem;

/// How long a client that has ended its input may still hear answers: a script that sends its requests and ends.
const LINGER: Duration = Duration::from_millis(700);

/// How long the last lines may take to be read.
const FLUSH_WITHIN: Duration = Duration::from_millis(200);

type Reaching = Pin<Box<dyn Future<Output = Result<Box<Link>, KeptOut>>>>;

/// Both sides, and what stands between them.
pub(super) struct Pump {
    hub: Arc<Hub>,
    relay: Relay,
    input: mpsc::Receiver<String>,
    output: Output,
    way: LinkState,
    /// How the client is woken.
    wake: Option<Arc<Wake>>,
    /// Where the hooks say that they wake it.
    hook: Option<PathBuf>,
    /// The last time that it was: whether that went well.
    waking: Option<JoinHandle<Result<(), String>>>,
    /// Why the hub lets nobody in until there is another token: what is asked meanwhile is answered with it.
    refused: Option<Refused>,
}

/// What a client hears of a hub that refuses the token.
struct Refused {
    code: &'static str,
    why: String,
}

impl Refused {
    /// Without the number of the request that the hub refused: no call of the client's went to it.
    fn of(kept_out: &KeptOut) -> Self {
        let words = kept_out.problem.words();
        let lines: Vec<&str> = words.lines().filter(|line| !line.trim_start().starts_with("request ")).collect();
        Self { code: kept_out.code, why: lines.join("\n") }
    }
}

/// Whether the hub is connected, or being looked for.
enum LinkState {
    Up(Box<Link>),
    Down(Reaching),
}

enum Happened {
    FromClient(Option<String>),
    FromHub(Option<String>),
    Reached(Result<Box<Link>, KeptOut>),
    Due,
    /// The client was woken, or could not be.
    Woken(Result<(), String>),
    /// The client reads no more.
    Gone,
}

impl Pump {
    pub(super) fn new(hub: Hub, relay: Relay, wake: Option<Wake>, hook: Option<PathBuf>) -> Result<Self, Problem> {
        let hub = Arc::new(hub);
        let way = reaching(&hub);
        let (input, output, wake) = (pipes::input()?, Output::open()?, wake.map(Arc::new));
        Ok(Self { hub, relay, input, output, way, wake, hook, waking: None, refused: None })
    }

    /// Relays until the client ends. Fails when the hub lets nobody in, and did not before.
    pub(super) async fn run(mut self) -> Result<(), Problem> {
        loop {
            let happened = self.happens().await;
            if matches!(happened, Happened::Gone) {
                return self.gone().await;
            }
            let out = match self.follows(happened) {
                Ok(Some(out)) => out,
                Ok(None) => return self.ends().await,
                Err(kept_out) => return self.tells_why_it_is_kept_out(kept_out).await,
            };
            if !self.carries(out).await {
                return self.gone().await;
            }
        }
    }

    /// The client reads no more: the hub hears that it ended, and what it was sent and did not take goes back.
    async fn gone(self) -> Result<(), Problem> {
        note("the client reads no more");
        if let LinkState::Up(link) = self.way {
            link.close().await;
        }
        Ok(())
    }

    /// What happens next. Nothing is lost of what did not.
    async fn happens(&mut self) -> Happened {
        let due = self.relay.next_deadline();
        let hub = async {
            match &mut self.way {
                LinkState::Up(link) => Happened::FromHub(link.heard().await),
                LinkState::Down(reaching) => Happened::Reached(reaching.await),
            }
        };
        tokio::select! {
            said = self.input.recv() => Happened::FromClient(said),
            happened = hub => happened,
            () = until(due) => Happened::Due,
            woken = woken(&mut self.waking) => Happened::Woken(woken),
            () = self.output.is_gone() => Happened::Gone,
        }
    }

    /// What follows from it; nothing when the client has ended its input.
    fn follows(&mut self, happened: Happened) -> Result<Option<Vec<Out>>, KeptOut> {
        Ok(match happened {
            Happened::FromClient(None) | Happened::Gone => None,
            Happened::FromClient(Some(line)) => {
                if let Some(hook) = self.hook.as_ref().filter(|_| line.contains(WAIT)) {
                    let record = Record::read(hook);
                    self.relay.hooks(record.begun, record.capped);
                }
                let mut out = self.relay.client_says(line, Instant::now());
                out.extend(self.refused.iter().flat_map(|refused| self.relay.refuses(refused.code, &refused.why)));
                Some(out)
            }
            Happened::FromHub(Some(text)) => Some(self.relay.hub_says(&text, Instant::now())),
            Happened::FromHub(None) => {
                self.lost();
                Some(Vec::new())
            }
            Happened::Reached(Ok(link)) => {
                (self.way, self.refused) = (LinkState::Up(link), None);
                Some(self.relay.is_up(Instant::now()))
            }
            Happened::Reached(Err(kept_out)) => Some(self.waits_for_another_token(kept_out)?),
            Happened::Woken(woken) => {
                self.waking = None;
                if let Err(why) = woken {
                    note(&format!("the client could not be woken: {why}"));
                    self.relay.cannot_wake();
                }
                Some(Vec::new())
            }
            Happened::Due => Some(self.relay.tick(Instant::now(), self.output.taken())),
        })
    }

    /// A token that was good is refused: whoever rotated or revoked it may write another one into the file at any time.
    fn waits_for_another_token(&mut self, mut kept_out: KeptOut) -> Result<Vec<Out>, KeptOut> {
        let Some(token) = kept_out.refused.take() else { return Err(kept_out) };
        note(kept_out.problem.words().trim_end());
        let hub = Arc::clone(&self.hub);
        self.way = LinkState::Down(Box::pin(async move { hub.reach_by_other(&token).await.map(Box::new) }));
        let refused = self.refused.insert(Refused::of(&kept_out));
        Ok(self.relay.refuses(refused.code, &refused.why))
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
                    if !self.output.say(text).await {
                        return false;
                    }
                }
                (Out::Wake(thread), _) => self.wakes(thread),
                (Out::Hub(text), LinkState::Up(link)) => {
                    if !link.say(text).await {
                        self.lost();
                    }
                }
                // It was lost a moment ago: what asks for an answer is asked again.
                (Out::Hub(_), LinkState::Down(_)) => {}
            }
        }
        self.relay.given(self.output.given());
        true
    }

    fn wakes(&mut self, thread: String) {
        let Some(wake) = self.wake.clone() else { return };
        #[expect(clippy::disallowed_methods, reason = "its end is heard by the loop")]
        self.waking.replace(tokio::spawn(async move { wake.nudge(&thread).await }));
    }

    /// The hub lets nobody in. A client shows its user an answer, and seldom what a server that ended wrote to its log:
    /// whatever it asks meanwhile is answered with the reason.
    async fn tells_why_it_is_kept_out(mut self, kept_out: KeptOut) -> Result<(), Problem> {
        let (until, refused) = (Instant::now() + LINGER, Refused::of(&kept_out));
        loop {
            let out = self.relay.refuses(refused.code, &refused.why);
            if !self.carries(out).await {
                break;
            }
            let Ok(Some(line)) = timeout_at(until, self.input.recv()).await else { break };
            self.relay.client_says(line, Instant::now());
        }
        drop(timeout(FLUSH_WITHIN, self.output.ends()).await);
        Err(kept_out.problem)
    }

    /// The client has ended its input: answers that are on their way still come, and waits end with it.
    async fn ends(mut self) -> Result<(), Problem> {
        let until = Instant::now() + LINGER;
        while self.relay.is_busy() {
            let out = match &mut self.way {
                LinkState::Up(link) => {
                    let Ok(Some(text)) = timeout_at(until, link.heard()).await else { break };
                    self.relay.hub_says(&text, Instant::now())
                }
                // It was quicker than the way to the hub.
                LinkState::Down(reaching) => {
                    let Ok(link) = timeout_at(until, reaching).await else { break };
                    self.way = LinkState::Up(link.map_err(|kept_out| kept_out.problem)?);
                    self.relay.is_up(Instant::now())
                }
            };
            if !self.carries(out).await {
                break;
            }
        }
        if let LinkState::Up(link) = self.way {
            link.close().await;
        }
        // Whoever reads no more has heard enough.
        drop(timeout(FLUSH_WITHIN, self.output.ends()).await);
        Ok(())
    }
}

fn reaching(hub: &Arc<Hub>) -> LinkState {
    let hub = Arc::clone(hub);
    LinkState::Down(Box::pin(async move { hub.reach().await.map(Box::new) }))
}

/// How the client was woken, once that is known.
async fn woken(waking: &mut Option<JoinHandle<Result<(), String>>>) -> Result<(), String> {
    match waking {
        Some(task) => task.await.unwrap_or_else(|error| Err(error.to_string())),
        None => std::future::pending().await,
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
