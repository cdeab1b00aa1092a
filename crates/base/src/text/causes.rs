//! An error as a sentence, with all that led to it.

use std::error::Error;

/// An error's words, and behind a colon those of each error that caused it. A URL in it may hold a secret.
pub fn with_causes(error: &dyn Error) -> String {
    let (mut words, mut cause) = (error.to_string(), error.source());
    while let Some(because) = cause {
        words = format!("{words}: {because}");
        cause = because.source();
    }
    words
}

#[cfg(test)]
mod tests;
