//! The audit's head: number and hash of the last line, in a small file beside it. A chain shows what was changed inside
//! it, and not that its end is gone; whoever takes lines off the end has to change the head, too.
//!
//! *Invariant:* the head names only a line that is on the disk. It is written behind the sync of that line and is not
//! synced itself: after a crash or a loss of power it may be behind, and is never ahead. An audit that ends before its
//! head was cut.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use super::line::{Line, sha256};

/// The file, in the data directory. It sorts before the lines': a copy in order has a head behind, and no false alarm.
pub(super) const HEAD: &str = "audit.head";

/// Digits of a number, so that each head lies over the whole of the one before.
const DIGITS: usize = 20;

/// Digits of the sum that ends a head: one that was written in part names nothing, and accuses nobody.
const SUM: usize = 16;

/// The line that a head names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Headed {
    pub(super) n: u64,
    /// The last event that it had seen.
    pub(super) journal: u64,
    pub(super) hash: String,
}

#[derive(Debug)]
pub(super) struct Head {
    file: File,
    at: Option<Headed>,
}

impl Head {
    /// Opens the head of a data directory's audit; one that is not there yet names nothing.
    pub(super) fn open(dir: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).read(true).write(true).mode(0o600).open(dir.join(HEAD))?;
        // Whatever it was made as.
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
        Ok(Self { file, at: kept(dir) })
    }

    /// The line that it names; none in an audit that was written before there were heads, or where it cannot be read.
    pub(super) const fn at(&self) -> Option<&Headed> {
        self.at.as_ref()
    }

    /// Names this line, which is on the disk. A head that cannot be written is behind, and then only tells less.
    pub(super) fn set(&mut self, line: &Line) {
        let at = Headed { n: line.n, journal: line.journal, hash: line.hash.clone() };
        let text = format!("{:0DIGITS$} {:0DIGITS$} {}", at.n, at.journal, at.hash);
        match self.file.write_all_at(format!("{text} {}\n", sum(&text)).as_bytes(), 0) {
            Ok(()) => self.at = Some(at),
            Err(error) => tracing::debug!("the head of the audit stays where it is: {error}"),
        }
    }
}

/// The line that the head of a data directory's audit names.
pub(super) fn kept(dir: &Path) -> Option<Headed> {
    let text = fs::read_to_string(dir.join(HEAD)).ok()?;
    let (text, end) = text.rsplit_once(' ')?;
    if end != format!("{}\n", sum(text)) {
        return None;
    }
    let mut words = text.split(' ');
    let (n, journal, hash) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?);
    Some(Headed { n, journal, hash: hash.to_owned() })
}

fn sum(text: &str) -> String {
    let mut sum = sha256(text.as_bytes());
    sum.truncate(SUM);
    sum
}
