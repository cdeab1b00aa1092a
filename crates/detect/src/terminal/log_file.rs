//! A log file that grows: opened without ever leaving the folders that are allowed, and read on from where it was.
//!
//! *Where it may lie.* A path is first held against the folders by its letters alone, so that nothing can be learned of
//! the rest of the disk. What it leads to is then opened folder by folder, from the allowed one down, and no step
//! follows a link: what is exchanged between looking and opening is not opened. A named pipe, a device, a folder is
//! refused before it is opened.
//!
//! *Watched by looking,* every few dozen milliseconds: a size is one system call, works on every file system, also
//! those of other machines and of containers, where the kernel's notices of changes do not arrive, and costs no crate.
//!
//! Calls block on the disk.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use thiserror::Error;

/// How much of a file that is there already is read at first.
const TAIL: u64 = 1024 * 1024;
/// Who is further behind than that reads the last [`TAIL`] alone: a file of gigabytes must not be read through.
const FAR: u64 = 8 * 1024 * 1024;
/// The most bytes of one look.
const MOST: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LogFileRefusal {
    #[error("there is no file `{0}`")]
    NotFound(String),
    #[error("`{path}` cannot be followed: {why}")]
    NotReadable { path: String, why: &'static str },
}

#[derive(Debug)]
pub struct LogFile {
    folder: OwnedFd,
    name: OsString,
    file: File,
    /// Which file that is: device and number.
    identity: (u64, u64),
    position: u64,
}

#[derive(Debug, Default)]
pub struct Growth {
    pub bytes: Vec<u8>,
    /// How many bytes before it were passed over.
    pub skipped: u64,
    /// Whether the file began anew: it was cut, or another one has its name.
    pub anew: bool,
    pub more: bool,
    pub written: Option<SystemTime>,
}

impl LogFile {
    /// Opens a file below one of these folders, and stands where the last [`TAIL`] bytes begin, at the beginning of a
    /// line; or at `resume`, if it is that long.
    ///
    /// Fails when it is not there, lies outside, is no plain file, or may not be read.
    pub fn open(roots: &[PathBuf], given: &str, resume: Option<u64>) -> Result<Self, LogFileRefusal> {
        let no = |why| LogFileRefusal::NotReadable { path: shown(given), why };
        let path = Path::new(given);
        if !is_plain(path) {
            return Err(no("name it by an absolute path without `..`"));
        }
        let roots: Vec<(&Path, PathBuf)> =
            roots.iter().filter_map(|root| Some((root.as_path(), root.canonicalize().ok()?))).collect();
        if !roots.iter().any(|(root, real)| path.starts_with(root) || path.starts_with(real)) {
            return Err(no("it does not lie in a folder of `monitor.roots`"));
        }
        let real = path.canonicalize().map_err(|error| {
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                LogFileRefusal::NotFound(shown(given))
            } else {
                no("its folder cannot be read")
            }
        })?;
        let out = "it leads out of the folders of `monitor.roots`";
        let (root, below) =
            roots.iter().find_map(|(_, root)| Some((root, real.strip_prefix(root).ok()?))).ok_or_else(|| no(out))?;
        let (Some(name), Some(above)) = (below.file_name(), below.parent()) else {
            return Err(no("it is a folder"));
        };
        let folder = open_folder(root, above).map_err(|_| no("its folder cannot be read"))?;
        let (file, identity) = open_plain(&folder, name).map_err(|refused| match refused {
            Refused::NotThere => LogFileRefusal::NotFound(shown(given)),
            Refused::NoFile => no("it is no plain file"),
            Refused::Denied => no("the hub may not read it"),
        })?;
        let size = file.metadata().map_err(|_| no("the hub may not read it"))?.len();
        let position = match resume {
            Some(position) if position <= size => position,
            Some(_) => 0,
            None => line_from(&file, size.saturating_sub(TAIL)),
        };
        Ok(Self { folder, name: name.to_owned(), file, identity, position })
    }

    pub const fn position(&self) -> u64 {
        self.position
    }

    /// What came since the last look, at most [`MOST`] bytes of it.
    pub fn look(&mut self) -> io::Result<Growth> {
        let mut growth = Growth::default();
        self.read_on(&mut growth)?;
        if growth.bytes.is_empty() && self.follow_name() {
            growth.anew = true;
            self.read_on(&mut growth)?;
        }
        Ok(growth)
    }

    fn read_on(&mut self, growth: &mut Growth) -> io::Result<()> {
        let found = self.file.metadata()?;
        let size = found.len();
        if size < self.position {
            self.position = 0;
            growth.anew = true;
        }
        if size - self.position > FAR {
            let near = size - TAIL;
            growth.skipped += near - self.position;
            self.position = near;
        }
        let want = usize::try_from(size - self.position).unwrap_or(usize::MAX).min(MOST);
        if want == 0 {
            return Ok(());
        }
        let mut bytes = vec![0; want];
        let read = self.file.read_at(&mut bytes, self.position)?;
        bytes.truncate(read);
        self.position += u64::try_from(read).unwrap_or_default();
        growth.bytes = bytes;
        growth.more = self.position < size;
        growth.written = found.modified().ok();
        Ok(())
    }

    /// Goes on with the file that has its name now, when that is another one. One that is not there yet is waited for.
    fn follow_name(&mut self) -> bool {
        // One call, for nearly every look ends here.
        let seen = statat(self.folder.as_fd(), self.name.as_os_str(), AtFlags::SYMLINK_NOFOLLOW);
        if seen.is_ok_and(|seen| (seen.st_dev, seen.st_ino) == self.identity) {
            return false;
        }
        match open_plain(&self.folder, &self.name) {
            Ok((file, identity)) if identity != self.identity => {
                (self.file, self.identity, self.position) = (file, identity, 0);
                true
            }
            Ok(_) | Err(_) => false,
        }
    }
}

enum Refused {
    NotThere,
    NoFile,
    Denied,
}

/// Absolute, and without anything that means another folder than it says.
fn is_plain(path: &Path) -> bool {
    path.is_absolute()
        && !path.as_os_str().as_encoded_bytes().contains(&0)
        && path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
}

fn open_folder(root: &Path, below: &Path) -> Result<OwnedFd, Errno> {
    let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut opened = openat(rustix::fs::CWD, root, folder, Mode::empty())?;
    for part in below.components() {
        opened = openat(&opened, part.as_os_str(), folder, Mode::empty())?;
    }
    Ok(opened)
}

fn open_plain(folder: &OwnedFd, name: &OsStr) -> Result<(File, (u64, u64)), Refused> {
    let refused = |errno: Errno| if errno == Errno::NOENT { Refused::NotThere } else { Refused::Denied };
    // Looked at before: to open a device may already do something.
    let seen = statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW).map_err(refused)?;
    if FileType::from_raw_mode(seen.st_mode) != FileType::RegularFile {
        return Err(Refused::NoFile);
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(folder.as_fd(), name, flags, Mode::empty()).map_err(refused)?);
    let found = file.metadata().map_err(|_| Refused::Denied)?;
    if !found.is_file() {
        return Err(Refused::NoFile);
    }
    Ok((file, (found.dev(), found.ino())))
}

/// The first beginning of a line at or behind this place.
fn line_from(file: &File, position: u64) -> u64 {
    if position == 0 {
        return 0;
    }
    let mut bytes = [0; 4096];
    let read = file.read_at(&mut bytes, position).unwrap_or_default();
    let end = memchr::memchr(b'\n', &bytes[..read]);
    end.map_or(position, |at| position + u64::try_from(at + 1).unwrap_or_default())
}

/// What came from outside, fit for a sentence.
fn shown(given: &str) -> String {
    given.chars().filter(|c| !c.is_control()).take(200).collect()
}
