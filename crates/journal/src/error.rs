//! Why the journal could not be read.

use thiserror::Error;

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The cursor came from no page of this list.
    #[error("`{given}` is not a cursor of this list: leave it out to begin anew")]
    Cursor {
        /// As it was given.
        given: String,
    },
    /// The store cannot read.
    #[error("the journal cannot be read: {0}")]
    Fault(String),
}
