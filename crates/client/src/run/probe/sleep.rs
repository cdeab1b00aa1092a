//! What one thread sleeps on: the system call that it is in, `/proc/PID/task/TID/syscall`, and what it waits for.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;

use super::processes::Device;
use crate::domain::prompt::Reader;

/// How many descriptors of one call are looked at.
const MOST_DESCRIPTORS: usize = 1024;
/// How many of them may be an `epoll` of their own.
const MOST_NESTED: usize = 16;
/// Ready to be read, in the masks of `poll` and `epoll`.
const INPUT: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Read,
    Poll,
    Select,
    Epoll,
    /// `io_uring_enter`: what its ring was given to wait for, nobody outside sees.
    Ring,
    Other,
}

impl Call {
    #[cfg(target_arch = "x86_64")]
    const fn of(number: u64) -> Self {
        match number {
            0 | 19 => Self::Read,
            7 | 271 => Self::Poll,
            23 | 270 => Self::Select,
            232 | 281 | 441 => Self::Epoll,
            426 => Self::Ring,
            _ => Self::Other,
        }
    }

    #[cfg(target_arch = "aarch64")]
    const fn of(number: u64) -> Self {
        match number {
            63 | 65 => Self::Read,
            73 => Self::Poll,
            72 => Self::Select,
            22 | 441 => Self::Epoll,
            426 => Self::Ring,
            _ => Self::Other,
        }
    }
}

/// Whether the numbers of calls are known here.
pub(super) const KNOWS_CALLS: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Call {
    const fn of(_: u64) -> Self {
        Self::Other
    }
}

/// What a thread does with this terminal: reads, polls, is busy, or unknown; `own`: the terminal is its process's.
/// Fails when it may not be asked, or is gone.
pub(super) fn of_thread(pid: i32, thread: i32, terminal: Device, own: bool) -> io::Result<Reader> {
    let line = fs::read_to_string(format!("/proc/{pid}/task/{thread}/syscall"))?;
    let Some((number, arguments)) = parse(&line) else { return Ok(Reader::Busy) };
    let waits_for = |fd: u64| terminal.is(pid, fd, own);
    let polls = match Call::of(number) {
        Call::Read if waits_for(arguments[0]) => return Ok(Reader::Reads),
        Call::Ring => return Ok(Reader::Unknown),
        Call::Read | Call::Other => false,
        Call::Poll => any_waits(pid, &polled(pid, arguments)?, waits_for),
        Call::Select => any_waits(pid, &selected(pid, arguments)?, waits_for),
        Call::Epoll => {
            let interests = fs::read_to_string(format!("/proc/{pid}/fdinfo/{}", arguments[0]))?;
            watched(&interests).into_iter().any(waits_for)
        }
    };
    Ok(if polls { Reader::Polls } else { Reader::Busy })
}

/// Whether a process sleeps until a signal says that something is typed (`O_ASYNC`, by `/proc/PID/fdinfo`).
pub(super) fn is_signalled(pid: i32, terminal: Device, own: bool) -> bool {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fdinfo")) else { return false };
    let fds = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).take(MOST_DESCRIPTORS);
    let told = |fd: u64| fs::read_to_string(format!("/proc/{pid}/fdinfo/{fd}")).is_ok_and(|info| is_async(&info));
    fds.into_iter().any(|fd| terminal.is(pid, fd, own) && told(fd))
}

/// `flags: 0120002`, in octal.
fn is_async(info: &str) -> bool {
    const O_ASYNC: u32 = 0o20_000;
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).is_some_and(|flags| flags & O_ASYNC != 0)
}

/// Whether a thread runs, and sleeps on nothing.
pub(super) fn runs(pid: i32, thread: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/task/{thread}/syscall")).is_ok_and(|line| line.starts_with("running"))
}

/// The number of the call and its arguments; none while the thread runs, or is held outside of any.
fn parse(line: &str) -> Option<(u64, [u64; 3])> {
    let mut words = line.split_ascii_whitespace();
    let number = words.next()?.parse().ok()?;
    let mut argument = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
    Some((number, [argument()?, argument()?, argument()?]))
}

/// The descriptors that a `poll` waits to read.
fn polled(pid: i32, [at, count, _]: [u64; 3]) -> io::Result<Vec<u64>> {
    let count = usize::try_from(count).unwrap_or(usize::MAX).min(MOST_DESCRIPTORS);
    let memory = memory(pid, at, count * 8)?;
    let entries = memory.chunks_exact(8).filter(|entry| u32::from(entry[4]) & INPUT != 0);
    Ok(entries.map(|entry| u64::from(u32::from_ne_bytes([entry[0], entry[1], entry[2], entry[3]]))).collect())
}

/// The descriptors that a `select` waits to read: a set of bits in words of the machine.
fn selected(pid: i32, [count, set, _]: [u64; 3]) -> io::Result<Vec<u64>> {
    if set == 0 {
        return Ok(Vec::new());
    }
    let count = usize::try_from(count).unwrap_or(usize::MAX).min(MOST_DESCRIPTORS);
    let memory = memory(pid, set, count.div_ceil(64) * 8)?;
    let words = memory.chunks_exact(8).filter_map(|word| Some(u64::from_ne_bytes(word.try_into().ok()?)));
    let bits = words
        .zip(0_u64..)
        .flat_map(|(word, at)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit));
    Ok(bits.collect())
}

/// Whether one of these descriptors is the terminal, or an `epoll` that has it (Racket polls such a one).
fn any_waits(pid: i32, fds: &[u64], waits_for: impl Fn(u64) -> bool) -> bool {
    let told = |fd: &u64| fs::read_to_string(format!("/proc/{pid}/fdinfo/{fd}"));
    let nested = |fd: &u64| told(fd).is_ok_and(|interests| watched(&interests).into_iter().any(&waits_for));
    fds.iter().any(|fd| waits_for(*fd)) || fds.iter().take(MOST_NESTED).any(nested)
}

/// The descriptors that an `epoll` waits to read, as `/proc/PID/fdinfo` tells: `tfd: 5 events: 19 data: …`.
fn watched(interests: &str) -> Vec<u64> {
    let of_line = |line: &str| {
        let mut words = line.strip_prefix("tfd:")?.split_ascii_whitespace();
        let fd = words.next()?.parse().ok()?;
        let events = u32::from_str_radix(words.nth(1)?, 16).ok()?;
        (events & INPUT != 0).then_some(fd)
    };
    interests.lines().filter_map(of_line).collect()
}

fn memory(pid: i32, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    File::open(format!("/proc/{pid}/mem"))?.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
