//! What all that sleep on a terminal come to.
//!
//! ```text
//!   the leader of the foreground ─ reads ─► reads
//!   the whole foreground ──────── reads ─► reads          a debugger whose program is stopped, the server of
//!        │ nobody ► others that have the terminal open ◄─ a multiplexer, `su -c`: none of them in the foreground
//!        └ polls ─► a relay (script, sudo): what its own terminal's foreground does
//!                 ► a relay to another machine: nobody knows
//!                 ► who shows several terminals (a multiplexer): polls
//!                 ► who made one, and is no relay that is known: as that one reads; nobody knows, where it is busy
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use super::processes::{self, Device, Process};
use super::sleep;
use crate::domain::prompt::Reader;

/// How many relays may stand one behind the other.
const DEPTH: u8 = 4;
/// How many threads of one process are asked.
const THREADS: usize = 256;
/// Programs that pass keys on to another machine, or another kernel's processes: they poll for as long as they run.
const REMOTE: [&str; 9] = ["ssh", "telnet", "mosh-client", "docker", "podman", "kubectl", "nc", "socat", "lxc"];
/// Programs that show one terminal in another, and have nothing to say of their own. Others that make a terminal, as
/// coding agents do for what they run, may wait for their user however busy that is.
const RELAYS: [&str; 18] = [
    "script", "sudo", "su", "doas", "runuser", "pkexec", "machinectl", "expect", "unbuffer", "rlwrap", "screen",
    "dtach", "abduco", "luit", "ttyrec", "termrec", "asciinema", "callboard",
];

#[derive(Debug, Default)]
struct Found {
    reads: bool,
    polls: bool,
    /// Who does one of these.
    who: Option<i32>,
    /// Somebody polls who passes keys on to where nobody here can look.
    remote: bool,
    /// Somebody polls who has nothing to say of its own.
    relay: bool,
    busy: bool,
    /// It waits, and nobody sees for what.
    obscure: bool,
    refused: bool,
}

/// How this group, or who is there for it, sleeps on the terminal; and who does, or may, where the system tells.
pub(super) fn of(group: i32, terminal: Device) -> (Reader, Option<i32>) {
    if !sleep::KNOWS_CALLS {
        return (Reader::Unknown, Some(group));
    }
    // The commonest case, and no look at all the others.
    let mut leader = Found::default();
    leader.ask(group, terminal, true);
    if leader.reads { (Reader::Reads, Some(group)) } else { deep(group, terminal, DEPTH) }
}

fn deep(group: i32, terminal: Device, depth: u8) -> (Reader, Option<i32>) {
    let table = processes::all();
    let mut found = Found::default();
    for (pid, _) in table.iter().filter(|(_, process)| process.group == group) {
        found.ask(*pid, terminal, true);
    }
    if !found.reads && !found.polls && !found.refused {
        for (pid, _) in table.iter().filter(|(pid, process)| process.group != group && has_open(**pid, terminal)) {
            found.ask(*pid, terminal, false);
        }
    }
    if found.reads {
        return (Reader::Reads, found.who);
    }
    if found.polls {
        let inner = if depth > 0 { inner(group, terminal, &table) } else { Vec::new() };
        return match inner.as_slice() {
            [(foreground, device)] => match deep(*foreground, *device, depth - 1) {
                (Reader::Busy, _) if !found.relay => (Reader::Unknown, found.who),
                inner => inner,
            },
            [] if found.remote => (Reader::Unknown, None),
            _ => (Reader::Polls, found.who),
        };
    }
    let busy = found.busy && !found.refused && !found.obscure;
    // Programs with rights of their own refuse to be asked, and still say how they were started.
    if busy { (Reader::Busy, None) } else { (Reader::Unknown, Some(group)) }
}

/// The one process that waits for the terminal; none with several, one that may not be asked, or a terminal behind it.
pub(super) fn alone(group: i32, terminal: Device) -> Option<i32> {
    let table = processes::all();
    let mut waiting = BTreeSet::new();
    for (pid, process) in &table {
        let own = process.group == group;
        if !own && !has_open(*pid, terminal) {
            continue;
        }
        let mut found = Found::default();
        found.ask(*pid, terminal, own);
        if found.refused || found.remote || found.obscure {
            return None;
        }
        if found.reads || found.polls {
            waiting.insert(*pid);
        }
    }
    let one = waiting.pop_first().filter(|_| waiting.is_empty());
    one.filter(|_| inner(group, terminal, &table).is_empty())
}

/// The terminals that programs of this one made, and the group in the foreground of each. Not those behind them.
fn inner(group: i32, terminal: Device, table: &BTreeMap<i32, Process>) -> Vec<(i32, Device)> {
    let below: BTreeSet<i32> = processes::below(group, table);
    let behind_another = |process: &Process| {
        let parent = table.get(&process.parent).and_then(|parent| parent.terminal);
        parent.is_some_and(|device| device != terminal)
    };
    let members = below.iter().filter_map(|pid| table.get(pid)).filter(|process| process.foreground > 0);
    let mut found: Vec<(i32, Device)> = Vec::new();
    for process in members.filter(|process| !behind_another(process)) {
        let Some(device) = process.terminal.filter(|device| *device != terminal) else { continue };
        if found.iter().all(|(_, known)| *known != device) {
            found.push((process.foreground, device));
        }
    }
    found
}

impl Found {
    /// Asks every thread of a process; `own` says that the terminal is its own.
    fn ask(&mut self, pid: i32, terminal: Device, own: bool) {
        let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return };
        let threads = threads.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let threads: Vec<i32> = threads.take(THREADS).collect();
        let mut waits = false;
        for thread in &threads {
            match sleep::of_thread(pid, *thread, terminal, own) {
                Ok(Reader::Reads) => {
                    (self.reads, waits) = (true, true);
                    self.who = Some(pid);
                }
                Ok(Reader::Polls) => {
                    (self.polls, waits) = (true, true);
                    self.who = self.who.filter(|_| self.reads).or(Some(pid));
                    self.remote |= is_among(&REMOTE, pid);
                    self.relay |= is_among(&RELAYS, pid);
                }
                Ok(Reader::Unknown) => self.obscure = true,
                Ok(Reader::Busy | Reader::Gone) => self.busy = true,
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => self.refused = true,
                // It has ended meanwhile, or its memory moved.
                Err(_) => {}
            }
        }
        // Nobody runs, nobody waits, and the terminal sends a signal when something is typed.
        if !waits && sleep::is_signalled(pid, terminal, own) && !threads.iter().any(|thread| sleep::runs(pid, *thread))
        {
            self.polls = true;
            self.who = self.who.or(Some(pid));
        }
    }
}

fn is_among(names: &[&str], pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| names.contains(&name.trim_end()))
}

/// Whether it may be asked, and has the terminal open.
fn has_open(pid: i32, terminal: Device) -> bool {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let mut fds = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    fds.any(|fd| terminal.is(pid, fd, false))
}
