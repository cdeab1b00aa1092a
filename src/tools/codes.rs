//! Every code that a refusal may carry, once: what it means, and which status plain HTTP answers with.
//!
//! The machines below name their refusals by text; here the text gets its status. A test finds a code that is missing.

mod code;
mod forge;

pub use code::Code;
use code::row;

/// No such session, or not the caller's.
pub(super) const SESSION_NOT_FOUND: &str = "SESSION_NOT_FOUND";

/// Every code, by its text.
pub const CODES: &[Code] = &[
    row("AGENT_NOT_FOUND", 404, "no agent of that id is registered", "Call list_agents to see who is there."),
    row(
        "ALREADY_RESOLVED",
        409,
        "the question has its answer; `details.resolution` says which",
        "Go on with the answer that the question has.",
    ),
    row(
        "ANSWER_NOT_AN_OPTION",
        400,
        "the answer is none of the options, and the question allows no other",
        "Answer with one of the options in `details.options`, or in own words with `ownWords: true`.",
    ),
    row(
        "BLOCKED_REASON_MISSING",
        400,
        "a BLOCKED response must say what is needed",
        "Call send_response again with blockedReason: say what you need, and from whom.",
    ),
    row(
        "BUSY",
        503,
        "an actor's mailbox is full; nothing was done; try again shortly",
        "Wait a few seconds, then repeat the same call with the same idempotencyKey.",
    ),
    row(
        "CHANGES_REQUESTED",
        409,
        "a reviewer sent the task back, and what they want was not heard yet: the message says it",
        "Call wait_for_prompt: the task comes back with every comment.",
    ),
    row(
        "COMMENTS_FULL",
        409,
        "the task has as many comments as it may hold",
        "Say it where the work is asked for next: nothing more is kept with this task.",
    ),
    row("COMMENT_MISSING", 400, "changes are wanted, and none is named", "Name at least one change in comments."),
    row(
        "COMMENT_NOT_FOUND",
        404,
        "no such comment, or not about the caller's work",
        "Call get_review_comments to see what there is.",
    ),
    row(
        "DEFAULT_NOT_AN_OPTION",
        400,
        "the default of a question with options must be one of them",
        "Call request_input again with a default_action that is one of the options, to the letter.",
    ),
    row(
        "DELEGATION_CYCLE",
        409,
        "the target is in the chain of those who asked",
        "Do the work yourself, or report BLOCKED and say who should do it.",
    ),
    row(
        "DELEGATION_DENIED",
        403,
        "the caller's rights, or those of the chain behind it, do not include the target",
        "Do the work yourself, or report BLOCKED and say who should do it.",
    ),
    row(
        "DELEGATION_TOO_DEEP",
        403,
        "the work was delegated too many times",
        "Do the work yourself, or report BLOCKED and say who should do it.",
    ),
    row(
        "DEPENDENCY_CYCLE",
        409,
        "the dependencies form a ring",
        "Leave that task out of `dependencies`, and assign the new one to whoever it is for.",
    ),
    row(
        "DEPENDENCY_FAILED",
        409,
        "a dependency ended without completing",
        "Retry that task first, or leave it out of `dependencies`.",
    ),
    row(
        "DEPENDENCY_UNKNOWN",
        404,
        "a dependency is not a task",
        "Leave it out, or give the id that assign_task answered with.",
    ),
    row(
        "DIFF_INVALID",
        400,
        "what is handed in as a diff is no unified diff",
        "Call submit_for_review again with diff as git diff writes it.",
    ),
    row(
        "EVICTED",
        409,
        "the agent was sent away and must hear how before it registers again",
        "Call wait_for_prompt to hear what to do.",
    ),
    row(
        "EVIDENCE_MISSING",
        422,
        "the role demands better proof of a completion; `details` says what is missing",
        "Complete the task again with the proof in `details.missing` in the list `evidence`.",
    ),
    row("FILE_NOT_FOUND", 404, "there is no such file", "Check the path of log_file."),
    row(
        "FILE_NOT_READABLE",
        403,
        "the file is no plain file below `monitor.roots`, or may not be read",
        "Name a plain file in one of the folders of `monitor.roots`, or have its folder added there.",
    ),
    forge::FORGE_LIMITED,
    forge::FORGE_OFF,
    forge::FORGE_REFUSED,
    forge::FORGE_UNAUTHORIZED,
    forge::FORGE_UNREACHABLE,
    row(
        "IDEMPOTENCY_KEY_REUSED",
        409,
        "the key was used within 24 h for another request",
        "Choose a new idempotencyKey for a new request.",
    ),
    row(
        "IDENTITY_MISMATCH",
        403,
        "`agentId` is not the agent that the credential belongs to",
        "Call again without agentId: your credential says who you are.",
    ),
    row("INPUT_UNDELIVERED", 409, "typed, and not seen to be taken", "Send it where it stands, or erase it there."),
    row(
        "INSUFFICIENT_SCOPE",
        403,
        "the credential does not allow this",
        "Use a credential with the scope in `details.needs`, or ask an operator to do it.",
    ),
    row(
        "INVALID_ARGUMENTS",
        400,
        "an argument is missing, unknown or of the wrong type",
        "Call again with the arguments put right.",
    ),
    row(
        "INVALID_CONFIDENCE",
        400,
        "a confidence lies outside 0.0 to 1.0",
        "Call again with a min_confidence from 0.0 to 1.0.",
    ),
    row(
        "INVALID_REGEX",
        400,
        "the query is no regular expression, or too large a one",
        "Put the expression right, or escape its signs with a backslash; references and look-around are not known.",
    ),
    row(
        "INVALID_SESSION_ID",
        400,
        "the id has not the shape of one",
        "Choose letters, digits, `.`, `_` and `-`, at most 64, beginning with a letter or digit.",
    ),
    row(
        "INVALID_TRANSITION",
        409,
        "the workflow status cannot follow the present one",
        "Report one of the statuses that the message names.",
    ),
    row(
        "LATE_ANSWERS_FULL",
        409,
        "the question has its answer, and as many later ones as are kept; `details.resolution` says which counts",
        "Go on with the answer that the question has.",
    ),
    row(
        "LEASE_LOST",
        409,
        "somebody else holds the task now, or the number is an old one",
        "Stop working on it, and call wait_for_prompt.",
    ),
    row(
        "LINK_INVALID",
        400,
        "a link is not one of the web: absolute, with https or http",
        "Give the whole link, as https://forge.example/acme/shop/pull/7, or leave that field out.",
    ),
    forge::MERGE_BLOCKED,
    row(
        "MESSAGE_DENIED",
        403,
        "the caller may neither delegate to that agent nor reports to it",
        "Send it to an agent that you may delegate to or report to, or report it with send_response.",
    ),
    row(
        "NOTHING_TO_REVIEW",
        400,
        "neither a diff nor a pull request is handed in",
        "Call submit_for_review again with diff (the output of git diff), pr_id or pr_url.",
    ),
    row(
        "NOTICES_FULL",
        429,
        "as many notices lie unheard for that agent as may",
        "Wait until it has called and heard them, or write to somebody else.",
    ),
    row(
        "NOT_A_HUMAN",
        403,
        "only people answer questions; agents never do",
        "Leave it to a person: by the page, the command line or Discord.",
    ),
    row(
        "NOT_A_PERSONS_ANSWER",
        403,
        "the prompt is dangerous, or a shell that would run it, and no person gave the answer",
        "Leave it to a person with the scope operate, or to the person at the terminal.",
    ),
    row(
        "NOT_PERMITTED",
        403,
        "`config/people.yaml` does not let this person do that",
        "Ask somebody whom `config/people.yaml` lets do it, or have the right added there.",
    ),
    row("NOT_REGISTERED", 409, "the agent must register first", "Call register_agent first."),
    row(
        "NOT_SAFE_TO_TYPE",
        409,
        "it is not certain that what is typed now reaches that prompt, and as a line",
        "Look at the terminal again in a moment; else the person who sits at it types.",
    ),
    row(
        "NOT_YOURS_TO_JUDGE",
        403,
        "only people approve and request changes",
        "Say what you found with send_response; a person judges it by the page, the command line or Discord.",
    ),
    row(
        "NO_INPUT_PROMPT",
        409,
        "no program waits in that terminal for its user",
        "Wait for session.input_prompt_detected, or look with detect_input_prompt.",
    ),
    row(
        "NO_TASK",
        409,
        "the agent holds no task, or several and names none",
        "Name the task by its id, or call wait_for_prompt for one.",
    ),
    row("PATTERN_NOT_FOUND", 404, "no such pattern", "Call get_learned_patterns to see what was learned."),
    row(
        "PROMPT_CHANGED",
        409,
        "another prompt stands there than the one that was answered",
        "Look at the terminal again, and answer the prompt that stands there now.",
    ),
    row(
        "PROMPT_SECRET",
        403,
        "a secret is typed by the person at the terminal alone",
        "Ask the person who sits at the terminal to type it.",
    ),
    forge::PR_BUSY,
    forge::PR_LIMIT,
    forge::PR_NOT_FOUND,
    forge::PR_NOT_OPEN,
    row(
        "QUESTION_NOT_FOUND",
        404,
        "no such question, or not the caller's",
        "Check the question_id: use the one that request_input answered with, letter by letter.",
    ),
    row(
        "QUESTION_OPEN",
        409,
        "the session asks something already; `details.questionId` says what",
        "Call wait_for_answer with that question, or withdraw_question if you need it no more.",
    ),
    row("QUEUE_FULL", 429, "as many tasks wait as may", "Wait until some of it is done, or cancel what is not needed."),
    forge::REPOSITORY_CHANGED,
    forge::REPOSITORY_NOT_ALLOWED,
    row(
        "REVIEW_CHANGED",
        409,
        "the work was handed in again after the round that is approved",
        "Look at the review as it is now (callboard review show), then approve that round.",
    ),
    row(
        "REVIEW_FULL",
        409,
        "the review has as many rounds or comments as it may hold",
        "Settle what is open with resolve_review_comment, and ask a person to judge it or to go on elsewhere.",
    ),
    row(
        "REVIEW_NOT_FOUND",
        404,
        "the task was not submitted for review yet",
        "Call submit_for_review when there is something to look at.",
    ),
    row(
        "SESSION_ALREADY_EXISTS",
        409,
        "a session of that id is monitored already",
        "Choose another session_id, or call stop_session_monitor first.",
    ),
    row(
        "SESSION_NOT_FOUND",
        404,
        "no such session, or not the caller's",
        "Leave the session id out, or use the sessionId that register_agent returned.",
    ),
    row(
        "SESSION_REQUIRED",
        400,
        "no session was named, and the caller has none",
        "Call register_agent: it opens your session. Then repeat this call.",
    ),
    row(
        "STORAGE_FAILED",
        503,
        "the journal's disk fails; nothing was done and reads go on",
        "Go on with the work, and repeat the same call with the same idempotencyKey in a minute.",
    ),
    row(
        "STORAGE_FULL",
        507,
        "the journal's disk is full; nothing was done and reads go on",
        "Go on with the work, and repeat the same call with the same idempotencyKey in a minute.",
    ),
    row(
        "SUPERSEDED",
        409,
        "a newer registration of the same agent has taken over",
        "End this run: a newer one works under the same id. Call register_agent only to take over again.",
    ),
    row("TARGET_UNKNOWN", 404, "nobody is called that", "Call list_agents to see who is there, or use role:<role>."),
    row("TASK_CANCELLED", 409, "the task was called off", "Stop working on it, and call wait_for_prompt."),
    row("TASK_CLOSED", 409, "the task has ended", "Call wait_for_prompt for the next task."),
    row(
        "TASK_NOT_FOUND",
        404,
        "no such task, or not the caller's",
        "Check the taskId: use the one from wait_for_prompt or assign_task, letter by letter.",
    ),
    row(
        "TASK_WRONG_STATE",
        409,
        "the task's state does not allow this",
        "Call get_task_context to see where the task stands.",
    ),
    row(
        "TERMINAL_HOSTED",
        409,
        "another callboard run hosts the terminal of that session",
        "End the other one, or run this as another agent: an agent has one terminal at a time.",
    ),
    row(
        "TERMINAL_NOT_HOSTED",
        409,
        "nobody hosts that terminal who takes answers",
        "Start the program in it with callboard run --inject, or type at the terminal itself.",
    ),
    row(
        "TEXT_TOO_LONG",
        413,
        "a text exceeds its limit",
        "Shorten it: put long material into a file or an artifact, and name it in the text.",
    ),
    row(
        "UNAVAILABLE",
        503,
        "the hub could not do it; whether it was done is not known; repeat with the same key",
        "Wait a few seconds, then repeat the same call with the same idempotencyKey.",
    ),
    row("UNKNOWN_TOOL", 404, "no tool of that name", "List the tools, and call one of them by its exact name."),
    row("WORKFLOW_ENDED", 409, "the workflow is over", "Go on without it, or ask for its prompt again."),
    row(
        "WORKFLOW_NOT_FOUND",
        404,
        "no such workflow, or not the caller's",
        "Name a workflow that you began and that goes on.",
    ),
    row(
        "WORKFLOW_UNKNOWN",
        404,
        "no workflow of that name is defined",
        "List the prompts, and ask for one of them by its exact name.",
    ),
];

/// The status that goes with a code; 500 for one that is not listed.
#[must_use]
pub fn status_of(code: &str) -> u16 {
    CODES.iter().find(|row| row.code == code).map_or(500, |row| row.status)
}

/// What to do instead under a code; none for one that is not listed.
#[must_use]
pub(super) fn advice_of(code: &str) -> Option<&'static str> {
    CODES.iter().find(|row| row.code == code).map(|row| row.advice)
}

#[cfg(test)]
mod tests;
