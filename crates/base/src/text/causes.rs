//! An error as a sentence, with all that led to it.

use std::error::Error;

/// An error's words, and behind a colon those of each error that caused it. A URL in it may hold a secret: take
/// it out before.
#[must_use]
pub fn with_causes(error: &dyn Error) -> String {
    let (mut words, mut cause) = (error.to_string(), error.source());
    while let Some(because) = cause {
        words = format!("{words}: {because}");
        cause = because.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::with_causes;

    #[derive(Debug, thiserror::Error)]
    #[error("the hub does not start")]
    struct Outer(#[source] Inner);

    #[derive(Debug, thiserror::Error)]
    #[error("no port is left")]
    struct Inner(#[source] std::fmt::Error);

    #[test]
    fn every_cause_is_said_in_its_order() {
        let last = std::fmt::Error;
        assert_eq!(with_causes(&last), last.to_string());
        assert_eq!(with_causes(&Outer(Inner(last))), format!("the hub does not start: no port is left: {last}"));
    }
}
