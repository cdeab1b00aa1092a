//! Every code that a refusal may carry, once: what it means, and which status plain HTTP answers with.
//!
//! The machines below name their refusals by text; here the text gets its status. A code that is missing here is a
//! programming error that the tests find.

/// One code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The stable text, as `TASK_NOT_FOUND`.
    pub code: &'static str,
    /// What plain HTTP answers with.
    pub status: u16,
    /// What it means, for the API description.
    pub meaning: &'static str,
}

const fn row(code: &'static str, status: u16, meaning: &'static str) -> Code {
    Code { code, status, meaning }
}

/// Every code, by its text.
pub const CODES: &[Code] = &[
    row("AGENT_NOT_FOUND", 404, "no agent of that id is registered"),
    row("ALREADY_RESOLVED", 409, "the question has its answer; `details.resolution` says which"),
    row("BLOCKED_REASON_MISSING", 400, "a BLOCKED response must say what is needed"),
    row("BUSY", 503, "an actor's mailbox is full; nothing was done; try again shortly"),
    row("COMMENT_MISSING", 400, "changes are wanted, and none is named"),
    row("COMMENT_NOT_FOUND", 404, "no such comment, or not about the caller's work"),
    row("DELEGATION_CYCLE", 409, "the target is in the chain of those who asked"),
    row("DELEGATION_DENIED", 403, "the caller's rights, or those of the chain behind it, do not include the target"),
    row("DELEGATION_TOO_DEEP", 403, "the work was delegated too many times"),
    row("DEPENDENCY_CYCLE", 409, "the dependencies form a ring"),
    row("DEPENDENCY_FAILED", 409, "a dependency ended without completing"),
    row("DEPENDENCY_UNKNOWN", 404, "a dependency is not a task"),
    row("DIFF_INVALID", 400, "what is handed in as a diff is no unified diff"),
    row("EVICTED", 409, "the agent was sent away and must hear how before it registers again"),
    row("IDEMPOTENCY_KEY_REUSED", 409, "the key was used within 24 h for another request"),
    row("IDENTITY_MISMATCH", 403, "`agentId` is not the agent that the credential belongs to"),
    row("INSUFFICIENT_SCOPE", 403, "the credential does not allow this"),
    row("INVALID_ARGUMENTS", 400, "an argument is missing, unknown or of the wrong type"),
    row("LEASE_LOST", 409, "somebody else holds the task now, or the number is an old one"),
    row("MESSAGE_DENIED", 403, "the caller may neither delegate to that agent nor reports to it"),
    row("NOTHING_TO_REVIEW", 400, "neither a diff nor a pull request is handed in"),
    row("NOT_REGISTERED", 409, "the agent must register first"),
    row("NOT_YOURS_TO_JUDGE", 403, "only people approve and request changes"),
    row("NO_TASK", 409, "the agent holds no task, or several and names none"),
    row("QUEUE_FULL", 429, "as many tasks wait as may"),
    row("REVIEW_FULL", 409, "the review has as many rounds or comments as it may hold"),
    row("REVIEW_NOT_FOUND", 404, "the task was not submitted for review yet"),
    row("SESSION_NOT_FOUND", 404, "no such session, or not the caller's"),
    row("SUPERSEDED", 409, "a newer registration of the same agent has taken over"),
    row("TARGET_UNKNOWN", 404, "nobody is called that"),
    row("TASK_CANCELLED", 409, "the task was called off"),
    row("TASK_CLOSED", 409, "the task has ended"),
    row("TASK_NOT_FOUND", 404, "no such task, or not the caller's"),
    row("TASK_WRONG_STATE", 409, "the task's state does not allow this"),
    row("TEXT_TOO_LONG", 413, "a text exceeds its limit"),
    row("UNAVAILABLE", 503, "the hub could not do it; whether it was done is not known; repeat with the same key"),
    row("UNKNOWN_TOOL", 404, "no tool of that name"),
];

/// The status that goes with a code; 500 for one that is not listed.
#[must_use]
pub fn status_of(code: &str) -> u16 {
    CODES.iter().find(|row| row.code == code).map_or(500, |row| row.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_unique_so_that_a_list_of_them_reads_well() {
        assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
    }

    #[test]
    fn a_code_that_is_not_listed_is_our_fault_and_not_the_callers() {
        assert_eq!(status_of("TASK_NOT_FOUND"), 404);
        assert_eq!(status_of("NO_SUCH_CODE"), 500);
    }
}
