//! What it costs to watch terminals: lines a second through screen and detector on one core, the time to a verdict
//! after ten thousand lines, the memory of a session, the time that a thousand sessions take.
//!
//! How long the hub takes to tell of a prompt is measured by `prompted`.
//!
//! The floor is the terminal model alone. Model and detector take turns on the same bytes, in pieces of four kilobytes
//! as a terminal hands them over; the detector looks after each piece, which is oftener than it has to.

use std::borrow::Cow;
use std::time::Duration;

use tokio::time::Instant;

use super::child::resident;
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::spread::median;
use callboard::domain::prompt::{EchoStrainer, Host};
use callboard::domain::time::Timestamp;
use callboard::terminal::{History, LineEnds, Terminal, TerminalSize, Watch};

/// How much is measured.
pub(super) struct Size {
    pub(super) lines: usize,
    pub(super) rounds: usize,
    pub(super) sessions: usize,
    pub(super) seconds: usize,
}

/// A read of a terminal gives so many bytes at most.
const PIECE: usize = 4096;
/// Bytes a second of a session that works.
const RATE: usize = 10_000;
/// How often a second such a session prints.
const BURSTS: usize = 10;
/// With a detector as slow as this against the screen, something is read over and over: a run has failed.
const SLOWEST: Goal = Goal::RatioAtLeast(0.4);
/// Sessions that are weighed.
const WEIGHED: usize = 40;

pub(super) fn measure(size: &Size) -> Result<Vec<Figure>, BenchError> {
    let mut figures = through(size);
    figures.push(verdict(size.rounds));
    figures.push(memory(size.sessions.min(WEIGHED))?);
    figures.push(many(size));
    Ok(figures)
}

fn figure(what: impl Into<String>, value: f64, unit: &'static str) -> Figure {
    Figure::new(Measure::Prompts, what, value, unit)
}

/// A log of a build, some of it in colour, and now and then a line that is redrawn.
pub(super) fn log(lines: usize) -> Vec<u8> {
    let mut text = String::new();
    for line in 0..lines {
        text.push_str(&match line % 8 {
            0 => format!("\x1b[1;32m   Compiling\x1b[0m crate-{line} v0.{}.1\r\n", line % 97),
            1 => format!("[{line:>7}] fetching objects: {}%\r[{line:>7}] fetching objects: done\r\n", line % 100),
            2 => format!("warning: unused variable: `x{line}` (did you mean to use it?)\r\n"),
            3 => "  --> src/domain/task/decide/offer.rs:42:17\r\n".to_owned(),
            4 => format!("test domain::task::tests::case_{line} ... \x1b[32mok\x1b[0m\r\n"),
            5 => format!("2026-11-21T10:00:{:02}Z  INFO hub: {line} tasks are queued, password: hidden\r\n", line % 60),
            6 => "übersetze «Größe» nach 日本語 …\r\n".to_owned(),
            _ => format!("npm warn deprecated package-{line}@1.0.0: use another one\r\n"),
        });
    }
    text.into_bytes()
}

fn through(size: &Size) -> Vec<Figure> {
    let bytes = log(size.lines);
    let (mut alone, mut watched, mut drawn) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..size.rounds {
        let mut terminal = Terminal::new(TerminalSize::default(), History::ROWS);
        alone.push(rate(size.lines, || bytes.chunks(PIECE).for_each(|piece| terminal.feed(piece))));
        watched.push(rate(size.lines, || watch(&bytes, |_, piece| Cow::Borrowed(piece))));
        let (mut echo, mut ends) = (EchoStrainer::default(), LineEnds::default());
        drawn.push(rate(size.lines, || {
            watch(&bytes, |terminal, piece| {
                Cow::Owned(ends.mend(&echo.strain(&terminal.before(), piece)).into_owned())
            });
        }));
    }
    let (alone, watched, drawn) = (median(&alone), median(&watched), median(&drawn));
    vec![
        figure("lines through screen and detector, one core", watched, "/s").goal(Goal::AtLeast(300_000.0)),
        figure("beside the screen alone", watched, "/s").floor(alone).goal(Goal::RatioAtLeast(0.8)).bound(SLOWEST),
        figure("with typed secrets taken out, as the hub draws it", drawn, "/s")
            .floor(alone)
            .goal(Goal::AtLeast(300_000.0)),
    ]
}

/// Draws pieces as `strain` leaves them, and looks after each.
fn watch(bytes: &[u8], mut strain: impl for<'a> FnMut(&Terminal, &'a [u8]) -> Cow<'a, [u8]>) {
    let mut watch = Watch::new(TerminalSize::default(), History::ROWS);
    for (now, piece) in (0..).map(Timestamp).zip(bytes.chunks(PIECE)) {
        let kept = strain(watch.terminal(), piece);
        watch.output(now, &kept);
        std::hint::black_box(watch.look(now, Host::default()));
    }
}

#[expect(clippy::cast_precision_loss, reason = "lines are counted in hundreds of thousands")]
fn rate(lines: usize, work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    lines as f64 / began.elapsed().as_secs_f64()
}

/// From the first byte of ten thousand lines to the verdict on the prompt behind them.
fn verdict(rounds: usize) -> Figure {
    let mut bytes = log(10_000);
    bytes.extend_from_slice(b"Password: ");
    let times = (0..rounds.max(3)).map(|_| {
        let began = Instant::now();
        let mut watch = Watch::new(TerminalSize::default(), History::ROWS);
        watch.output(Timestamp(0), &bytes);
        std::hint::black_box(watch.look(Timestamp(1_000), Host::default()));
        began.elapsed().as_secs_f64() * 1e3
    });
    figure("a prompt after 10,000 lines", median(&times.collect::<Vec<_>>()), "ms")
        .goal(Goal::AtMost(20.0))
        .bound(Goal::AtMost(500.0))
}

/// What a session weighs whose history is full.
fn memory(sessions: usize) -> Result<Figure, BenchError> {
    let bytes = log(12_000);
    let before = resident("self")?;
    let watches: Vec<Watch> = (0..sessions).map(|_| full(&bytes)).collect();
    let after = resident("self")?;
    let each = (after - before) / f64::from(u32::try_from(watches.len()).unwrap_or(u32::MAX));
    Ok(figure("memory of a session with 10,000 lines", each, "kB").goal(Goal::AtMost(2_048.0)))
}

fn full(bytes: &[u8]) -> Watch {
    let mut watch = Watch::new(TerminalSize::default(), History::ROWS);
    bytes.chunks(PIECE).for_each(|piece| watch.output(Timestamp(0), piece));
    watch
}

/// What sessions take of two cores that each print ten thousand bytes a second and are looked at after each burst.
fn many(size: &Size) -> Figure {
    let bytes = log(RATE * size.seconds / 50 + 1);
    let mut watches: Vec<Watch> =
        (0..size.sessions).map(|_| Watch::new(TerminalSize::default(), History::ROWS)).collect();
    let began = Instant::now();
    for (burst, piece) in bytes.chunks(RATE / BURSTS).take(size.seconds * BURSTS).enumerate() {
        let now = Timestamp(u64::try_from(burst * 1_000 / BURSTS).unwrap_or_default());
        for watch in &mut watches {
            watch.output(now, piece);
            std::hint::black_box(watch.look(now + Duration::from_millis(50), Host::default()));
        }
    }
    let took = began.elapsed().as_secs_f64();
    let share = took / f64::from(u32::try_from(size.seconds).unwrap_or(u32::MAX)) / 2.0 * 100.0;
    figure(format!("{} sessions at 10 kB/s, of two cores", size.sessions), share, "%").goal(Goal::AtMost(50.0))
}
