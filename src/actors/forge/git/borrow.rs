//! Objects on their way between a repository of others and those of the hub: taken as plain files, and given back as
//! one pack.
//!
//! Of what lies among their objects only packs with their indexes and loose objects are taken, each opened by its name
//! without following a link. Packs are linked where that can be done, since they are large; all else is copied. What
//! such a file says is not believed: the fetch into the mirror gives every object its name anew.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fchmod, fsync, linkat, openat, renameat, unlinkat};

use super::plain;

/// The most files that are taken, and the most bytes that are copied.
const MOST_FILES: u64 = 1_000_000;
const MOST_COPIED: u64 = 16 * 1024 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Taken {
    files: u64,
    copied: u64,
    /// How large it is in all, in bytes.
    pub(super) bytes: u64,
}

/// Puts a repository's objects into a folder of the hub's own.
pub(super) fn take(objects: &OwnedFd, to: &Path) -> io::Result<Taken> {
    let mut taken = Taken::default();
    for name in plain::names(objects)? {
        let name = name?;
        let Some(name) = name.to_str().filter(|name| *name == "pack" || is_hex(name, &[2])) else { continue };
        // A link in the place of a folder holds nothing of this repository.
        let Ok(Some(folder)) = plain::folder(objects, name) else { continue };
        let to = to.join(name);
        super::bare::private(&to)?;
        match name {
            "pack" => taken.packs(&folder, &to)?,
            _ => taken.loose(&folder, &to)?,
        }
    }
    Ok(taken)
}

fn is_hex(text: &str, lengths: &[usize]) -> bool {
    lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

impl Taken {
    fn packs(&mut self, folder: &OwnedFd, to: &Path) -> io::Result<()> {
        for name in plain::names(folder)? {
            let name = name?;
            let Some(stem) = name.to_str().and_then(|name| name.strip_suffix(".idx")) else { continue };
            if !stem.strip_prefix("pack-").is_some_and(|hash| is_hex(hash, &[40, 64])) {
                continue;
            }
            let pack = format!("{stem}.pack");
            let (Ok(Some(index)), Ok(Some(objects))) = (plain::file(folder, &name), plain::file(folder, &pack)) else {
                continue;
            };
            if linked(folder, &pack, &objects, &to.join(&pack))? {
                self.count(objects.metadata()?.len(), 0)?;
            } else {
                self.copy(objects, &to.join(&pack))?;
            }
            // Last: git looks for indexes.
            self.copy(index, &to.join(&name))?;
        }
        Ok(())
    }

    fn loose(&mut self, folder: &OwnedFd, to: &Path) -> io::Result<()> {
        for name in plain::names(folder)? {
            let name = name?;
            if !name.to_str().is_some_and(|name| is_hex(name, &[38, 62])) {
                continue;
            }
            if let Ok(Some(object)) = plain::file(folder, &name) {
                self.copy(object, &to.join(&name))?;
            }
        }
        Ok(())
    }

    /// Copies as much as it has now.
    fn copy(&mut self, from: File, to: &Path) -> io::Result<()> {
        let length = from.metadata()?.len();
        self.count(length, length)?;
        io::copy(&mut from.take(length), &mut File::create_new(to)?).map(drop)
    }

    fn count(&mut self, bytes: u64, copied: u64) -> io::Result<()> {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.copied = self.copied.saturating_add(copied);
        if self.files > MOST_FILES || self.copied > MOST_COPIED {
            let words = format!("it has more than {MOST_FILES} files of objects, or 16 GiB to copy: `git gc` there");
            return Err(io::Error::new(io::ErrorKind::InvalidData, words));
        }
        Ok(())
    }
}

/// Links a file that was opened; whether that could be done, and is that file.
fn linked(folder: &OwnedFd, name: &str, opened: &File, to: &Path) -> io::Result<bool> {
    if linkat(folder, name, CWD, to, AtFlags::empty()).is_err() {
        return Ok(false);
    }
    let (known, found) = (opened.metadata()?, std::fs::symlink_metadata(to)?);
    // Another file was put in its place meanwhile, or a link.
    if found.is_file() && (known.dev(), known.ino()) == (found.dev(), found.ino()) {
        return Ok(true);
    }
    std::fs::remove_file(to)?;
    Ok(false)
}

/// Puts a pack of the hub's, and its index, among the objects of a repository. They get the rights of the folder there.
pub(super) fn give(objects: &OwnedFd, from: &Path, hash: &str) -> io::Result<()> {
    let folder = plain::made(objects, "pack")?;
    let mode = Mode::from_raw_mode(0o444) & plain::rights(objects)?;
    for end in ["pack", "idx"] {
        let (name, new) = (format!("pack-{hash}.{end}"), format!("tmp_{end}_callboard_{hash}"));
        // Left there by a hub that crashed.
        let _ = unlinkat(&folder, &new, AtFlags::empty());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&folder, &new, flags, mode)?);
        let written = io::copy(&mut File::open(from.join(&name))?, &mut file)
            .and_then(|_| fchmod(file.as_fd(), mode).map_err(io::Error::from))
            .and_then(|()| file.sync_all())
            .and_then(|()| renameat(&folder, &new, &folder, OsStr::new(&name)).map_err(io::Error::from));
        if let Err(error) = written {
            let _ = unlinkat(&folder, &new, AtFlags::empty());
            return Err(error);
        }
    }
    fsync(&folder).map_err(io::Error::from)
}
