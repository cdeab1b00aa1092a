//! Refusals of people's verbs, and texts of people on their way in.

use std::fmt::Display;

use crate::actors::common::Fault;
use crate::domain::principal::Scope;
use crate::domain::text::clean;
use crate::journal::ReadError;
use crate::tools::texts::LINE_LIMIT;
use crate::tools::{Refusal, Result, refuse};

/// The longest text that a person says, in bytes.
const TEXT_LIMIT: usize = 64 * 1024;

/// A text that is not empty, within 64 KiB, cleaned.
pub(super) fn words(field: &str, given: &str) -> Result<String> {
    within(TEXT_LIMIT, field, given)
}

/// The same for what stands in lists.
pub(super) fn line(field: &str, given: &str) -> Result<String> {
    within(LINE_LIMIT, field, given)
}

fn within(limit: usize, field: &str, given: &str) -> Result<String> {
    if given.len() > limit {
        let message = format!("`{field}` has {} bytes; {limit} is the most", given.len());
        return Err(Refusal::without_advice("TEXT_TOO_LONG", message).detail("field", field).detail("limit", limit));
    }
    // Normalisation may lengthen a text: one within its limit stays whole.
    let text = clean(given, limit.saturating_mul(3)).text;
    if text.trim().is_empty() { Err(argument(field, "must not be empty")) } else { Ok(text) }
}

pub(super) fn argument(field: &str, what: impl Display) -> Refusal {
    Refusal::without_advice("INVALID_ARGUMENTS", format!("`{field}`: {what}")).detail("field", field)
}

pub(super) fn scope(needs: Scope) -> Refusal {
    Refusal::without_advice("INSUFFICIENT_SCOPE", format!("your credential has not the scope `{needs}`"))
        .detail("needs", needs.to_string())
}

pub(super) fn no_such_task(given: &str) -> Refusal {
    refuse::no_such_task(given).unadvised()
}

/// The hub is busy, or its disk fails.
pub fn fault(error: Fault) -> Refusal {
    refuse::fault(error).unadvised()
}

pub(super) fn read(error: &ReadError) -> Refusal {
    Refusal::without_advice("UNAVAILABLE", error.to_string())
}
