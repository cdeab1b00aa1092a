//! From the last byte of a prompt to its event: below `callboard run`, whose host asks the kernel, and in a log file
//! that is followed, where text and quiet alone say it.
//!
//! The host is the real one, at a terminal of its own. Its program tells the time in each prompt that it prints, before
//! it prints it: what comes out is rather too long than too short, by the start of `date`. The floor is what an event
//! costs at least: one durable append and two bare round trips.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use pty_process::{Command, Pty, Size, open};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep, timeout};

use super::child::program;
use super::client::{Door, Listener};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::floor::{Floor, Sizes};
use super::hub::Hub;
use super::scratch::Scratch;
use super::spread::Times;
use callboard::clock::Clock;
use callboard::domain::time::Timestamp;

/// A prompt's time to its event, in milliseconds: below a host that asks its kernel, and in a file.
const GOALS: (f64, f64) = (50.0, 250.0);
/// How long an event may take before the measurement is given up.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Roughly what the event of a prompt moves.
const SIZES: Sizes = Sizes { append: 700, call: (150, 20), wait: (30, 900) };
/// The type of the event.
const DETECTED: &str = "session.input_prompt_detected";
/// Asks at each line, of which sort its first word says. What it asks for is the time.
const ASKER: &str = "while read -r sort; do stty echo; now=$(date +%s%3N); case $sort in \
    yes) printf '\nGo on with %s? [y/N] ' $now;; \
    secret) stty -echo; printf '\nPassword for %s: ' $now;; \
    *) printf '\nName of %s: ' $now;; esac; done";
/// What the program is asked for, in turns.
const SORTS: [&str; 3] = ["yes", "name", "secret"];

/// Measures so many prompts of each.
pub(super) async fn measure(dir: &Path, prompts: usize) -> Result<Vec<Figure>, BenchError> {
    let followed = Scratch::new(dir)?;
    let root = followed.path().canonicalize().map_err(BenchError::io("find the folder of the log"))?;
    let hub = Hub::start_with(dir, 1, &[("CALLBOARD_MONITOR_ROOTS", root.display().to_string())]).await?;
    let mut floor = Floor::start(dir).await?;
    let mut paid = Times::default();
    // It stays, so that its session does.
    let _agent = hub.agents(Door::Plain, 0, 1, false).await?;
    let mut heard = hub.listener(DETECTED).await?;
    let mut hosted = Times::default();
    let mut host = Host::start(&hub)?;
    for round in 0..prompts {
        let asked = Clock::system().now();
        host.enters(SORTS[round % SORTS.len()]).await?;
        hosted.push(told_after(&mut heard, asked, &mut host).await?);
        paid.push(floor.pay(SIZES).await?);
    }
    drop(host);
    let mut logged = Times::default();
    let log = root.join("session.log");
    let mut file = File::create(&log).map_err(BenchError::io(format!("make `{}`", log.display())))?;
    let mut operator = hub.operator(Door::Plain).await?;
    let follows = json!({"session_id": "bench-log", "session_type": "file", "log_file": log});
    operator.tool("start_session_monitor", &follows).await?;
    for round in 0..prompts {
        // At any moment between two looks.
        sleep(Duration::from_millis(u64::try_from(round * 17 % 97).unwrap_or_default())).await;
        let text = match SORTS[round % SORTS.len()] {
            "yes" => format!("\nGo on with {round}? [y/N] "),
            "secret" => format!("\nPassword for u{round}: "),
            _ => format!("\nName of {round}: "),
        };
        file.write_all(text.as_bytes()).map_err(BenchError::io("write into the log"))?;
        let began = Instant::now();
        loop {
            let (event, at) = next(&mut heard).await?;
            if event["data"]["prompt"]["prompt_text"] == text.trim() {
                logged.push(at.saturating_duration_since(began));
                break;
            }
        }
    }
    let figure = |what: &str, times: &Times, percent, goal| {
        let what = format!("a prompt's last byte → its event, {what}, p{percent}");
        let figure = Figure::new(Measure::Prompts, what, times.micros_at(percent) / 1e3, "ms");
        figure.floor(paid.micros_at(percent) / 1e3).goal(Goal::AtMost(goal))
    };
    let mut figures = Vec::new();
    for percent in [50, 99] {
        figures.push(figure("hosted", &hosted, percent, GOALS.0));
    }
    for percent in [50, 99] {
        figures.push(figure("in a log file", &logged, percent, GOALS.1));
    }
    Ok(figures)
}

/// How long after the program told the time its prompt was heard of. What it prints meanwhile is read.
async fn told_after(heard: &mut Listener, asked: Timestamp, host: &mut Host) -> Result<Duration, BenchError> {
    loop {
        let (event, _) = tokio::select! {
            event = next(heard) => event?,
            shown = host.shows() => {
                shown?;
                continue;
            }
        };
        let now = Clock::system().now();
        let text = event["data"]["prompt"]["prompt_text"].as_str().unwrap_or_default();
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let printed = Timestamp(digits.parse().unwrap_or_default());
        // One that is told of again, as when its words came in two pieces, is of before.
        if printed >= asked {
            return Ok(now.since(printed));
        }
    }
}

async fn next(heard: &mut Listener) -> Result<(serde_json::Value, Instant), BenchError> {
    let late = |_| BenchError::Late { what: "the event of a prompt".to_owned(), seconds: TIMEOUT.as_secs() };
    timeout(TIMEOUT, heard.next()).await.map_err(late)?
}

/// `callboard run` at a terminal.
struct Host {
    pty: Pty,
    child: tokio::process::Child,
}

impl Host {
    /// Hosts the program that asks, as the hub's first agent.
    fn start(hub: &Hub) -> Result<Self, BenchError> {
        let no_terminal = |error: pty_process::Error| BenchError::Start {
            server: "callboard run".to_owned(),
            reason: error.to_string(),
        };
        let (pty, pts) = open().map_err(no_terminal)?;
        pty.resize(Size::new(24, 80)).map_err(no_terminal)?;
        let run = Command::new(program()?)
            .args(["run", "--agent", "bench-0", "--", "sh", "-c", ASKER])
            .env("CALLBOARD_DATA_DIR", hub.data())
            .env("CALLBOARD_URL", format!("http://{}", hub.address()))
            .kill_on_drop(true);
        let child = run.spawn(pts).map_err(no_terminal)?;
        Ok(Self { pty, child })
    }

    async fn enters(&mut self, line: &str) -> Result<(), BenchError> {
        if let Ok(Some(status)) = self.child.try_wait() {
            return Err(BenchError::Start { server: "callboard run".to_owned(), reason: status.to_string() });
        }
        self.pty.write_all(format!("{line}\r").as_bytes()).await.map_err(BenchError::io("press a key"))
    }

    async fn shows(&mut self) -> Result<(), BenchError> {
        let mut shown = [0; 4096];
        self.pty.read(&mut shown).await.map(drop).map_err(BenchError::io("read the terminal"))
    }
}
