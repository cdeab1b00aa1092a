//! Files and folders of others, opened one name at a time: no link is followed, and nothing is waited for.
//!
//! Whoever writes in a folder can put a link or a named pipe in the place of any file, also between two looks at it. So
//! a path is walked once, each folder is held by its descriptor, and what is opened is judged after it was opened.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, mkdirat, openat, statat};
use rustix::io::Errno;

/// A whole path without links, walked from the root.
pub(super) fn walk(path: &Path) -> io::Result<OwnedFd> {
    let mut at = openat(rustix::fs::CWD, "/", to_walk(), Mode::empty())?;
    for part in path.components() {
        match part {
            Component::RootDir => {}
            Component::Normal(name) => at = openat(&at, name, to_walk(), Mode::empty())?,
            Component::CurDir | Component::ParentDir | Component::Prefix(_) => return Err(Errno::INVAL.into()),
        }
    }
    Ok(at)
}

fn to_walk() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// A folder in a folder; none where nothing is called so.
pub(super) fn folder(at: impl AsFd, name: impl AsRef<OsStr>) -> io::Result<Option<OwnedFd>> {
    match openat(at, name.as_ref(), to_walk(), Mode::empty()) {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// The same, made where it is not there, with the rights of the folder that it lies in.
pub(super) fn made(at: impl AsFd, name: impl AsRef<OsStr>) -> io::Result<OwnedFd> {
    let (at, name) = (at.as_fd(), name.as_ref());
    if let Some(found) = folder(at, name)? {
        return Ok(found);
    }
    let mode = rights(at)?;
    match mkdirat(at, name, mode) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno.into()),
    }
    let found = folder(at, name)?.ok_or(ErrorKind::NotFound)?;
    // Whatever the hub's own mask is. Where the hub may set no group, others get what they can without.
    if rustix::fs::fchmod(&found, mode).is_err() {
        rustix::fs::fchmod(&found, mode & Mode::from_raw_mode(0o777))?;
    }
    Ok(found)
}

pub(super) fn rights(at: impl AsFd) -> io::Result<Mode> {
    Ok(Mode::from_raw_mode(rustix::fs::fstat(at)?.st_mode))
}

/// What is called so, without following it; none where nothing is.
pub(super) fn kind(at: impl AsFd, name: impl AsRef<OsStr>) -> io::Result<Option<FileType>> {
    match statat(at, name.as_ref(), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(FileType::from_raw_mode(found.st_mode))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// A plain file, to be read; none where nothing is called so.
pub(super) fn file(at: impl AsFd, name: impl AsRef<OsStr>) -> io::Result<Option<File>> {
    let (at, name) = (at.as_fd(), name.as_ref());
    // Looked at before, since to open a device may already do something; and after, since it may be another by then.
    match kind(at, name)? {
        None => return Ok(None),
        Some(FileType::RegularFile) => {}
        Some(_) => return Err(no_file()),
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match openat(at, name, flags, Mode::empty()) {
        Ok(found) => {
            let found = File::from(found);
            if found.metadata()?.is_file() { Ok(Some(found)) } else { Err(no_file()) }
        }
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

fn no_file() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "is no plain file")
}

/// The beginning of a plain file, as text; none where nothing is called so.
pub(super) fn text(at: impl AsFd, name: impl AsRef<OsStr>, most: u64) -> io::Result<Option<String>> {
    use std::io::Read as _;
    let Some(found) = file(at, name)? else { return Ok(None) };
    let mut bytes = Vec::new();
    found.take(most).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The names in a folder, but for the two of the folder itself and of the one above.
pub(super) fn names(at: impl AsFd) -> io::Result<impl Iterator<Item = io::Result<OsString>>> {
    let entries = Dir::read_from(at)?;
    Ok(entries.filter_map(|entry| match entry {
        Ok(entry) => {
            let name = entry.file_name().to_bytes();
            (name != b"." && name != b"..").then(|| Ok(OsStr::from_bytes(name).to_owned()))
        }
        Err(errno) => Some(Err(errno.into())),
    }))
}
