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
    /// It says more than is kept of any.
    #[error("the payload says more than {} MiB, beside long lists and texts", .0 / 1024 / 1024)]
    TooMuch(usize),
    /// It is about a repository for which its source does not speak.
    #[error(
        "the source `{source_name}` does not speak for {repository}: list it under \
         `webhooks.in.{source_name}.repositories` in hub.yaml, or take the webhook away there"
    )]
    NotIts {
        source_name: String,
        /// What it is about.
        repository: String,
    },
    /// A field is missing, or is not as it must be.
    #[error("the payload does not say what a delivery of this sort says: `{field}`: {what}")]
    Field {
        /// Its path in the payload, with dots.
        field: String,
        /// What is wrong with it.
        what: String,
    },
}
