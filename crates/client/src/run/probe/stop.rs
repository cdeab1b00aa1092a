//! Whether a program stops when its user asks it to, as by Ctrl-Z: `/proc/PID/status`.

use std::fs;

use super::processes;

/// `SIGTSTP` in the masks of signals, whose first bit is signal 1.
const STOP_BY_KEY: u64 = 1 << (20 - 1);

/// Whether every process of a group leaves being stopped to the system; false where that is not known of one.
pub(in crate::run) fn is_left_to_the_system(group: i32) -> bool {
    let table = processes::all();
    let mut members = table.iter().filter(|(_, process)| process.group == group).peekable();
    members.peek().is_some()
        && members.all(|(pid, _)| fs::read_to_string(format!("/proc/{pid}/status")).is_ok_and(|told| is_left(&told)))
}

/// Neither blocked nor ignored nor caught.
fn is_left(status: &str) -> bool {
    let mask = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        u64::from_str_radix(line.trim(), 16).ok()
    };
    ["SigBlk:", "SigIgn:", "SigCgt:"].iter().all(|name| mask(name).is_some_and(|mask| mask & STOP_BY_KEY == 0))
}

#[cfg(test)]
mod tests;
