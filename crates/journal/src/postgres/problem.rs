//! Why a journal in a database is not opened, each with what to do.

use std::path::PathBuf;

use thiserror::Error;
use tokio_postgres::error::SqlState;

use crate::domain::node::Level;
use crate::entry::Seq;

/// The layout that this hub writes.
pub(super) const SCHEMA: i32 = 1;

/// What a hub of this version writes. It is raised with any form of a record or row that an older one cannot read.
pub(super) const LEVEL: Level = Level(1);

/// The oldest release of PostgreSQL that will do.
pub(super) const OLDEST_SERVER: i64 = 15;

/// Why the journal was not opened. `place` is the database without user and password.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OpenError {
    #[error("the address of the database cannot be read ({detail}): write `postgres://USER@HOST/DATABASE`")]
    Address {
        /// What the parser says.
        detail: String,
    },
    #[error("`{host}` is another machine: add `?sslmode=verify-full` to the address of the database")]
    NotVerified { host: String },
    #[error("the database `{place}` cannot be reached ({detail}): start it, or mend its address")]
    Unreachable {
        place: String,
        /// What the system says.
        detail: String,
    },
    #[error(
        "the database `{place}` does not accept the user or the password: check CALLBOARD_STORE_PASSWORD or \
         `storePasswordFile`, and `pg_hba.conf`"
    )]
    Password { place: String },
    #[error("there is no database at `{place}`: make it with `createdb`")]
    NoDatabase { place: String },
    #[error("the user has no right to keep a journal in `{place}` ({detail}): make the user its owner")]
    NoRight {
        place: String,
        /// What the server says.
        detail: String,
    },
    #[error(
        "the server of `{place}` is PostgreSQL {found}, and {OLDEST_SERVER} is the oldest that will do: upgrade it"
    )]
    OldServer { place: String, found: i64 },
    #[error(
        "the server of `{place}` runs with `{setting} = off`, so that a power loss takes what was acknowledged: \
         turn it on"
    )]
    NotDurable {
        place: String,
        /// The setting, as PostgreSQL calls it.
        setting: &'static str,
    },
    #[error("the server of `{place}` is read-only, as a standby is: name the primary, or promote this one")]
    ReadOnly { place: String },
    #[error(
        "the database `{place}` keeps text as `{found}`: make one with `createdb --encoding UTF8 --template template0`"
    )]
    Encoding {
        place: String,
        /// The encoding, as PostgreSQL calls it.
        found: String,
    },
    #[error("the database `{place}` holds tables of something else (`{table}`): choose an empty one")]
    Foreign { place: String, table: String },
    #[error(
        "the journal in `{place}` was made by a newer callboard (layout {found}, this one knows {SCHEMA}): start \
         that version"
    )]
    Newer { place: String, found: i32 },
    #[error(
        "a pooler in transaction mode stands before `{place}` ({detail}): name the server itself, or a pooler in \
         session mode that lets `options` pass"
    )]
    Pooler { place: String, detail: String },
    #[error("the journal in `{place}` was changed by another tool ({detail}): restore a backup of the database")]
    Changed {
        place: String,
        /// What is not as it was made.
        detail: String,
    },
    #[error(
        "`{folder}` belongs to the house {known}, and the database `{place}` holds the house {found}: name the other \
         database, or another `--data-dir`"
    )]
    OtherHouse { place: String, folder: PathBuf, known: String, found: String },
    #[error(
        "`{folder}` belongs to the house {known}, and the database `{place}` is empty: name the other database, or \
         another `--data-dir`"
    )]
    Empty { place: String, folder: PathBuf, known: String },
    #[error(
        "the journal in `{place}` ends at record {found}, and {marked} were acknowledged here: {} are missing. A \
         standby that was behind was promoted, or an old backup restored: bring the newest copy back",
        .marked.0 - .found.0
    )]
    Behind { place: String, found: Seq, marked: Seq },
    #[error(
        "a hub has `{place}` open ({connections} connections): stop it first, for an import must be the only one there"
    )]
    InUse { place: String, connections: u64 },
    #[error(
        "the journal in `{place}` is held by one of several hubs: start this one with `node.name`, too, or stop that \
         one with SIGTERM, which gives the journal away"
    )]
    Held { place: String },
    #[error(
        "a hub without `node.name` has the journal in `{place}`, and is connected: stop it; to run several hubs, give \
         each of them a `node.name`"
    )]
    Alone { place: String },
    #[error(
        "another process runs as the node `{name}` on `{place}`, and counts: stop it, or give this one another \
         `node.name`"
    )]
    NameTaken { place: String, name: String },
    #[error(
        "the journal of `{place}` went home to {went}, and what was written there since is not in the database: remove \
         `store`, or carry it back with `callboard journal import --to` and the database's address"
    )]
    WentHome {
        place: String,
        /// Which file, and when.
        went: String,
    },
    #[error(
        "a newer callboard has written into the journal in `{place}` (level {found}, this one knows {}): start that \
         version",
        LEVEL.0
    )]
    NewerLevel { place: String, found: i32 },
    #[error(
        "an import into `{place}` was cut short, and the database has not all of the journal: run `callboard journal \
         import --to` with its address again, which goes on from there"
    )]
    Unfinished { place: String },
    #[error("the disk of the database `{place}` is full: make room there")]
    Full { place: String },
    #[error("failed to open the journal in `{place}`: {detail}")]
    Fault {
        place: String,
        /// What the server or the system says.
        detail: String,
    },
}

impl OpenError {
    pub(super) fn of(place: &str, error: &tokio_postgres::Error) -> Self {
        let (place, detail) = (place.to_owned(), said(error));
        let Some(code) = error.code() else {
            // What the client says by itself when the server asks for one.
            let is_asked_for = detail.ends_with("password missing");
            return if is_asked_for { Self::Password { place } } else { Self::Unreachable { place, detail } };
        };
        match *code {
            SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => Self::Password { place },
            SqlState::INVALID_CATALOG_NAME => Self::NoDatabase { place },
            SqlState::INSUFFICIENT_PRIVILEGE => Self::NoRight { place, detail },
            SqlState::READ_ONLY_SQL_TRANSACTION => Self::ReadOnly { place },
            SqlState::DISK_FULL => Self::Full { place },
            SqlState::UNDEFINED_TABLE | SqlState::UNDEFINED_COLUMN => Self::Changed { place, detail },
            // The first is what a pooler says of what it does not know when it is asked.
            SqlState::PROTOCOL_VIOLATION | SqlState::INVALID_SQL_STATEMENT_NAME | SqlState::DUPLICATE_PSTATEMENT => {
                Self::Pooler { place, detail }
            }
            SqlState::CANNOT_CONNECT_NOW | SqlState::TOO_MANY_CONNECTIONS => Self::Unreachable { place, detail },
            _ => Self::Fault { place, detail },
        }
    }
}

/// What an error says, with its cause: the library's own text leaves that out.
pub(super) fn said(error: &tokio_postgres::Error) -> String {
    if let Some(server) = error.as_db_error() {
        return server.message().to_owned();
    }
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
