//! The branches of a repository, read as the files that they are, and moved by the protocol that git itself follows.
//!
//! A branch is a file below `refs/heads`, or else a line of `packed-refs`. Whoever changes it makes `NAME.lock` beside
//! it, which only one can, and renames that onto it: so a push and a merge of the hub never overwrite each other.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::plain;

/// How long the text of one branch may be, in bytes: a hash, or the name of another one.
const LONGEST: u64 = 4_096;
/// How much of `packed-refs` is read.
const MOST_PACKED: u64 = 256 * 1024 * 1024;
/// How many names a name may be an alias of, one after the other.
const ALIASES: usize = 5;

/// A name in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    Commit(String),
    /// It is another name of something.
    Alias(String),
}

#[derive(Debug)]
pub(super) enum Unmoved {
    /// It is not where it was.
    Elsewhere,
    /// Somebody else is moving it.
    Locked,
    Failed(io::Error),
}

impl From<io::Error> for Unmoved {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Errno> for Unmoved {
    fn from(errno: Errno) -> Self {
        Self::Failed(errno.into())
    }
}

/// What a name stands for, as `refs/heads/main` or `HEAD`; none where there is no such name.
pub(super) fn named(git: &OwnedFd, name: &str) -> io::Result<Option<Named>> {
    let text = match place(git, name, false)? {
        Some((folder, last)) => match plain::kind(&folder, last)? {
            // Those are branches whose names go on.
            Some(FileType::Directory) | None => None,
            Some(_) => plain::text(&folder, last, LONGEST)?,
        },
        None => None,
    };
    let Some(text) = text else { return packed(git, name) };
    let text = text.trim_end();
    match text.strip_prefix("ref:") {
        Some(other) => Ok(Some(Named::Alias(other.trim().to_owned()))),
        None if is_hash(text) => Ok(Some(Named::Commit(text.to_owned()))),
        None => Err(io::Error::new(ErrorKind::InvalidData, "names no commit")),
    }
}

/// The commit that a name stands for in the end.
pub(super) fn commit(git: &OwnedFd, name: &str) -> io::Result<Option<String>> {
    let mut name = name.to_owned();
    for _ in 0..=ALIASES {
        match named(git, &name)? {
            Some(Named::Commit(commit)) => return Ok(Some(commit)),
            Some(Named::Alias(other)) if is_safe(&other) => name = other,
            Some(Named::Alias(_)) | None => return Ok(None),
        }
    }
    Ok(None)
}

/// An alias leads to a name below `refs/`, and nowhere else.
fn is_safe(name: &str) -> bool {
    name.starts_with("refs/") && name.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// The folder that a name's file lies in, and the file's name there; none where that folder is not there.
fn place<'a>(git: &OwnedFd, name: &'a str, make: bool) -> io::Result<Option<(OwnedFd, &'a str)>> {
    let (folders, last) = name.rsplit_once('/').unwrap_or(("", name));
    let mut at = git.try_clone()?;
    for part in folders.split('/').filter(|part| !part.is_empty()) {
        at = match make {
            true => plain::made(&at, part)?,
            // A file there is a branch with a shorter name.
            false if plain::kind(&at, part)? == Some(FileType::RegularFile) => return Ok(None),
            false => match plain::folder(&at, part)? {
                Some(next) => next,
                None => return Ok(None),
            },
        };
    }
    Ok(Some((at, last)))
}

/// What the file of all names that have none of their own says.
fn packed(git: &OwnedFd, name: &str) -> io::Result<Option<Named>> {
    let Some(file) = plain::file(git, "packed-refs")? else { return Ok(None) };
    for line in BufReader::new(file.take(MOST_PACKED)).split(b'\n') {
        let line = line?;
        let Some(hash) = line.strip_suffix(name.as_bytes()).and_then(|line| line.strip_suffix(b" ")) else { continue };
        let hash = String::from_utf8_lossy(hash).into_owned();
        return Ok(is_hash(&hash).then_some(Named::Commit(hash)));
    }
    Ok(None)
}

/// Moves a branch from one commit to another, if it is still where it was.
pub(super) fn swap(git: &OwnedFd, name: &str, from: &str, to: &str, line: &str) -> Result<(), Unmoved> {
    let (folder, last) = place(git, name, true)?.ok_or(ErrorKind::NotFound).map_err(io::Error::from)?;
    let lock = format!("{last}.lock");
    let mode = Mode::from_raw_mode(0o666) & plain::rights(&folder)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = match openat(&folder, &lock, flags, mode) {
        Ok(file) => File::from(file),
        Err(Errno::EXIST) => return Err(Unmoved::Locked),
        Err(errno) => return Err(errno.into()),
    };
    let moved = (|| {
        // Only now nobody else moves it.
        if named(git, name)? != Some(Named::Commit(from.to_owned())) {
            return Err(Unmoved::Elsewhere);
        }
        rustix::fs::fchmod(&file, mode)?;
        writeln!(file, "{to}")?;
        file.sync_all()?;
        match renameat(&folder, &lock, &folder, last) {
            // The names below it are gone, and their folder stayed.
            Err(Errno::ISDIR) => {
                unlinkat(&folder, last, AtFlags::REMOVEDIR)?;
                renameat(&folder, &lock, &folder, last)?;
            }
            renamed => renamed?,
        }
        Ok(())
    })();
    if moved.is_err() {
        // What is left there would keep everybody else out.
        unlinkat(&folder, &lock, AtFlags::empty())?;
        return moved;
    }
    rustix::fs::fsync(&folder)?;
    // Only where somebody keeps such a log already, and the branch has moved whatever becomes of the line.
    drop(noted(git, name, line));
    Ok(())
}

/// Adds a line to the log of a branch.
fn noted(git: &OwnedFd, name: &str, line: &str) -> io::Result<()> {
    let name = format!("logs/{name}");
    let Some((folder, last)) = place(git, &name, false)? else { return Ok(()) };
    if plain::kind(&folder, last)? != Some(FileType::RegularFile) {
        return Ok(());
    }
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = File::from(openat(&folder, last, flags, Mode::empty())?);
    if file.metadata()?.is_file() { file.write_all(line.as_bytes()) } else { Ok(()) }
}
