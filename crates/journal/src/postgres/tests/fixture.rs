//! One server for all tests of this process, and databases in it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::super::{DatabasePlace, Holder, PgReader, PgStore, open};
use crate::domain::node::{Incarnation, NodeId};

/// A server that ends when this is dropped, or with this process.
pub(crate) struct Server {
    process: Child,
    folder: PathBuf,
}

impl Server {
    /// Started with these further settings, as `-c fsync=off`.
    pub(crate) fn start(settings: &[&str]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/postgres/server");
        let mut command = Command::new(script);
        let mut process = command.args(settings).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "no PostgreSQL: run tests/postgres/run, which installs it");
        Self { process, folder: PathBuf::from(line.trim()) }
    }

    /// The address of a database there.
    pub(crate) fn url(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@{}/{database}", self.folder.display().to_string().replace('/', "%2F"))
    }

    /// Runs SQL as the owner of everything.
    pub(crate) fn sql(&self, database: &str, sql: &str) -> String {
        let mut psql = Command::new("psql");
        psql.arg("-h")
            .arg(&self.folder)
            .args(["-U", "callboard", "-d", database, "-qtAX", "-v", "ON_ERROR_STOP=1", "-c", sql]);
        let done = psql.output().unwrap();
        assert!(done.status.success(), "{sql}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    /// Makes a database, with further words for `CREATE DATABASE`.
    pub(crate) fn database(&self, more: &str) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("of_test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name} {more}"));
        name
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        drop(self.process.wait());
    }
}

/// The server of all tests. Its input is this process's end of a pipe, which ends with the process.
pub(crate) static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start(&[]));

/// The database in which each test has a team of its own.
pub(crate) static TEAMS: LazyLock<String> = LazyLock::new(|| SERVER.database(""));

/// A journal of its own.
pub(crate) struct InDatabase {
    pub(crate) store: PgStore,
    pub(crate) reader: PgReader,
    pub(crate) place: DatabasePlace,
    pub(crate) team: String,
    pub(crate) folder: tempfile::TempDir,
}

impl InDatabase {
    pub(crate) fn begun() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let team = format!("team-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        Self::at(team, tempfile::tempdir().unwrap())
    }

    pub(crate) fn at(team: String, folder: tempfile::TempDir) -> Self {
        let place = DatabasePlace::parse(&SERVER.url("callboard", &TEAMS), None, &team, folder.path()).unwrap();
        let (store, reader) = open(&place).unwrap();
        Self { store, reader, place, team, folder }
    }

    /// Runs SQL in its database.
    pub(crate) fn sql(&self, sql: &str) -> String {
        SERVER.sql(&TEAMS, sql)
    }

    /// Opens it beside this one, as a node that has just taken the team does.
    pub(crate) fn taken(&self) -> (PgStore, PgReader) {
        self.sql(&format!("UPDATE team SET node = 99, life = 1 WHERE name = '{}'", self.team));
        let holder = Holder { node: NodeId(99), incarnation: Incarnation(1) };
        open(&self.place.clone().held_by(Some(holder))).unwrap()
    }

    /// Its number there.
    pub(crate) fn number(&self) -> String {
        self.sql(&format!("SELECT id FROM team WHERE name = '{}'", self.team))
    }
}
