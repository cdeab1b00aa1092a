//! A PostgreSQL of one story, in a folder of its own.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Ends when this is dropped, or with this process: its input is our end of a pipe.
pub(super) struct Server {
    process: Child,
    folder: PathBuf,
}

impl Server {
    pub(super) fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/postgres/server");
        let mut process = Command::new(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "no PostgreSQL: run tests/postgres/run, which installs it");
        Self { process, folder: PathBuf::from(line.trim()) }
    }

    /// The address of a database that is there from the start.
    pub(super) fn url(&self) -> String {
        self.url_of("postgres")
    }

    pub(super) fn url_of(&self, database: &str) -> String {
        format!("postgres://callboard@{}/{database}", self.folder.display().to_string().replace('/', "%2F"))
    }

    /// Runs SQL as the owner of everything.
    pub(super) fn sql(&self, sql: &str) {
        let mut psql = Command::new("psql");
        psql.arg("-h").arg(&self.folder).args(["-U", "callboard", "-d", "postgres", "-qtAX", "-c", sql]);
        let done = psql.output().unwrap();
        assert!(done.status.success(), "{sql}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

impl Server {
    /// Sends all of its processes a signal.
    pub(super) fn is_sent(&self, signal: &str) {
        let pids = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        let first = pids.lines().next().unwrap();
        let sent = format!("kill {signal} {first} $(pgrep -P {first})");
        assert!(Command::new("sh").args(["-c", &sent]).status().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        drop(self.process.wait());
    }
}
