//! What is wrong with a field that somebody wrote.

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{field}`: {said}")]
pub struct BadField {
    pub field: &'static str,
    /// What is wrong with it, and what would be right.
    pub said: String,
}

impl BadField {
    pub(super) fn new(field: &'static str, said: impl Into<String>) -> Self {
        Self { field, said: said.into() }
    }
}
