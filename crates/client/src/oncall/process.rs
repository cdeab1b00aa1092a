//! A client's process: in a group of its own, with a named environment, and never longer there than its host.
//!
//! ```text
//!   host ──pipe──► guard (leads the group, ignores TERM)
//!    │               ╎ one process group
//!    └── pipes ────► client ──► what it starts
//! ```
//!
//! The guard is a shell that reads a pipe of which the host has the other end, and nobody writes into it. When the host
//! dies, however it dies, the pipe ends and the guard kills its own group. It is there before the client, so there is
//! no moment without it. As long as it is not collected, the number of the group is nobody else's. When the client has
//! ended, what it left running in its group is killed with the guard.
//!
//! Deliberately absent: what leaves the group by a session of its own (a daemon) is not found again.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep_until};

use super::output::Stream;
use crate::domain::text;

/// What the guard runs. `0` is its own group.
const GUARD: &str = "trap '' HUP INT QUIT TERM; read -r never; kill -s KILL 0";

/// How long output is still read once the client is gone: a daemon that left the group may hold the pipe for ever.
const DRAIN: Duration = Duration::from_secs(1);

/// The size of the pieces in which output is read, in bytes.
const PIECE: usize = 16 * 1024;

/// What is to be started.
#[derive(Debug)]
pub(super) struct ProcessSpec<'a> {
    /// The program and its arguments.
    pub(super) argv: &'a [String],
    pub(super) folder: &'a Path,
    pub(super) environment: &'a BTreeMap<String, String>,
    /// What it reads; none where its input is empty.
    pub(super) stdin: Option<String>,
}

#[derive(Debug)]
pub(super) enum ProcessEvent {
    Printed(Stream, Vec<u8>),
    /// It is gone, and so is its group.
    Exited(ProcessExit),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessExit {
    /// None where a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
}

/// A process that runs. Dropped before its end, its group is killed.
#[derive(Debug)]
pub(super) struct Process {
    group: Group,
    client: Child,
    pid: u32,
    stdin: Option<Input>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// What it ended with, and until when its output is read.
    ended: Option<(ProcessExit, Instant)>,
}

#[derive(Debug)]
struct Input {
    pipe: ChildStdin,
    rest: Vec<u8>,
}

impl Process {
    /// Starts the program, as the leader of a process group of its own. The error says why, and what to do.
    pub(super) fn start(spec: ProcessSpec<'_>) -> Result<Self, String> {
        let (program, arguments) = spec.argv.split_first().ok_or("there is no command")?;
        if !spec.folder.is_dir() {
            return Err(format!("the working folder `{}` is not there", spec.folder.display()));
        }
        let group = Group::start().map_err(|error| format!("failed to start `sh`, which guards the run: {error}"))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(spec.folder).env_clear().envs(spec.environment);
        command.process_group(group.id.as_raw_nonzero().get());
        command.stdin(if spec.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut client = command.spawn().map_err(|error| never_ran(program, &error))?;
        let pid = client.id().ok_or("the program has no process")?;
        let stdin = client.stdin.take().zip(spec.stdin);
        let stdin = stdin.map(|(pipe, text)| Input { pipe, rest: text.into_bytes() });
        let (stdout, stderr) = (client.stdout.take(), client.stderr.take());
        Ok(Self { group, client, pid, stdin, stdout, stderr, ended: None })
    }

    pub(super) const fn pid(&self) -> u32 {
        self.pid
    }

    /// Asks all of its group to end.
    pub(super) fn terminate(&self) {
        self.group.signal(Signal::TERM);
        // One that was stopped hears nothing.
        self.group.signal(Signal::CONT);
    }

    /// Ends all of its group.
    pub(super) fn kill(&self) {
        self.group.signal(Signal::KILL);
    }

    /// What it does next. Safe to drop half-way; after [`ProcessEvent::Exited`] it says the same again. Fails when the
    /// system cannot say whether it is there.
    pub(super) async fn next(&mut self) -> io::Result<ProcessEvent> {
        loop {
            let until = self.ended.map(|(_, until)| until);
            let is_read = self.stdout.is_none() && self.stderr.is_none();
            if let Some((exit, _)) = self.ended.filter(|_| is_read) {
                self.group.collect().await;
                return Ok(ProcessEvent::Exited(exit));
            }
            tokio::select! {
                biased;
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => {
                    (self.stdout, self.stderr) = (None, None);
                }
                status = self.client.wait(), if until.is_none() => {
                    self.group.signal(Signal::KILL);
                    self.stdin = None;
                    self.ended = Some((ProcessExit::of(status?), Instant::now() + DRAIN));
                }
                bytes = piece(&mut self.stdout), if self.stdout.is_some() => match bytes {
                    Some(bytes) => return Ok(ProcessEvent::Printed(Stream::Out, bytes)),
                    None => self.stdout = None,
                },
                bytes = piece(&mut self.stderr), if self.stderr.is_some() => match bytes {
                    Some(bytes) => return Ok(ProcessEvent::Printed(Stream::Error, bytes)),
                    None => self.stderr = None,
                },
                is_done = feed(&mut self.stdin), if self.stdin.is_some() => if is_done {
                    self.stdin = None;
                },
            }
        }
    }
}

impl ProcessExit {
    fn of(status: ExitStatus) -> Self {
        Self { code: status.code(), signal: status.signal() }
    }
}

/// The next bytes of an output; none at its end.
async fn piece(from: &mut Option<impl AsyncRead + Unpin>) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(PIECE);
    let read = from.as_mut()?.read_buf(&mut bytes).await;
    read.is_ok_and(|length| length > 0).then_some(bytes)
}

/// Writes some of the input. True when there is no more to write, or nobody reads it.
async fn feed(input: &mut Option<Input>) -> bool {
    let Some(Input { pipe, rest }) = input else { return true };
    match pipe.write(rest).await {
        Ok(length) => {
            rest.drain(..length);
            rest.is_empty()
        }
        Err(_) => true,
    }
}

/// A process group that its guard leads.
#[derive(Debug)]
struct Group {
    guard: Child,
    id: Pid,
    is_collected: bool,
}

impl Group {
    fn start() -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", GUARD]).env_clear().current_dir("/").process_group(0);
        // The other end of its input lives in `guard`.
        let guard = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let id = guard.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let id = id.ok_or_else(|| io::Error::other("it has no process"))?;
        Ok(Self { guard, id, is_collected: false })
    }

    fn signal(&self, signal: Signal) {
        if !self.is_collected {
            let _gone = kill_process_group(self.id, signal);
        }
    }

    /// Kills what is left. From here on the number of the group may be another's.
    async fn collect(&mut self) {
        self.signal(Signal::KILL);
        if !self.is_collected {
            // `wait` would close the guard's input, which does no harm after the kill.
            let _status = self.guard.wait().await;
            self.is_collected = true;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

fn never_ran(program: &str, error: &io::Error) -> String {
    let name = text::shorten(program, 200);
    if error.kind() == io::ErrorKind::NotFound {
        return format!("`{name}` is not there: install it, or put its folder into the PATH of the host");
    }
    if error.kind() == io::ErrorKind::ArgumentListTooLong {
        return format!("the task is too long to be an argument of `{name}`");
    }
    format!("failed to start `{name}`: {error}")
}
