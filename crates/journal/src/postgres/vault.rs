//! What a hub keeps beside its journal, as rows of kind `file`: read when the team was taken, and from then on in
//! memory; written by the fenced statement that writes all else, so a hub that lost the team writes none of it.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::{fmt, io, thread};

use super::batch::Batch;
use super::query::Asks as _;
use super::reader::PgReader;
use super::row::{RowKind, StateRow};
use super::store::{Lock, Shared};
use crate::store::{ReadError, Reader as _};
use crate::vault::{SECRETS, TOKENS, Vault, all};

pub struct PgVault {
    shared: Arc<Shared>,
    place: String,
    texts: Lock<BTreeMap<String, String>>,
}

impl fmt::Debug for PgVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PgVault({}, [secrets])", self.place)
    }
}

impl PgVault {
    /// What the database has, and, where that is nothing yet, what lies in this data directory: it is brought in whole,
    /// and stays where it lies. Must not be called on a thread of another runtime.
    ///
    /// Fails when either cannot be read, or the database not be written.
    pub fn open(reader: &PgReader, folder: &dyn Vault) -> io::Result<Self> {
        let vault = Self::kept(reader)?;
        let place = &vault.place;
        if vault.texts().contains_key(TOKENS) {
            if !matches!(folder.read(TOKENS), Ok(None)) {
                let here = folder.shown(TOKENS);
                tracing::info!("`{here}` and the secrets beside it are not read: those in the database are");
            }
            return Ok(vault);
        }
        let many = vault.brings_in(folder)?;
        if many > 0 {
            tracing::info!("{many} files with tokens and secrets were brought into the database `{place}`");
        } else if reader.position().map_err(unread)?.0 > 0 {
            tracing::warn!(
                "the database `{place}` has a journal and no tokens: new ones are made. If another machine has those \
                 of before, end this hub, and start the first one there"
            );
        }
        Ok(vault)
    }

    /// What lies in this data directory takes the place of what the database has, where there are tokens at all: a
    /// journal that was copied alone has none, and takes none away. Fails as [`Self::open`] does.
    pub(super) fn carried(reader: &PgReader, folder: &dyn Vault) -> io::Result<()> {
        let vault = Self::kept(reader)?;
        if !vault.texts().contains_key(TOKENS) || folder.read(TOKENS)?.is_some() {
            vault.brings_in(folder)?;
        }
        Ok(())
    }

    fn kept(reader: &PgReader) -> io::Result<Self> {
        let sql = "SELECT id, body FROM rows WHERE team = $1 AND kind = 'file'";
        let rows = reader.ask(sql, &reader.team()).map_err(unread)?;
        let kept: BTreeMap<String, String> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        Ok(Self { shared: Arc::clone(&reader.shared), place: reader.place.clone(), texts: Lock::new(kept) })
    }

    /// How many texts there were; whatever else the database had is gone.
    fn brings_in(&self, folder: &dyn Vault) -> io::Result<usize> {
        let texts = all(folder)?;
        let gone: Vec<String> = self.texts().keys().filter(|name| !texts.contains_key(*name)).cloned().collect();
        if !texts.is_empty() {
            let put = texts.iter().map(|(name, text)| (name.as_str(), Some(text.as_str())));
            self.send(put.chain(gone.iter().map(|name| (name.as_str(), None))))?;
        }
        let many = texts.len();
        *self.texts() = texts;
        Ok(many)
    }

    fn texts(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes and removes, all of it or nothing. The database is waited for on a thread of its own, since callers may
    /// be on one of the runtime's.
    fn send<'a>(&self, changes: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> io::Result<()> {
        let batch = batch_of(changes);
        let sent = thread::scope(|scope| {
            let sending = thread::Builder::new().name("vault".to_owned());
            sending.spawn_scoped(scope, || self.shared.send(batch, None)).map(thread::ScopedJoinHandle::join)
        });
        sent?
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            .map_err(|error| io::Error::other(error.to_string()))
    }
}

impl Vault for PgVault {
    fn read(&self, name: &str) -> io::Result<Option<String>> {
        Ok(self.texts().get(name).cloned())
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        self.send([(name, Some(text))].into_iter())?;
        self.texts().insert(name.to_owned(), text.to_owned());
        Ok(())
    }

    /// Forgotten at once; nobody waits for the database.
    fn remove(&self, name: &str) {
        if self.texts().remove(name).is_none() {
            return;
        }
        let (shared, batch, shown) = (Arc::clone(&self.shared), batch_of([(name, None)].into_iter()), self.shown(name));
        let removing = thread::Builder::new().name("vault".to_owned()).spawn(move || {
            if let Err(error) = shared.send(batch, None) {
                tracing::warn!("`{shown}` stays, though nothing needs it: {error}");
            }
        });
        if let Err(error) = removing {
            tracing::warn!("`{}` stays, though nothing needs it: {error}", self.shown(name));
        }
    }

    fn secrets(&self) -> io::Result<Vec<String>> {
        Ok(self.texts().keys().filter(|name| name.starts_with(SECRETS)).cloned().collect())
    }

    fn shown(&self, name: &str) -> String {
        format!("{}: {name}", self.place)
    }
}

fn unread(error: ReadError) -> io::Error {
    io::Error::other(error.to_string())
}

fn batch_of<'a>(changes: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> Batch {
    let mut batch = Batch::default();
    for (name, text) in changes {
        match text {
            Some(text) => batch.put(RowKind::FILE, name, StateRow::plain(text.to_owned())),
            None => batch.forget(RowKind::FILE, name),
        }
    }
    batch
}
