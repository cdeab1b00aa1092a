//! Files that hold secrets: how they are written, and which of them are believed.
//!
//! *Written* files are readable by their owner alone (600). A file is replaced whole or not at all: the new text goes
//! into a draft of its own name beside it, which no other file has, and takes the place of the old one by a rename. A
//! crash leaves the old file or the new one, and at worst a draft.
//!
//! *Files of our own* (`tokens`, `operator.token`) are read only when nobody but their owner may read or write them.
//!
//! *Files that somebody handed over* (`*_FILE`, `secretFile`, `tokenFile`, a TLS key) come with what the machine has:
//!
//! | The file | is |
//! |---|---|
//! | lies on a read-only mount | read: whoever mounted it decided who reads it (Docker's and Kubernetes' secrets) |
//! | belongs to another user than this one or root | refused, unless root asks, who acts for all of them |
//! | may be written by others | refused |
//! | may be read by everybody | refused |
//! | may be read by its group | read |
//! | is no regular file (a pipe, a device, a folder) | refused, without waiting for whoever would write into it |
//!
//! A right that a folder above it takes away is no right: a file of mode 644 in one of mode 700 is its owner's alone.
//!
//! What is checked is the open file, so nobody can put another one in its place between the look and the reading.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, StatVfsMountFlags};

/// The mode of a file that its owner alone may read.
const PRIVATE: u32 = 0o600;
/// The most that is read of a secret, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// Writes a file for its owner alone, whole or not at all; on disk when this returns. Fails with whatever the file
/// system says; then the old file is there as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, bytes, PRIVATE, true)
}

/// The same without waiting for the disk: a loss of power may bring the old file back. Fails as [`replace`] does.
pub fn replace_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, bytes, PRIVATE, false)
}

/// The same for a file of somebody else's making, which keeps its mode; a new one is private. Fails as [`replace`].
pub fn rewrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mode = fs::metadata(path).map_or(PRIVATE, |known| known.permissions().mode() & 0o777);
    put(path, bytes, mode, true)
}

/// A new, empty file for its owner alone. Fails with [`io::ErrorKind::AlreadyExists`] when there is one: it is
/// somebody's, and is left. Else what the file system says.
pub fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path)
}

pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) | Ok(()) => Ok(()),
    }
}

/// Makes a folder, and those above it, for its owner alone. One that is there keeps its mode.
pub fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The text of a file of our own; none when there is none.
///
/// Fails when anybody but its owner may read or write it, when it is another user's, or when it cannot be read. The
/// sentence names the file, and what to do.
pub fn read_own(path: &Path) -> io::Result<Option<String>> {
    let file = match open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let about = file.metadata()?;
    check_owner(path, about.uid())?;
    if about.permissions().mode() & 0o077 != 0 {
        return Err(refusal(format!("others may read it: run `{}`", closing_file(path))));
    }
    text_of(file).map(Some)
}

/// The text of a file without a secret among those with one, as the hub's address. Fails when it cannot be read.
pub fn read_plain(path: &Path) -> io::Result<String> {
    text_of(open_regular(path)?)
}

/// Opens a file for reading, if it is a regular one. Another kind is refused at once: whoever opens a pipe waits until
/// somebody writes into it, and whoever reads a device may wait for ever.
///
/// Fails with what it is instead, or what the file system says.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let without_waiting = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(without_waiting).open(path)?;
    let kind = file.metadata()?.file_type();
    let what = match () {
        () if kind.is_file() => return Ok(file),
        () if kind.is_dir() => "folder",
        () if kind.is_fifo() => "pipe",
        () => "device",
    };
    Err(io::Error::other(format!("`{}` is a {what}, and not a regular file", path.display())))
}

/// The text of a file that somebody handed over, checked as the table above says. Fails when it is not to be believed,
/// or cannot be read. The sentence names the file, and what to do.
pub fn read_given(path: &Path) -> io::Result<String> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("failed to read `{}`: {error}", path.display()));
    let file = open_regular(path).map_err(named)?;
    check_given(path, &file)?;
    text_of(file).map_err(named)
}

/// Checks an open file as the table above says. Fails when it is not to be believed.
pub fn check_given(path: &Path, file: &File) -> io::Result<()> {
    let about = file.metadata()?;
    let is_read_only = rustix::fs::fstatvfs(file).is_ok_and(|at| at.f_flag.contains(StatVfsMountFlags::RDONLY));
    if is_read_only { Ok(()) } else { check_rights(path, &about) }
}

fn check_rights(path: &Path, about: &Metadata) -> io::Result<()> {
    check_owner(path, about.uid())?;
    let mode = about.permissions().mode() & let_through(path);
    let shown = path.display();
    if mode & 0o022 != 0 {
        return Err(refusal(format!("others may write `{shown}`: run `{}`", closing_file(path))));
    }
    if mode & 0o004 != 0 {
        return Err(refusal(format!("everybody may read `{shown}`: run `{}`", closing_file(path))));
    }
    Ok(())
}

/// The rights that the folders above a file leave to others: who may not pass one of them reaches nothing below it.
fn let_through(path: &Path) -> u32 {
    let found = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    found.ancestors().skip(1).filter_map(|folder| fs::metadata(folder).ok()).fold(0o777, |rights, folder| {
        let mode = folder.permissions().mode();
        let group = if mode & 0o011 == 0 { 0o070 } else { 0 };
        let others = if mode & 0o001 == 0 { 0o007 } else { 0 };
        rights & !group & !others
    })
}

/// Whether files of this user are believed: whoever owns a file can change it at any moment.
fn check_owner(path: &Path, owner: u32) -> io::Result<()> {
    if believes(rustix::process::geteuid().as_raw(), owner) {
        return Ok(());
    }
    let shown = path.display();
    Err(refusal(format!("`{shown}` belongs to another user (uid {owner}), who may change it: take a copy of your own")))
}

/// Refuses a folder that anybody else may put files into: what lies in it may be anybody's.
///
/// The hub asks this before and while it serves from a folder, and commands before they read an address or a token.
///
/// Fails with a sentence that names it and says what to do; [`io::ErrorKind::NotFound`] where there is none.
pub fn check_folder(path: &Path) -> io::Result<()> {
    let about = fs::metadata(path)?;
    check_owner(path, about.uid())?;
    if about.permissions().mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(refusal(format!(
        "others may put files into `{}`: run `{}`, or name a folder inside it, which is then made for this user alone",
        path.display(),
        closing_folder(path)
    )))
}

/// The command that keeps others from putting files into a folder.
pub fn closing_folder(path: &Path) -> String {
    format!("chmod go-w {}", typed(path))
}

/// The command that makes a file its owner's alone.
pub fn closing_file(path: &Path) -> String {
    format!("chmod 600 {}", typed(path))
}

/// A path as a shell takes it.
fn typed(path: &Path) -> String {
    let shown = path.display().to_string();
    let is_plain = shown.chars().all(|c| c.is_alphanumeric() || "/._-+@:,%".contains(c));
    if is_plain { shown } else { format!("'{}'", shown.replace('\'', "'\\''")) }
}

/// Whether this user believes files of that one: its own, and root's. Root acts for all of them.
const fn believes(user: u32, owner: u32) -> bool {
    owner == user || owner == 0 || user == 0
}

fn refusal(sentence: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, sentence)
}

fn text_of(file: File) -> io::Result<String> {
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(io::Error::other(format!("it is larger than {LONGEST} bytes")));
    }
    Ok(text)
}

fn put(path: &Path, bytes: &[u8], mode: u32, sync: bool) -> io::Result<()> {
    let draft = draft_beside(path)?;
    let mut file = create(&draft)?;
    let written = (|| {
        file.set_permissions(Permissions::from_mode(mode))?;
        file.write_all(bytes)?;
        if sync {
            file.sync_all()?;
        }
        fs::rename(&draft, path)
    })();
    if let Err(error) = written {
        // The draft is ours: its name was drawn, and the file was made above.
        drop(fs::remove_file(&draft));
        return Err(error);
    }
    if sync { sync_folder_of(path) } else { Ok(()) }
}

/// Has the folder of a file know its names also after a loss of power.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// A name beside a file that nothing has, for what is to take its place: `.NAME.` and 16 drawn digits. Fails when the
/// machine gives no randomness, or the path names no file.
pub fn draft_beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::other(format!("`{}` names no file", path.display())))?;
    let drawn = getrandom::u64().map_err(io::Error::other)?;
    let mut draft = OsString::from(".");
    draft.push(name);
    draft.push(format!(".{drawn:016x}"));
    Ok(path.with_file_name(draft))
}

#[cfg(test)]
mod tests;
