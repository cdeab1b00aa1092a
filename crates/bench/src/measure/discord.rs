//! Discord, with a stand-in of it in this process: how soon a mention is a durable task that its author sees 👀 for, how
//! a hub starts that cannot reach Discord, and whether calls arrive as soon while Discord is dead or floods the hub.
//!
//! A dead Discord takes connections and never answers, which is the worst that it can do. The hub without Discord is
//! measured beside the others, call by call, and so shares the machine with the flood.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::called::{Asker, Stage};
use super::client::Door;
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::floor::{Floor, Sizes};
use super::hub::Hub;
use super::scratch::Scratch;
use super::spread::{Times, median};
use callboard_standin::discord::{Discord, Id, View};

/// How long something may take before the measurement is given up.
const TIMEOUT: Duration = Duration::from_secs(20);
/// From a mention to 👀, in microseconds.
const SEEN_WITHIN: f64 = 250_000.0;
/// A start without Discord's answer, in milliseconds.
const STARTED_WITHIN: f64 = 1_000.0;
/// What a dead or a flooding Discord may cost a call.
const BESIDE: f64 = 1.1;
/// Calls that are not counted.
const WARM: usize = 20;
/// Between two mentions: Discord takes 50 requests a second of a bot, and a mention makes four of them.
const BETWEEN: Duration = Duration::from_millis(100);
/// Between two messages of a flood: 100 a second.
const FLOOD: Duration = Duration::from_millis(10);
/// Roughly what a mention moves: the task with its delivery, the event, the reaction.
const SIZES: Sizes = Sizes { append: 4_000, call: (20, 1_200), wait: (20, 200) };

/// So many mentions, starts, and calls for each of three hubs.
pub(super) async fn measure(
    dir: &Path,
    mentions: usize,
    starts: usize,
    calls: usize,
) -> Result<Vec<Figure>, BenchError> {
    let mut figures = seen(dir, mentions).await?;
    figures.push(started(dir, starts).await?);
    figures.extend(beside(dir, calls).await?);
    Ok(figures)
}

/// A stand-in, with somebody who may call everybody.
struct Chat {
    discord: Discord,
    role: Id,
    channel: Id,
    ann: Id,
}

impl Chat {
    async fn open() -> Result<Self, BenchError> {
        let discord = Discord::start().await.map_err(BenchError::io("start the stand-in of Discord"))?;
        let guild = discord.guild("Acme");
        let role = discord.role(guild, "FullStack");
        let developer = discord.role(guild, "developer");
        let channel = discord.channel(guild, "dev");
        let ann = discord.member(guild, "ann", &[developer]);
        Ok(Self { discord, role, channel, ann })
    }

    async fn hub(&self, dir: &Path, agents: usize) -> Result<Hub, BenchError> {
        let (api, gateway) = (self.discord.api_base(), self.discord.gateway_url());
        let hub = on_discord(dir, agents, self.ann, [self.discord.token(), api, gateway]).await?;
        let guild = self.discord.view(|view| view.guild_of(self.ann)).unwrap_or_default();
        self.sees(|view| !view.commands(guild).is_empty()).await?;
        Ok(hub)
    }

    /// Waits until that is so; every change is looked at.
    async fn sees(&self, mut so: impl FnMut(View<'_>) -> bool) -> Result<(), BenchError> {
        let seen = timeout(TIMEOUT, self.discord.until(|view| so(view).then_some(()))).await;
        seen.map_err(|_| BenchError::Late { what: "the hub on Discord".to_owned(), seconds: TIMEOUT.as_secs() })
    }
}

/// A hub that looks for Discord there.
async fn on_discord(dir: &Path, agents: usize, ann: Id, [token, api, gateway]: [String; 3]) -> Result<Hub, BenchError> {
    let scratch = Scratch::new(dir)?;
    let config = scratch.path().join("config");
    let permissions = config.join("permissions.yaml");
    fs::create_dir_all(&config).map_err(BenchError::io(format!("make `{}`", config.display())))?;
    let rights = format!("users: {{'{ann}': {{canAssignTo: ['*']}}}}\n");
    fs::write(&permissions, rights).map_err(BenchError::io(format!("write `{}`", permissions.display())))?;
    let settings =
        [("DISCORD_TOKEN", token), ("CALLBOARD_DISCORD_API_BASE", api), ("CALLBOARD_DISCORD_GATEWAY_URL", gateway)];
    Hub::start_set(scratch, agents, &settings).await
}

/// From a mention to the sign that its author sees, which is put there once the task is durable.
async fn seen(dir: &Path, mentions: usize) -> Result<Vec<Figure>, BenchError> {
    let chat = Chat::open().await?;
    let _hub = chat.hub(dir, 0).await?;
    let mut floor = Floor::start(dir).await?;
    let (mut times, mut paid) = (Times::default(), Times::default());
    for round in 0..WARM.min(mentions) + mentions {
        let began = Instant::now();
        let text = format!("<@&{}> implement login {round}", chat.role);
        let request = chat.discord.says(chat.ann, chat.channel, &text);
        chat.sees(|view| view.message(request).is_some_and(|shown| !shown.reactions.is_empty())).await?;
        let took = began.elapsed();
        // Its thread and status are there, and nothing of it goes on beside the next one.
        chat.sees(|view| !view.messages(request).is_empty()).await?;
        if round >= WARM.min(mentions) {
            times.push(took);
            paid.push(floor.pay(SIZES).await?);
        }
        sleep_until(began + BETWEEN).await;
    }
    let figure = |tail: &str, percent| {
        let what = format!("mention → task durable, 👀 seen, {tail}");
        Figure::new(Measure::Discord, what, times.micros_at(percent), "µs").floor(paid.micros_at(percent))
    };
    Ok(vec![figure("p50", 50), figure("p99", 99).goal(Goal::AtMost(SEEN_WITHIN))])
}

/// How a hub starts that cannot reach Discord, beside one that has none.
async fn started(dir: &Path, starts: usize) -> Result<Figure, BenchError> {
    let (mut dead, mut without) = (Vec::new(), Vec::new());
    let (_silent, address) = silent()?;
    for _ in 0..starts {
        without.push(Hub::start(dir, 0).await?.started_in.as_secs_f64() * 1e3);
        let hub = at_silence(dir, 0, &address).await?;
        dead.push(hub.started_in.as_secs_f64() * 1e3);
    }
    let what = "start with Discord unreachable, median";
    let figure = Figure::new(Measure::Discord, what, median(&dead), "ms").floor(median(&without));
    Ok(figure.goal(Goal::AtMost(STARTED_WITHIN)))
}

/// A listener that takes connections and never answers.
fn silent() -> Result<(TcpListener, String), BenchError> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(BenchError::io("listen"))?;
    let address = listener.local_addr().map_err(BenchError::io("listen"))?.to_string();
    Ok((listener, address))
}

async fn at_silence(dir: &Path, agents: usize, address: &str) -> Result<Hub, BenchError> {
    let nowhere = ["a.bench.token".to_owned(), format!("http://{address}"), format!("ws://{address}")];
    on_discord(dir, agents, 1, nowhere).await
}

/// Calls to three hubs by turns: without Discord, with a dead one, with one that floods it.
async fn beside(dir: &Path, calls: usize) -> Result<Vec<Figure>, BenchError> {
    const AGENTS: usize = 10;
    let (_silent, address) = silent()?;
    let chat = Chat::open().await?;
    let hubs = [Hub::start(dir, AGENTS).await?, at_silence(dir, AGENTS, &address).await?, chat.hub(dir, AGENTS).await?];
    let mut stages = Vec::new();
    for hub in &hubs {
        let stage = Stage::over(hub.agents(Door::Plain, 0, AGENTS, false).await?).await;
        stages.push((stage, hub.operator(Door::Plain).await?, Times::default()));
    }
    let measuring = async {
        for round in 0..WARM.min(calls) + calls {
            // Whoever comes first comes last in the next round.
            for turn in 0..stages.len() {
                let place = (round + turn) % stages.len();
                let Some((stage, caller, times)) = stages.get_mut(place) else { continue };
                let called = stage.call(Asker::Route, caller, round).await?;
                if round >= WARM.min(calls) && !called.queued {
                    times.push(called.took);
                }
                sleep(Duration::from_millis(4)).await;
            }
        }
        Ok::<_, BenchError>(())
    };
    let flood = async {
        loop {
            chat.discord.says(chat.ann, chat.channel, "Has anybody seen the new page? It looks good to me.");
            sleep(FLOOD).await;
        }
    };
    tokio::select! {
        measured = measuring => measured?,
        () = flood => {}
    }
    let [without, dead, flooding] = stages.as_slice() else { return Ok(Vec::new()) };
    let mut figures = Vec::new();
    for (name, (_, _, times)) in [("dead", dead), ("flooding", flooding)] {
        for (tail, percent) in [("p50", 50), ("p99", 99)] {
            let what = format!("POST /tasks → plain wait with a {name} Discord, {tail}");
            let figure = Figure::new(Measure::Discord, what, times.micros_at(percent), "µs");
            figures.push(figure.floor(without.2.micros_at(percent)).goal(Goal::RatioAtMost(BESIDE)));
        }
    }
    Ok(figures)
}
