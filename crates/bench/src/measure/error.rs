//! Why a measurement came to nothing. A slow hub is a figure and no error, up to the bounds that no machine excuses.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a measurement came to nothing.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The machine says no.
    #[error("failed to {doing}: {source}")]
    Io {
        /// What was tried.
        doing: String,
        /// What the system says.
        source: io::Error,
    },
    /// A child process is not there.
    #[error("`{server}` did not start: {reason}")]
    Start {
        server: String,
        /// Why, as far as is known.
        reason: String,
    },
    /// An answer was not the one that the measurement stands on.
    #[error("`{asked}` was answered with {status}: {body}")]
    Answer {
        /// What was asked.
        asked: String,
        status: u16,
        /// What came, shortened.
        body: String,
    },
    /// Something that must come did not.
    #[error("waited {seconds} s for {what}")]
    Late { what: String, seconds: u64 },
    /// The process may not open enough files.
    #[error("`{needed}` open files are needed and {allowed} are allowed: raise it with `ulimit -n {needed}`")]
    Files {
        /// How many it takes.
        needed: u64,
        /// The soft limit of this process.
        allowed: u64,
    },
    /// The hub was not built in the profile of this program.
    #[error("`{}` is not there: build it first, in the same profile, with `cargo build --bin callboard`", .0.display())]
    NoHub(PathBuf),
    /// Bounds are broken, each as what was measured.
    #[error("a bound is broken: {}", .0.join("; "))]
    Broken(Vec<String>),
    /// The floor's own database, or the journal that a start is measured on.
    #[error("failed to use the database: {0}")]
    Database(String),
}

impl BenchError {
    /// From the system's word, with what was tried.
    pub(super) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}

impl From<rusqlite::Error> for BenchError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.to_string())
    }
}
