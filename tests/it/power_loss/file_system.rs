//! The disks of this process, shown to SQLite as its default file system.
//!
//! The folder of a file is its disk. Locks are as SQLite asks for them, on the file and on the index of the log, so
//! that a connection that closes does not take itself for the last.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};
use std::ops::Range;
use std::path::Path;
use std::sync::{MutexGuard, Once, PoisonError};
use std::time::Duration;

use sqlite_vfs::wip::{WalIndex, WalIndexLock};
use sqlite_vfs::{DatabaseHandle, LockKind, OpenAccess, OpenKind, OpenOptions, Vfs, register};

use super::disk::{Image, Step, do_to};

type Region = [u8; 32_768];

/// A disk at work.
#[derive(Default)]
struct Disk {
    files: Image,
    steps: Vec<Step>,
    locks: BTreeMap<(String, u64), LockKind>,
    index: BTreeMap<u32, Box<Region>>,
    index_locks: BTreeMap<(u8, u64), WalIndexLock>,
    /// Every write is refused.
    full: bool,
}

#[derive(Default)]
struct Machine {
    disks: BTreeMap<String, Disk>,
    handles: u64,
}

#[expect(clippy::disallowed_types, reason = "SQLite calls from whichever thread uses the connection")]
static MACHINE: std::sync::Mutex<Machine> = std::sync::Mutex::new(Machine { disks: BTreeMap::new(), handles: 0 });
static REGISTERED: Once = Once::new();

/// Puts a disk with these files at `folder`; SQLite uses such disks alone from now on.
pub(super) fn insert(folder: &Path, files: Image) {
    REGISTERED.call_once(|| register("losing", FileSystem, true).expect("SQLite takes another file system"));
    machine().disks.insert(folder.display().to_string(), Disk { files, ..Disk::default() });
}

/// Notes down what a client was told.
pub(super) fn acknowledge(folder: &Path, appends: usize) {
    let folder = folder.display().to_string();
    machine().disks.get_mut(&folder).unwrap().steps.push(Step::Acknowledged { appends });
}

/// Whether the disk takes writes from now on.
pub(super) fn takes(folder: &Path, writes: bool) {
    machine().disks.get_mut(&folder.display().to_string()).unwrap().full = !writes;
}

/// Takes the disk away; says what was done to it.
pub(super) fn eject(folder: &Path) -> Vec<Step> {
    machine().disks.remove(&folder.display().to_string()).unwrap().steps
}

fn machine() -> MutexGuard<'static, Machine> {
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct FileSystem;

/// A file that SQLite has open.
struct Handle {
    folder: String,
    file: String,
    number: u64,
}

/// A connection's view of the index of the log.
struct Index {
    folder: String,
    number: u64,
}

fn on_disk<T>(folder: &str, act: impl FnOnce(&mut Disk) -> T) -> Result<T, Error> {
    machine().disks.get_mut(folder).map(act).ok_or_else(|| Error::from(ErrorKind::NotFound))
}

fn parts(path: &str) -> (String, String) {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    (folder.to_owned(), file.to_owned())
}

impl Disk {
    fn take(&mut self, step: Step) -> Result<(), Error> {
        if self.full {
            return Err(ErrorKind::StorageFull.into());
        }
        do_to(&mut self.files, &step);
        self.steps.push(step);
        Ok(())
    }

    fn others<'a>(&'a self, file: &'a str, number: u64) -> impl Iterator<Item = LockKind> + 'a {
        let others = self.locks.iter().filter(move |((of, by), _)| of == file && *by != number);
        others.map(|(_, lock)| *lock)
    }
}

impl Vfs for FileSystem {
    type Handle = Handle;

    fn open(&self, path: &str, options: OpenOptions) -> Result<Handle, Error> {
        let (folder, file) = parts(path);
        let mut machine = machine();
        machine.handles += 1;
        let number = machine.handles;
        let disk = machine.disks.get_mut(&folder).ok_or_else(|| Error::from(ErrorKind::NotFound))?;
        // The store makes its main file by itself, before SQLite hears of it.
        let may_make =
            options.kind == OpenKind::MainDb || matches!(options.access, OpenAccess::Create | OpenAccess::CreateNew);
        if !may_make && !disk.files.contains_key(&file) {
            return Err(ErrorKind::NotFound.into());
        }
        disk.files.entry(file.clone()).or_default();
        Ok(Handle { folder, file, number })
    }

    fn delete(&self, path: &str) -> Result<(), Error> {
        let (folder, file) = parts(path);
        on_disk(&folder, |disk| {
            if !disk.files.contains_key(&file) {
                return Err(ErrorKind::NotFound.into());
            }
            disk.take(Step::Remove { file })
        })?
    }

    fn exists(&self, path: &str) -> Result<bool, Error> {
        let (folder, file) = parts(path);
        on_disk(&folder, |disk| disk.files.contains_key(&file))
    }

    fn access(&self, path: &str, _: bool) -> Result<bool, Error> {
        self.exists(path)
    }

    fn temporary_name(&self) -> String {
        unreachable!("the journal keeps what is temporary in memory")
    }

    fn random(&self, buffer: &mut [i8]) {
        // Only the seed of SQLite's own generator.
        buffer.fill(7);
    }

    fn sleep(&self, duration: Duration) -> Duration {
        duration
    }
}

impl DatabaseHandle for Handle {
    type WalIndex = Index;

    fn size(&self) -> Result<u64, Error> {
        on_disk(&self.folder, |disk| disk.files.get(&self.file).map_or(0, Vec::len) as u64)
    }

    fn read_exact_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        let offset = usize::try_from(offset).map_err(Error::other)?;
        on_disk(&self.folder, |disk| {
            let bytes = disk.files.get(&self.file).and_then(|bytes| bytes.get(offset..)).unwrap_or_default();
            let found = bytes.len().min(buffer.len());
            buffer[..found].copy_from_slice(&bytes[..found]);
            buffer[found..].fill(0);
            if found < buffer.len() { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
        })?
    }

    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> Result<(), Error> {
        let offset = usize::try_from(offset).map_err(Error::other)?;
        let file = self.file.clone();
        on_disk(&self.folder, |disk| disk.take(Step::Write { file, offset, bytes: bytes.to_vec() }))?
    }

    fn sync(&mut self, _: bool) -> Result<(), Error> {
        let file = self.file.clone();
        on_disk(&self.folder, |disk| disk.take(Step::Sync { file }))?
    }

    fn set_len(&mut self, size: u64) -> Result<(), Error> {
        let length = usize::try_from(size).map_err(Error::other)?;
        let file = self.file.clone();
        on_disk(&self.folder, |disk| disk.take(Step::Resize { file, length }))?
    }

    fn lock(&mut self, wanted: LockKind) -> Result<bool, Error> {
        on_disk(&self.folder, |disk| {
            let free = |allowed: fn(LockKind) -> bool| disk.others(&self.file, self.number).all(allowed);
            let granted = match wanted {
                LockKind::None => true,
                LockKind::Shared => free(|other| !matches!(other, LockKind::Pending | LockKind::Exclusive)),
                LockKind::Reserved | LockKind::Pending => {
                    free(|other| matches!(other, LockKind::None | LockKind::Shared))
                }
                LockKind::Exclusive => free(|other| other == LockKind::None),
            };
            if granted {
                disk.locks.insert((self.file.clone(), self.number), wanted);
            }
            granted
        })
    }

    fn reserved(&mut self) -> Result<bool, Error> {
        on_disk(&self.folder, |disk| {
            let mut all = disk.locks.iter().filter(|((file, _), _)| *file == self.file);
            all.any(|(_, lock)| !matches!(lock, LockKind::None | LockKind::Shared))
        })
    }

    fn current_lock(&self) -> Result<LockKind, Error> {
        on_disk(&self.folder, |disk| {
            disk.locks.get(&(self.file.clone(), self.number)).copied().unwrap_or(LockKind::None)
        })
    }

    fn wal_index(&self, _: bool) -> Result<Index, Error> {
        Ok(Index { folder: self.folder.clone(), number: self.number })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // The disk may be gone: the power failed.
        drop(on_disk(&self.folder, |disk| {
            disk.locks.retain(|(_, number), _| *number != self.number);
            disk.index_locks.retain(|(_, number), _| *number != self.number);
        }));
    }
}

impl WalIndex for Index {
    fn map(&mut self, region: u32) -> Result<Region, Error> {
        on_disk(&self.folder, |disk| **disk.index.entry(region).or_insert_with(|| Box::new([0; 32_768])))
    }

    fn lock(&mut self, slots: Range<u8>, wanted: WalIndexLock) -> Result<bool, Error> {
        on_disk(&self.folder, |disk| {
            let others = || {
                let others = disk.index_locks.iter();
                others.filter(|((slot, number), _)| slots.contains(slot) && *number != self.number)
            };
            let granted = match wanted {
                WalIndexLock::None => true,
                WalIndexLock::Shared => others().all(|(_, lock)| *lock != WalIndexLock::Exclusive),
                WalIndexLock::Exclusive => others().all(|(_, lock)| *lock == WalIndexLock::None),
            };
            if granted {
                for slot in slots.clone() {
                    disk.index_locks.insert((slot, self.number), wanted);
                }
            }
            granted
        })
    }

    fn delete(self) -> Result<(), Error> {
        on_disk(&self.folder, |disk| disk.index.clear())
    }

    fn pull(&mut self, region: u32, into: &mut Region) -> Result<(), Error> {
        on_disk(&self.folder, |disk| {
            if let Some(shared) = disk.index.get(&region) {
                into.copy_from_slice(&**shared);
            }
        })
    }

    fn push(&mut self, region: u32, from: &Region) -> Result<(), Error> {
        on_disk(&self.folder, |disk| drop(disk.index.insert(region, Box::new(*from))))
    }
}
