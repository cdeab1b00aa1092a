//! Why the file of transcripts could not be used.

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the transcripts of terminals cannot be used: {0}")]
pub struct TranscriptFault(pub String);

impl From<rusqlite::Error> for TranscriptFault {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}
