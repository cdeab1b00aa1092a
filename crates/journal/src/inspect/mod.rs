//! What operators do with a journal from outside, also while a hub uses it: `callboard journal verify|export|backup`.
//!
//! All three read one snapshot, and the hub goes on meanwhile. Only `restore` asks that no hub runs.

mod backup;
mod deliveries;
mod export;
mod restore;
mod verify;

#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use backup::backup;
pub use export::export;
pub use restore::restore;
#[cfg(feature = "postgres")]
pub(crate) use verify::difference;
pub use verify::{VerifyReport, verify, verify_reader};

use super::sqlite::OpenError;
use super::store::ReadError;

#[derive(Debug, Error)]
pub enum InspectError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("`{0}` is no copy of a journal: name a file that `callboard journal backup` has made")]
    NoCopy(PathBuf),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("`{path}` breaks {in_all} promises, the first: {first}")]
    Unsound { path: PathBuf, first: String, in_all: usize },
    /// Whoever was to read what is written went away: nothing is wrong.
    #[error("nobody reads on")]
    Unread,
    #[error("failed to write `{what}`: {detail}")]
    Write {
        /// The file, or `the export`.
        what: String,
        detail: String,
    },
}

impl From<rusqlite::Error> for InspectError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Read(error.into())
    }
}

fn cannot(what: &Path, error: &dyn Display) -> InspectError {
    InspectError::Write { what: what.display().to_string(), detail: error.to_string() }
}
