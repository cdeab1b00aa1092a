//! A PostgreSQL of one story, in a folder of its own.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Ends when this is dropped, or with this process: its input is our end of a pipe.
pub(crate) struct Server {
    process: Child,
    says: BufReader<ChildStdout>,
    pub(super) folder: PathBuf,
}

impl Server {
    pub(crate) fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/postgres/server");
        let mut process = Command::new(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut line, mut says) = (String::new(), BufReader::new(process.stdout.take().unwrap()));
        says.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "no PostgreSQL: run tests/postgres/run, which installs it");
        Self { process, says, folder: PathBuf::from(line.trim()) }
    }

    /// The address of a database that is there from the start.
    pub(crate) fn url(&self) -> String {
        self.url_of("postgres")
    }

    pub(super) fn url_of(&self, database: &str) -> String {
        format!("postgres://callboard@{}/{database}", host(&self.folder))
    }

    /// Runs SQL as the owner of everything.
    pub(super) fn sql(&self, sql: &str) {
        let mut psql = Command::new("psql");
        psql.arg("-h").arg(&self.folder).args(["-U", "callboard", "-d", "postgres", "-qtAX", "-c", sql]);
        let done = psql.output().unwrap();
        assert!(done.status.success(), "{sql}: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// Sends all of its processes a signal.
    pub(super) fn is_sent(&self, signal: &str) {
        let pids = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        let first = pids.lines().next().unwrap();
        let sent = format!("kill {signal} {first} $(pgrep -P {first})");
        assert!(Command::new("sh").args(["-c", &sent]).status().unwrap().success());
    }

    /// Gives the script an order, and returns once it is carried out.
    pub(super) fn is_told(&mut self, order: &str) {
        writeln!(self.process.stdin.as_mut().unwrap(), "{order}").unwrap();
        let mut done = String::new();
        self.says.read_line(&mut done).unwrap();
        assert_eq!(done.trim(), order, "PostgreSQL did not");
    }
}

/// A folder with a socket, as an address names it.
pub(super) fn host(folder: &Path) -> String {
    folder.display().to_string().replace('/', "%2F")
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        drop(self.process.wait());
    }
}
