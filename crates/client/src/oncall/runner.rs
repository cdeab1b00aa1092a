//! One process of a run, from its working folder to the account of how it ended. Its host is told of each step, and
//! says when it has to end.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::folder::{self, Book};
use super::judge::{WallClock, judge};
use super::output::{OutputReader, Reading};
use super::presets::{Launch, RunInput};
use super::process::{Process, ProcessEvent, ProcessExit, ProcessSpec};
use super::spec::HostSpec;
use super::tail::Tail;
use super::worktree::{InUse, Origin, Repository};
use crate::clock::Clock;
use crate::domain::ids::{AgentId, RunId};
use crate::domain::on_call::{Ended, RunToken};
use crate::domain::task::{Limited, RunEnd, Usage};
use crate::domain::text;

/// How often the host is told that something was printed, at most.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// How often it is looked whether an earlier process of the same task is gone.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The most of a sentence that stands for a tail, in bytes.
const LONGEST_TAIL: usize = 4 * 1024;

/// What one process of a run needs.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) folder: PathBuf,
    pub(super) book: Book,
    pub(super) token: RunToken,
    pub(super) system: String,
    pub(super) text: String,
    pub(super) conversation: Option<String>,
    /// What earlier processes of the conversation used.
    pub(super) used: Usage,
    pub(super) in_use: InUse,
}

/// What a process is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// To end by itself.
    Terminate(Why),
    Kill,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The hub or the host's user says so.
    Told,
    /// It neither printed nor called for so long.
    Silent(Duration),
    /// Its agent had its last word long ago.
    Parted,
}

/// What a host is told of a process.
#[derive(Debug)]
pub(super) enum RunEvent {
    /// A worktree of an earlier run has changes that nobody committed.
    FoundChanges(PathBuf),
    Spawned {
        pid: u32,
    },
    /// There is no process, and the account says why. `of_task`: its working folder could not be made.
    NotSpawned {
        ended: Box<Ended>,
        of_task: bool,
    },
    Printed,
    Conversation(String),
    Exited(Box<Ended>),
}

/// Says to the host of which run it tells.
#[derive(Debug, Clone)]
pub(super) struct RunReports {
    pub(super) slot: AgentId,
    pub(super) run: RunId,
    pub(super) events: mpsc::Sender<(AgentId, RunId, RunEvent)>,
}

impl RunReports {
    async fn tell(&self, event: RunEvent) {
        // A host that is gone has ended this process.
        let _gone = self.events.send((self.slot.clone(), self.run.clone(), event)).await;
    }
}

/// Runs the process to its end.
pub(super) async fn run(spec: Arc<HostSpec>, plan: Plan, orders: mpsc::Receiver<Order>, teller: RunReports) {
    let event = whole(&spec, &plan, orders, &teller).await;
    plan.in_use.lock().await.remove(&plan.book.offer.task);
    teller.tell(event).await;
}

/// The process from its beginning to its end; returns what its host is told then.
async fn whole(spec: &HostSpec, plan: &Plan, mut orders: mpsc::Receiver<Order>, teller: &RunReports) -> RunEvent {
    let ended = |reason| Ended {
        run: plan.book.offer.run.clone(),
        process: plan.book.process,
        reason,
        exit: None,
        tail: None,
        usage: None,
        limited: None,
    };
    let started = start(spec, plan, teller).await;
    let (process, files) = match started {
        Ok(started) => started,
        Err(Unstarted { why, of_task }) => {
            let why = text::redact(&text::shorten(&why, LONGEST_TAIL)).into_owned();
            let ended = Ended { tail: Some(why), ..ended(RunEnd::Spawn) };
            return RunEvent::NotSpawned { ended: Box::new(ended), of_task };
        }
    };
    teller.tell(RunEvent::Spawned { pid: process.pid() }).await;
    let watched = watch(spec, plan, process, &mut orders, teller).await;
    folder::forget_secrets(&plan.folder, &files);
    RunEvent::Exited(Box::new(watched.account(spec, plan, ended(RunEnd::Crashed)).await))
}

type Files = Vec<(&'static str, String)>;

/// Why there is no process.
struct Unstarted {
    why: String,
    /// Of this task alone: its worktree could not be made.
    of_task: bool,
}

impl From<String> for Unstarted {
    fn from(why: String) -> Self {
        Self { why, of_task: false }
    }
}

async fn start(spec: &HostSpec, plan: &Plan, teller: &RunReports) -> Result<(Process, Files), Unstarted> {
    let offer = &plan.book.offer;
    // A process of the task that was told to end may be there still.
    while !plan.in_use.lock().await.insert(offer.task.clone()) {
        sleep(LOOK_EVERY).await;
    }
    let working = if offer.worktree {
        let repository = Repository::of(&spec.workspace).await?;
        let _in_use = plan.in_use.lock().await;
        let worktree = repository.prepare(&spec.role, &offer.task).await;
        let worktree = worktree.map_err(|why| Unstarted { why, of_task: true })?;
        if worktree.origin == (Origin::Reused { dirty: true }) && plan.book.process == 1 {
            teller.tell(RunEvent::FoundChanges(worktree.path.clone())).await;
        }
        worktree.path
    } else {
        spec.workspace.clone()
    };
    let Launch { argv, stdin, environment: added, files } = spec.preset.launch(&RunInput {
        system: &plan.system,
        text: &plan.text,
        conversation: plan.conversation.as_deref(),
        url: &offer.mcp,
        token: &plan.token,
        folder: &plan.folder,
        working: &working,
        workspace: &spec.workspace,
        has_own_entry: spec.has_own_entry(),
        extra: &spec.extra,
        wrap: &spec.wrap,
    })?;
    folder::write(&plan.folder, &plan.book, &files)?;
    let mut environment = spec.environment.clone();
    environment.extend(added);
    let named = [
        ("CALLBOARD_TASK_ID", offer.task.as_str()),
        ("CALLBOARD_SESSION_ID", offer.session.as_str()),
        ("CALLBOARD_AGENT_ID", offer.agent.as_str()),
    ];
    environment.extend(named.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let spec = ProcessSpec { argv: &argv, folder: &working, environment: &environment, stdin: Some(stdin) };
    match Process::start(spec) {
        Ok(process) => Ok((process, files)),
        Err(why) => {
            folder::forget_secrets(&plan.folder, &files);
            Err(why.into())
        }
    }
}

/// What was seen of a process.
struct Watched {
    exit: ProcessExit,
    ended_by: Option<Why>,
    tail: Tail,
    reading: Reading,
}

async fn watch(
    spec: &HostSpec,
    plan: &Plan,
    mut process: Process,
    orders: &mut mpsc::Receiver<Order>,
    teller: &RunReports,
) -> Watched {
    let mut reader = OutputReader::new(&spec.preset, plan.used);
    let mut tail = Tail::default();
    let (mut ended_by, mut told_at) = (None, None::<Instant>);
    let exit = loop {
        tokio::select! {
            biased;
            order = orders.recv() => match order {
                Some(Order::Terminate(why)) => {
                    ended_by = Some(why);
                    process.terminate();
                }
                // Nobody is there to tell any more.
                Some(Order::Kill) | None => process.kill(),
            },
            event = process.next() => match event {
                Ok(ProcessEvent::Printed(stream, bytes)) => {
                    tail.take(&bytes);
                    let is_new = reader.take(stream, &bytes);
                    if let Some(id) = reader.conversation().filter(|_| is_new) {
                        teller.tell(RunEvent::Conversation(id)).await;
                    }
                    if told_at.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
                        told_at = Some(Instant::now());
                        teller.tell(RunEvent::Printed).await;
                    }
                }
                Ok(ProcessEvent::Exited(exit)) => break exit,
                Err(_) => {
                    process.kill();
                    break ProcessExit { code: None, signal: None };
                }
            },
        }
    };
    let known = reader.conversation();
    let reading = reader.finish();
    // Some say it in the document at their end.
    if let Some(id) = reading.conversation.clone().filter(|_| known.is_none()) {
        teller.tell(RunEvent::Conversation(id)).await;
    }
    Watched { exit, ended_by, tail, reading }
}

impl Watched {
    async fn account(self, spec: &HostSpec, plan: &Plan, ended: Ended) -> Ended {
        let Self { exit, ended_by, tail, reading } = self;
        let is_told = reading.error.is_some() || !reading.last_words.is_empty();
        let ahead = if is_told { minutes_ahead().await } else { 0 };
        let clock = WallClock { now: Clock::system().machine_now(), ahead };
        let (reason, limited) = judge(&spec.preset, &reading, exit.code, ended_by.is_some(), clock);
        let mut tail = tail.shown(&plan.token);
        let reason = match ended_by {
            Some(Why::Silent(silence)) if reason == RunEnd::Killed => {
                tail = Some(silent(silence, &tail.unwrap_or_default()));
                RunEnd::NoReport
            }
            Some(Why::Parted) if reason == RunEnd::Killed => RunEnd::NoReport,
            Some(_) | None => reason,
        };
        let limited = limited.map(|limited| Limited { account: spec.account.clone(), ..limited });
        let usage = Some(reading.usage).filter(|usage| !usage.is_unknown());
        Ended { reason, exit: exit.code, tail, usage, limited, ..ended }
    }
}

/// What is said of who was silent for too long, before the end of what it printed.
fn silent(silence: Duration, said: &str) -> String {
    let silence = humantime::format_duration(silence);
    let why = format!("it printed nothing and called no tool for {silence}, and was ended\n");
    let from = said.ceil_char_boundary((why.len() + said.len()).saturating_sub(LONGEST_TAIL));
    format!("{why}{}", &said[from..]).trim_end().to_owned()
}

/// By how many minutes this machine's time of day is ahead of UTC, as its `date` says.
async fn minutes_ahead() -> i32 {
    let said = Command::new("date").arg("+%z").output().await;
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    offset(said.trim()).unwrap_or(0)
}

/// Minutes of `+0200`.
fn offset(text: &str) -> Option<i32> {
    let (sign, digits) = text.split_at_checked(1)?;
    let number: i32 = digits.parse().ok().filter(|_| digits.len() == 4)?;
    let minutes = number / 100 * 60 + number % 100;
    match sign {
        "+" => Some(minutes),
        "-" => Some(-minutes),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
