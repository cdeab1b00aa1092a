//! What a refusal comes to at a command line: here the hub's codes and the commands are both known.

use super::exit::Exit;
use crate::tools::CODES;
use crate::transport::web::DOOR_CODES;

/// How a command ends by a refusal that has no status of its own, as one of several things that were asked for at once.
/// A code that this version does not know is a no all the same.
pub(super) fn exit_of(code: &str) -> Exit {
    codes().find(|(_, known)| *known == code).map_or(Exit::Refused, |(status, _)| Exit::of(status, code))
}

/// Each code that the hub answers with, and its status.
fn codes() -> impl Iterator<Item = (u16, &'static str)> {
    let codes = CODES.iter().map(|row| (row.status, row.code));
    codes.chain(DOOR_CODES.iter().map(|row| (row.status, row.code)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::typed::{COMMANDS, next_step};
    use crate::tools::table;

    /// Each code that a command may hear, by the way in which the command ends then.
    const TABLE: [(Exit, &str); 5] = [
        (Exit::Failed, "BUSY INTERNAL STORAGE_FAILED STORAGE_FULL UNAVAILABLE"),
        (
            Exit::Configuration,
            "ANSWER_NOT_AN_OPTION BLOCKED_REASON_MISSING COMMENT_MISSING CURSOR_INVALID DEFAULT_NOT_AN_OPTION \
             DIFF_INVALID FORGE_OFF INVALID_ARGUMENTS INVALID_CONFIDENCE INVALID_JSON INVALID_REGEX \
             INVALID_REQUEST INVALID_SESSION_ID LINK_INVALID NOTHING_TO_REVIEW SESSION_REQUIRED \
             WEBHOOK_UNUSABLE",
        ),
        (
            Exit::Refused,
            "ACTOR_NOT_RESTARTABLE ALREADY_RESOLVED BODY_TOO_LARGE CHANGES_REQUESTED COMMENTS_FULL \
             DELEGATION_CYCLE DELEGATION_DENIED DELEGATION_TOO_DEEP DELIVERY_WRONG_STATE DEPENDENCY_CYCLE \
             DEPENDENCY_FAILED EVICTED EVIDENCE_MISSING FILE_NOT_READABLE FORBIDDEN FORGE_REFUSED \
             FORGE_UNAUTHORIZED HOOK_PAYLOAD_INVALID HOOK_REPOSITORY_NOT_LISTED IDEMPOTENCY_KEY_REUSED \
             IDENTITY_MISMATCH INPUT_UNDELIVERED INSUFFICIENT_SCOPE INVALID_TRANSITION LATE_ANSWERS_FULL \
             LEASE_LOST LOGIN_CODE_INVALID MERGE_BLOCKED MESSAGE_DENIED METHOD_NOT_ALLOWED NOTICES_FULL \
             NOT_A_HUMAN NOT_A_PERSONS_ANSWER NOT_PERMITTED NOT_REGISTERED NOT_SAFE_TO_TYPE NOT_YOURS_TO_JUDGE \
             NO_INPUT_PROMPT NO_PAGE_SESSION NO_TASK PROMPT_CHANGED PROMPT_SECRET PR_BUSY PR_LIMIT PR_NOT_OPEN \
             QUESTION_OPEN QUEUE_FULL RATE_LIMITED REPOSITORY_CHANGED REPOSITORY_NOT_ALLOWED REVIEW_CHANGED \
             REVIEW_FULL SCHEDULE_EXISTS SCHEDULE_IN_SETTINGS SCHEDULE_LIMIT SESSION_ALREADY_EXISTS \
             SIGNATURE_INVALID SIGNATURE_MISSING SIGNATURE_TOO_OLD SUPERSEDED \
             TASK_CANCELLED TASK_CLOSED TASK_WRONG_STATE TERMINAL_HOSTED TERMINAL_NOT_HOSTED TEXT_TOO_LONG \
             TIMEOUT UNAUTHENTICATED UNSUPPORTED_MEDIA_TYPE WEBHOOK_EXISTS WEBHOOK_IN_SETTINGS WEBHOOK_LIMIT \
             WORKFLOW_ENDED",
        ),
        (
            Exit::NotFound,
            "ACTOR_NOT_FOUND AGENT_NOT_FOUND COMMENT_NOT_FOUND DELIVERY_NOT_FOUND DEPENDENCY_UNKNOWN \
             FILE_NOT_FOUND HOOK_NOT_FOUND NOT_FOUND NO_OAUTH PATTERN_NOT_FOUND PR_NOT_FOUND QUESTION_NOT_FOUND \
             REVIEW_NOT_FOUND SCHEDULE_NOT_FOUND SESSION_NOT_FOUND TARGET_UNKNOWN \
             TASK_NOT_FOUND TOKEN_NOT_FOUND UNKNOWN_TOOL \
             WEBHOOK_NOT_FOUND WORKFLOW_NOT_FOUND WORKFLOW_UNKNOWN",
        ),
        (Exit::Unreachable, "FORGE_LIMITED FORGE_UNREACHABLE"),
    ];

    #[test]
    fn every_code_of_the_hub_ends_a_command_in_one_way() {
        let mut codes: Vec<_> = codes().map(|(status, code)| (code, status)).collect();
        codes.sort_unstable();
        codes.dedup();
        let mut listed: Vec<_> =
            TABLE.iter().flat_map(|(exit, codes)| codes.split_whitespace().map(move |code| (code, *exit))).collect();
        listed.sort_unstable();
        let found: Vec<_> = codes.iter().map(|(code, status)| (*code, Exit::of(*status, code))).collect();
        assert_eq!(found, listed);
    }

    #[test]
    fn what_people_type_in_place_of_a_tool_is_for_tools_of_today() {
        let tools: Vec<_> = table().iter().map(|tool| tool.name).collect();
        for (tool, _) in COMMANDS {
            assert!(tools.contains(&tool), "there is no `{tool}`");
        }
    }

    #[test]
    fn what_advice_names_is_a_command_of_today() {
        let tree = crate::cli::args::tree();
        let advice = codes().filter_map(|(status, code)| next_step(status, code));
        for text in advice.chain(COMMANDS.iter().map(|(_, command)| *command)) {
            for command in text.split("callboard ").skip(1) {
                let mut words = command.split(|c: char| !c.is_ascii_lowercase() && c != '-');
                let mut named = tree.find_subcommand(words.next().unwrap_or_default());
                if let Some(noun) = named.filter(|noun| noun.has_subcommands()) {
                    named = noun.find_subcommand(words.next().unwrap_or_default());
                }
                assert!(named.is_some(), "`callboard {command}` is no command");
            }
        }
    }

    #[test]
    fn no_refusal_sends_a_person_to_a_tool() {
        for (status, code) in codes() {
            let Some(next) = next_step(status, code) else { continue };
            for tool in table() {
                assert!(
                    !next.split(|c: char| !c.is_ascii_lowercase() && c != '_').any(|word| word == tool.name),
                    "{code}"
                );
            }
        }
        assert_eq!(next_step(404, "TASK_NOT_FOUND"), Some("callboard task list"));
        assert_eq!(next_step(403, "DELEGATION_DENIED"), None, "no token helps");
    }
}
