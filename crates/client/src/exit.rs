//! What the exit code says.
//!
//! Scripts rely on it, so a code never changes its meaning, and the same mistake ends with the same code whether the
//! command finds it or the hub: [`Exit::of`] reads the one table of what the hub finds.

use std::process::ExitCode;

use crate::domain::refusal;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// As it was asked.
    Done,
    /// Something broke, here or in the hub; the same command may succeed later.
    Failed,
    /// A setting, a flag or an argument is wrong.
    Configuration,
    /// The hub said no: the rights, the state of things, a limit.
    Refused,
    /// There is no such thing.
    NotFound,
    /// No hub answers, or what the hub or `doctor` calls does not.
    Unreachable,
    /// What a hosted program ended with, as a shell would say it.
    Hosted(u8),
}

impl Exit {
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Configuration => 2,
            Self::Refused => 3,
            Self::NotFound => 4,
            Self::Unreachable => 5,
            Self::Hosted(code) => code,
        }
    }

    /// What a refusal of the hub means: its stable code, and the status that it came with.
    #[must_use]
    pub fn of(status: u16, code: &str) -> Self {
        match refusal::find(code).and_then(|row| row.exit) {
            Some(2) => Self::Configuration,
            Some(5) => Self::Unreachable,
            Some(_) | None => Self::of_status(status),
        }
    }

    /// The same for a refusal that has no status of its own, as one of several things that were asked for at once. A
    /// code that this version does not know is a no all the same.
    #[must_use]
    pub fn of_code(code: &str) -> Self {
        refusal::find(code).map_or(Self::Refused, |row| Self::of(row.status, code))
    }

    /// What an answer means by its status alone; only asked of answers that are no success.
    #[must_use]
    pub const fn of_status(status: u16) -> Self {
        match status {
            400 => Self::Configuration,
            404 => Self::NotFound,
            401..=499 => Self::Refused,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each code that a command may hear, by the way in which the command ends then.
    const TABLE: [(Exit, &str); 5] = [
        (Exit::Failed, "BUSY INTERNAL STORAGE_FAILED STORAGE_FULL UNAVAILABLE"),
        (
            Exit::Configuration,
            "ANSWER_NOT_AN_OPTION BLOCKED_REASON_MISSING COMMENT_MISSING CURSOR_INVALID DEFAULT_NOT_AN_OPTION \
             DIFF_INVALID FORGE_OFF HOST_TOO_NEW ID_TOO_SHORT INVALID_ARGUMENTS INVALID_CONFIDENCE INVALID_JSON \
             INVALID_REGEX INVALID_REQUEST INVALID_SESSION_ID LINK_INVALID NOTHING_TO_REVIEW SESSION_REQUIRED \
             WEBHOOK_UNUSABLE",
        ),
        (
            Exit::Refused,
            "ACTOR_NOT_RESTARTABLE ALREADY_RESOLVED BODY_TOO_LARGE CHANGES_REQUESTED COMMENTS_FULL \
             DELEGATION_CYCLE DELEGATION_DENIED DELEGATION_TOO_DEEP DELIVERY_WRONG_STATE DEPENDENCY_CYCLE \
             DEPENDENCY_FAILED EVICTED EVIDENCE_MISSING FILE_NOT_READABLE FORBIDDEN FORGE_REFUSED \
             FORGE_UNAUTHORIZED HOOK_PAYLOAD_INVALID HOOK_REPOSITORY_NOT_LISTED HOST_PREFIX_TAKEN \
             IDEMPOTENCY_KEY_REUSED IDENTITY_MISMATCH ID_AMBIGUOUS INPUT_UNDELIVERED INSUFFICIENT_SCOPE \
             INVALID_TRANSITION LATE_ANSWERS_FULL LEASE_LOST LOGIN_CODE_INVALID MERGE_BLOCKED MESSAGE_DENIED \
             METHOD_NOT_ALLOWED NOTICES_FULL NOT_A_HUMAN NOT_A_PERSONS_ANSWER NOT_PERMITTED NOT_REGISTERED \
             NOT_SAFE_TO_TYPE NOT_YOURS_TO_JUDGE NO_INPUT_PROMPT NO_PAGE_SESSION NO_TASK PROMPT_CHANGED \
             PROMPT_SECRET PR_BUSY PR_LIMIT PR_NOT_OPEN QUESTION_OPEN QUEUE_FULL RATE_LIMITED REPOSITORY_CHANGED \
             REPOSITORY_NOT_ALLOWED REVIEW_CHANGED REVIEW_FULL RUN_WRONG_STATE SCHEDULE_EXISTS \
             SCHEDULE_IN_SETTINGS SCHEDULE_LIMIT SESSION_ALREADY_EXISTS SIGNATURE_INVALID SIGNATURE_MISSING \
             SIGNATURE_TOO_OLD SUPERSEDED TASK_CANCELLED TASK_CLOSED TASK_WRONG_STATE TERMINAL_HOSTED \
             TERMINAL_NOT_HOSTED TEXT_TOO_LONG TIMEOUT UNAUTHENTICATED UNSUPPORTED_MEDIA_TYPE WEBHOOK_EXISTS \
             WEBHOOK_IN_SETTINGS WEBHOOK_LIMIT WORKFLOW_ENDED WORKFLOW_FULL WORKFLOW_MOVED",
        ),
        (
            Exit::NotFound,
            "ACTOR_NOT_FOUND AGENT_NOT_FOUND COMMENT_NOT_FOUND DELIVERY_NOT_FOUND DEPENDENCY_UNKNOWN \
             FILE_NOT_FOUND HOOK_NOT_FOUND NOT_FOUND NO_OAUTH PATTERN_NOT_FOUND PR_NOT_FOUND QUESTION_NOT_FOUND \
             REVIEW_NOT_FOUND ROLE_UNKNOWN RUN_NOT_FOUND SCHEDULE_NOT_FOUND SESSION_NOT_FOUND \
             TARGET_UNKNOWN TASK_NOT_FOUND TOKEN_NOT_FOUND UNKNOWN_TOOL \
             WEBHOOK_NOT_FOUND WORKFLOW_NOT_FOUND WORKFLOW_UNKNOWN",
        ),
        (Exit::Unreachable, "FORGE_LIMITED FORGE_UNREACHABLE"),
    ];

    #[test]
    fn every_code_of_the_hub_ends_a_command_in_one_way() {
        let mut listed: Vec<_> =
            TABLE.iter().flat_map(|(exit, codes)| codes.split_whitespace().map(move |code| (code, *exit))).collect();
        listed.sort_unstable();
        let found: Vec<_> = refusal::codes().iter().map(|row| (row.code, Exit::of(row.status, row.code))).collect();
        assert_eq!(found, listed);
    }
}
