//! Why a call is not taken.

use thiserror::Error;

use super::signature::Unsigned;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotTaken {
    #[error("no source of that name is set in `webhooks.in`")]
    Unknown,
    #[error(transparent)]
    Unsigned(#[from] Unsigned),
    #[error("the delivery has no id: it needs the header `{0}` with 1 to 200 printable characters")]
    NoId(&'static str),
    #[error("the body is not JSON: {0}")]
    NoJson(String),
    #[error("the payload says more than {} MiB, beside long lists and texts", .0 / 1024 / 1024)]
    TooMuch(usize),
    #[error(
        "the source `{source_name}` does not speak for {repository}: list it under \
         `webhooks.in.{source_name}.repositories` in hub.yaml, or take the webhook away there"
    )]
    NotIts { source_name: String, repository: String },
    #[error("the payload does not say what a delivery of this sort says: `{field}`: {what}")]
    Field {
        /// Its path in the payload, with dots.
        field: String,
        what: String,
    },
}
