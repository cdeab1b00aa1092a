//! Who runs, below whom, on which terminal: `/proc/PID/stat`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;

use rustix::pty::ptsname;

/// A terminal's device, as `stat` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Device(u64);

/// `/dev/tty`: for each process, the terminal that it belongs to.
const OWN_TERMINAL: Device = Device(5 << 8);

impl Device {
    /// The side of a PTY that programs have open.
    pub(super) fn of(pty: impl AsFd) -> Option<Self> {
        let name = ptsname(pty, Vec::new()).ok()?;
        Some(Self(fs::metadata(name.to_str().ok()?).ok()?.rdev()))
    }

    /// From the number in `/proc/PID/stat`, which is made as that of a device file is.
    fn of_stat(number: i64) -> Option<Self> {
        u64::try_from(number).ok().filter(|number| *number > 0).map(Self)
    }

    /// Whether this process's `fd` is it; `/dev/tty` is, for those whose own terminal it is.
    pub(super) fn is(self, pid: i32, fd: u64, own: bool) -> bool {
        let Ok(file) = fs::metadata(format!("/proc/{pid}/fd/{fd}")) else { return false };
        let device = Self(file.rdev());
        device == self || own && device == OWN_TERMINAL
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) terminal: Option<Device>,
    /// The group in the foreground of that terminal.
    pub(super) foreground: i32,
}

impl Process {
    /// Reads a line such as `12 (a name) S 1 12 12 34816 12 …`. The name may hold anything, brackets too.
    fn parse(stat: &str) -> Option<Self> {
        let mut words = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(1);
        let mut number = || words.next()?.parse::<i64>().ok();
        let (parent, group, _session, terminal, foreground) = (number()?, number()?, number()?, number()?, number()?);
        Some(Self {
            parent: i32::try_from(parent).ok()?,
            group: i32::try_from(group).ok()?,
            terminal: Device::of_stat(terminal),
            foreground: i32::try_from(foreground).ok()?,
        })
    }
}

/// Every process, at about the same moment.
pub(super) fn all() -> BTreeMap<i32, Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return BTreeMap::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let with_stat = |pid: i32| {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        Some((pid, Process::parse(&String::from_utf8_lossy(&stat))?))
    };
    pids.filter_map(with_stat).collect()
}

/// All that descend from those of a group, and these.
pub(super) fn below(group: i32, table: &BTreeMap<i32, Process>) -> BTreeSet<i32> {
    let members = table.iter().filter(|(_, process)| process.group == group);
    let mut found: BTreeSet<i32> = members.map(|(pid, _)| *pid).collect();
    loop {
        let more = table.iter().filter(|(pid, process)| found.contains(&process.parent) && !found.contains(pid));
        let more: Vec<i32> = more.map(|(pid, _)| *pid).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

#[cfg(test)]
mod tests;
