//! What `causes` does, tried.

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
