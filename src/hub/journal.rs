//! The journal that the settings name: a file in the data directory, or a database; and the clock that goes with it.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use secrecy::SecretString;

use super::{HubError, Owned};
use crate::actors::journal::JournalReads;
use crate::clock::Clock;
#[cfg(feature = "postgres")]
use crate::clock::since_boot;
#[cfg(feature = "postgres")]
use crate::domain::node::{ClockAnchor, Elapsed};
#[cfg(feature = "postgres")]
use crate::journal::Seq;
#[cfg(feature = "postgres")]
use crate::journal::postgres::{OpenError, PgReader, PgVault};
use crate::journal::search::SearchIndex;
use crate::journal::sqlite::{self, Durability};
use crate::journal::vault::{Folder, Vault};
use crate::journal::{Store, TEAM, is_in_database};
use crate::settings::{HubSettings, Settings, Synchronous};

/// The journal's file in the data directory.
const FILE: &str = "callboard.db";

pub(super) struct Opened {
    pub(super) store: Box<dyn Store>,
    pub(super) reads: JournalReads,
    /// None where the store itself is searched.
    pub(super) search: Option<SearchIndex>,
    /// What is kept beside it.
    pub(super) vault: Arc<dyn Vault>,
    /// Where it is, for people.
    pub(super) shown: String,
    /// By which the hub goes: deadlines in a database are read by whoever takes over, and so go by its clock.
    pub(super) clock: Clock,
    /// Holds the data directory for this process, where the store does not.
    pub(super) folder: Option<File>,
}

/// Opens it. Fails when it cannot be used, or when the data directory says that it is elsewhere.
pub(super) async fn open(
    settings: &Settings,
    data_dir: &Path,
    password: Option<SecretString>,
    owned: Option<&Owned>,
) -> Result<Opened, HubError> {
    match &settings.hub.store {
        Some(url) => database(&settings.hub, url, password, owned).await,
        None => file(settings, data_dir),
    }
}

fn file(settings: &Settings, data_dir: &Path) -> Result<Opened, HubError> {
    if is_in_database(data_dir) {
        let (dir, mark) = (data_dir.display(), data_dir.join(format!("postgres-{TEAM}-mark")));
        return Err(HubError::Elsewhere(format!(
            "the journal of `{dir}` is in a database, and no `store` is set: set `store` or CALLBOARD_STORE to its \
             address; or, to go on without what was written there: rm '{}'",
            mark.display()
        )));
    }
    let durability = match settings.hub.journal.synchronous {
        Synchronous::Full => Durability::Full,
        Synchronous::Normal => Durability::Normal,
    };
    let path = data_dir.join(FILE);
    let (store, reader) = sqlite::open(&path, durability)?;
    let search = Some(SearchIndex::open(reader.clone())?);
    let (reads, vault, shown) = (JournalReads::new(reader), Folder::at(data_dir), path.display().to_string());
    let clock = Clock::system();
    Ok(Opened { store: Box::new(store), reads, search, vault, shown, clock, folder: None })
}

#[cfg(feature = "postgres")]
async fn database(
    hub: &HubSettings,
    url: &str,
    password: Option<SecretString>,
    owned: Option<&Owned>,
) -> Result<Opened, HubError> {
    use secrecy::ExposeSecret as _;

    use crate::journal::postgres::{self, DatabasePlace};

    let data_dir = hub.data_dir.as_path();
    // One that several hubs share: a hub that is stopped holds a lock for as long as it is, and the fence is enough.
    let shared = owned.is_some() && hub.node.shared_disk;
    let folder = if shared { None } else { Some(sqlite::take(&data_dir.join(FILE))?) };
    let password = password.as_ref().map(|password| password.expose_secret());
    let place =
        DatabasePlace::parse(url, password, TEAM, data_dir).map_err(refused)?.held_by(owned.map(|owned| owned.holder));
    let shown = place.shown();
    // It waits for the server, on threads of its own.
    let opened = tokio::task::spawn_blocking(move || {
        let (store, reader) = postgres::open(&place).map_err(refused)?;
        let now = reader.time().map_err(|error| HubError::Unreachable(error.to_string()))?;
        Ok((store, reader, ClockAnchor::new(now, elapsed())))
    });
    let (store, reader, anchor) = opened.await.map_err(|error| HubError::Database(error.to_string())).flatten()?;
    has_all_of_the_file(store.position(), &shown, data_dir)?;
    let vault = vault(reader.clone(), data_dir).await?;
    let (reads, clock) = (JournalReads::new(reader), Clock::beside(move || anchor.now(elapsed())));
    Ok(Opened { store: Box::new(store), reads, search: None, vault, shown, clock, folder })
}

/// Refuses a database that ends at this record where the journal in a file of this data directory goes further.
#[cfg(feature = "postgres")]
pub(crate) fn has_all_of_the_file(position: Seq, shown: &str, data_dir: &Path) -> Result<(), HubError> {
    use crate::journal::Reader as _;

    let path = data_dir.join(FILE);
    let unread = |error: crate::journal::ReadError| HubError::Database(format!("`{}`: {error}", path.display()));
    let in_file = match path.exists() {
        true => sqlite::open_read_only(&path)?.position().map_err(unread)?,
        false => sqlite::marked(&path),
    };
    if position >= in_file {
        return Ok(());
    }
    Err(HubError::Elsewhere(format!(
        "the journal of `{}` is a file, and the database `{shown}` has not all of it: callboard journal import --to \
         URL carries it over, and goes on where it was cut short; or, to begin anew, move `{FILE}` and `{FILE}-mark` \
         away",
        data_dir.display()
    )))
}

/// Why the database does not do: one that is away is worth another try, and of all else somebody has to see.
#[cfg(feature = "postgres")]
pub(super) fn refused(error: OpenError) -> HubError {
    let kind = if matches!(error, OpenError::Unreachable { .. }) { HubError::Unreachable } else { HubError::Database };
    kind(error.to_string())
}

/// What this machine's clock counts that nobody sets.
#[cfg(feature = "postgres")]
fn elapsed() -> Elapsed {
    Elapsed(u64::try_from(since_boot().as_millis()).unwrap_or(u64::MAX))
}

/// What the database keeps beside the journal; from this data directory where it has nothing yet.
#[cfg(feature = "postgres")]
async fn vault(reader: PgReader, data_dir: &Path) -> Result<Arc<dyn Vault>, HubError> {
    let folder = Folder::at(data_dir);
    let opened = tokio::task::spawn_blocking(move || PgVault::open(&reader, &*folder)).await;
    let opened = opened.map_err(std::io::Error::other).flatten();
    let vault = opened.map_err(|error| HubError::Database(format!("failed to use the tokens and secrets: {error}")))?;
    Ok(Arc::new(vault))
}

#[cfg(not(feature = "postgres"))]
#[expect(clippy::unused_async, reason = "as the one that opens a database")]
async fn database(_: &HubSettings, _: &str, _: Option<SecretString>, _: Option<&Owned>) -> Result<Opened, HubError> {
    Err(HubError::Elsewhere("this callboard was built without PostgreSQL: build it with `--features postgres`".into()))
}
