//! Why a call is not taken.

use thiserror::Error;

use super::signature::Unsigned;

/// Why a call is not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotTaken {
    /// Nobody may call under this name.
    #[error("no source of that name is set in `webhooks.in`")]
    Unknown,
    /// It is not its source's.
    #[error(transparent)]
    Unsigned(#[from] Unsigned),
    /// It has no id, or none that can be kept.
    #[error("the delivery has no id: it needs the header `{0}` with 1 to 200 printable characters")]
    NoId(&'static str),
    /// Its body is no JSON.
    #[error("the body is not JSON: {0}")]
    NoJson(String),
    /// A field is missing, or is not as it must be.
    #[error("the payload does not say what a delivery of this sort says: `{field}`: {what}")]
    Field {
        /// Its path in the payload, with dots.
        field: String,
        /// What is wrong with it.
        what: String,
    },
}
