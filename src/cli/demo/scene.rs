//! What is said in the round. The scripts compare with these words, so they stand in one place.

/// The agent that is called.
pub(super) const FIRST: Part = Part { id: "fullstack-1", role: "full-stack-engineer", name: "FullStack" };
/// The agent that it delegates to.
pub(super) const SECOND: Part = Part { id: "tester-1", role: "test-engineer", name: "TestEngineer" };

/// What the asker wants.
pub(super) const ASKED: &str = "implement login";
/// How far the first agent says it is.
pub(super) const PROGRESS: &str = "the form is there, now the tests";
/// What the first agent wants of the second.
pub(super) const DELEGATED: &str = "test login";
/// What the second agent reports.
pub(super) const TESTED: &str = "12 tests pass";
/// What the first agent reports.
pub(super) const DONE: &str = "login is implemented and tested";

/// An agent of the round.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Its id.
    pub(super) id: &'static str,
    /// Its role.
    pub(super) role: &'static str,
    /// Its display name.
    pub(super) name: &'static str,
}
