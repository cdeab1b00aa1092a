//! The codes that plain HTTP adds to those of the verbs: what can be wrong with a request before it reaches one.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoorCode {
    /// The stable text, as `NOT_FOUND`.
    pub code: &'static str,
    /// The status that it is answered with.
    pub status: u16,
    /// What it means, for the API description.
    pub meaning: &'static str,
    /// What to do instead: the hub's words.
    pub advice: &'static str,
}

const fn row(code: &'static str, status: u16, meaning: &'static str, advice: &'static str) -> DoorCode {
    DoorCode { code, status, meaning, advice }
}

/// How to come in. Plain ASCII without quotes: it also stands in the header `WWW-Authenticate`.
const GET_A_TOKEN: &str = "Send the header `Authorization: Bearer TOKEN` with a token that is not expired or revoked: \
    callboard token create --agent ID makes an agent's on the hub's machine, callboard connect CLIENT writes it into \
    a client's settings, and the operator's lies in operator.token of the data directory.";

/// Every code of the doors, by its text. A code that a verb uses too has the same status there.
pub const DOOR_CODES: &[DoorCode] = &[
    row("ACTOR_NOT_FOUND", 404, "no actor of that name; see /admin/actors", "Look for its name in GET /admin/actors."),
    row("ACTOR_NOT_RESTARTABLE", 409, "this actor ends only with the hub", "Restart the hub instead."),
    row("AGENT_NOT_FOUND", 404, "no agent of that id is registered", "Look for its id in GET /api/v1/agents."),
    row(
        "BODY_TOO_LARGE",
        413,
        "the body exceeds its limit",
        "Send less at once: `details.limit` says how many bytes are the most.",
    ),
    row(
        "BUSY",
        503,
        "an actor's mailbox is full; nothing was done; try again shortly",
        "Repeat the same request with the same Idempotency-Key after the seconds that Retry-After says.",
    ),
    row("COMMENT_NOT_FOUND", 404, "no such comment", "Look for its id in GET /api/v1/reviews/{id}."),
    row(
        "CURSOR_INVALID",
        400,
        "the cursor came from no page of this list; leave it out to begin anew",
        "Leave `cursor` out to begin anew.",
    ),
    row(
        "DELIVERY_NOT_FOUND",
        404,
        "no such delivery, or it came to its end and was let go of",
        "Look for its id in GET /api/v1/outbox.",
    ),
    row(
        "DELIVERY_WRONG_STATE",
        409,
        "the delivery is being sent, or has come to its end",
        "Look at it in GET /api/v1/outbox/{id}; while it is being sent, try again in half a minute.",
    ),
    row(
        "FORBIDDEN",
        403,
        "the request comes from a host or an origin that is not allowed",
        "Call the hub by a host of `allowedHosts`, and from a page of `allowedOrigins`.",
    ),
    row(
        "HOOK_NOT_FOUND",
        404,
        "no source of webhooks has that name",
        "Post to /hooks/in/SOURCE with a name of `webhooks.in` in hub.yaml.",
    ),
    row(
        "HOOK_PAYLOAD_INVALID",
        422,
        "a webhook's payload lacks a field; `details.field` names it",
        "Send what is documented of this event; a tracker's fields are named in webhooks.in.NAME.fields.",
    ),
    row(
        "HOOK_REPOSITORY_NOT_LISTED",
        403,
        "a webhook is about a repository for which its source does not speak; `details.repository` names it",
        "List the repository under webhooks.in.NAME.repositories in hub.yaml, or take the webhook away on the forge.",
    ),
    row(
        "IDENTITY_MISMATCH",
        403,
        "the header Callboard-Agent names another agent than the one that the credential belongs to",
        "Send the token of that agent, or leave the header out.",
    ),
    row(
        "INSUFFICIENT_SCOPE",
        403,
        "the credential does not allow this; `details.needs` names the scope",
        "Use a token with the scope in `details.needs`: callboard token create --scope SCOPE --name NAME.",
    ),
    row(
        "INTERNAL",
        500,
        "the hub failed; its log has the request's id",
        "Look for the request's id in the hub's log, and report what stands there.",
    ),
    row(
        "INVALID_ARGUMENTS",
        400,
        "an argument is missing, unknown or of the wrong type",
        "Send it again with the named field put right: see /api/v1/openapi.json.",
    ),
    row(
        "INVALID_JSON",
        400,
        "the body is not JSON",
        "Send a body that is JSON: see the place in the sentence, and quote names and texts with \".",
    ),
    row(
        "INVALID_REQUEST",
        400,
        "the request breaks the rules of HTTP",
        "Send a whole request with one header Host and the length that it says.",
    ),
    row(
        "LOGIN_CODE_INVALID",
        403,
        "a one-time code that was used, has expired, or was never made",
        "Run `callboard open` on the hub's machine for a new link: each is good for a minute, and once.",
    ),
    row(
        "METHOD_NOT_ALLOWED",
        405,
        "the route exists, and not with this method; see the header Allow",
        "Use a method of the header Allow.",
    ),
    row("NOT_FOUND", 404, "no such route, or no such thing", "Look for the route in /api/v1/openapi.json."),
    row("NO_OAUTH", 404, "there is no OAuth server: tokens are made by the hub's operator", GET_A_TOKEN),
    row(
        "NO_PAGE_SESSION",
        409,
        "the credential is no session of the page, and logging out does not end it",
        "Use DELETE /api/v1/tokens/{id} to end a token that was made by hand.",
    ),
    row(
        "RATE_LIMITED",
        429,
        "too many requests; the header Retry-After says when to try again",
        "Wait the seconds that Retry-After says, then repeat the request; call less often, or wait with longer waits.",
    ),
    row("REVIEW_NOT_FOUND", 404, "the task was not submitted for review yet", "Look for it in GET /api/v1/reviews."),
    row("SESSION_NOT_FOUND", 404, "no such session, or not the caller's", "Look for its id in GET /api/v1/sessions."),
    row(
        "SIGNATURE_INVALID",
        401,
        "the webhook is not signed with the secret of its source",
        "Give sender and hub the same secret: the one in the file that webhooks.in.NAME.secretFile names.",
    ),
    row(
        "SIGNATURE_MISSING",
        401,
        "the webhook is not signed; `details.header` names what is missing",
        "Set a secret at the sender: the one in the file that webhooks.in.NAME.secretFile names.",
    ),
    row(
        "SIGNATURE_TOO_OLD",
        401,
        "the webhook was signed more than 5 minutes from now",
        "Sign each attempt anew, and set the clocks of sender and hub right.",
    ),
    row(
        "STORAGE_FAILED",
        503,
        "the journal's disk fails; nothing was done and reads go on",
        "Repeat the same request with the same Idempotency-Key when there is room; see /readyz.",
    ),
    row(
        "STORAGE_FULL",
        507,
        "the journal's disk is full; nothing was done and reads go on",
        "Repeat the same request with the same Idempotency-Key when there is room; see /readyz.",
    ),
    row(
        "TASK_NOT_FOUND",
        404,
        "no such task, or not the caller's",
        "Look for its id in GET /api/v1/tasks; what `journal.retention` let go of is gone.",
    ),
    row(
        "TEXT_TOO_LONG",
        413,
        "a text exceeds its limit",
        "Shorten the named field: `details.limit` says how many bytes are the most.",
    ),
    row("TIMEOUT", 408, "the request came too slowly", "Send the whole request without pauses."),
    row(
        "TOKEN_NOT_FOUND",
        404,
        "no token of that public id; see /api/v1/tokens",
        "Look for its public id in GET /api/v1/tokens.",
    ),
    row("UNAUTHENTICATED", 401, "no credential, or one that is not valid", GET_A_TOKEN),
    row(
        "UNAVAILABLE",
        503,
        "the hub could not do it; whether it was done is not known; repeat with the same key",
        "Repeat the same request with the same Idempotency-Key after the seconds that Retry-After says.",
    ),
    row(
        "UNSUPPORTED_MEDIA_TYPE",
        415,
        "the body must be plain application/json",
        "Send the body plain, with the header Content-Type: application/json.",
    ),
    row(
        "SCHEDULE_EXISTS",
        409,
        "there is a schedule of that name, and it is not over",
        "Choose another name, or change that one with PATCH /api/v1/schedules/{id}.",
    ),
    row(
        "SCHEDULE_IN_SETTINGS",
        409,
        "the schedule is one of schedules.yaml, which alone changes or removes it; it may be paused and run",
        "Change it in schedules.yaml and reload the hub, or add one of another name.",
    ),
    row(
        "SCHEDULE_LIMIT",
        409,
        "there are as many schedules as there may be; `details.limit` says how many",
        "Remove one with DELETE /api/v1/schedules/{id}, or raise limits.schedules in hub.yaml.",
    ),
    row("SCHEDULE_NOT_FOUND", 404, "no schedule of that name", "Look for its name in GET /api/v1/schedules."),
    row(
        "WEBHOOK_EXISTS",
        409,
        "there is a webhook of that name",
        "Choose another name, or change that one with PATCH /api/v1/webhooks/{id}.",
    ),
    row(
        "WEBHOOK_IN_SETTINGS",
        409,
        "the webhook is one of hub.yaml, which alone changes or removes it",
        "Change `webhooks.out` in hub.yaml and start the hub anew, or add one of another name.",
    ),
    row(
        "WEBHOOK_LIMIT",
        409,
        "as many webhooks were added as there may be; `details.limit` says how many",
        "Remove one with DELETE /api/v1/webhooks/{id}, or name it in hub.yaml: webhooks.out.",
    ),
    row("WEBHOOK_NOT_FOUND", 404, "no webhook of that name goes out", "Look for its name in GET /api/v1/webhooks."),
    row(
        "WEBHOOK_UNUSABLE",
        409,
        "the webhook's settings or its secret cannot be used",
        "Mend what is named in hub.yaml: webhooks.out, or give an added one a secret with PATCH /api/v1/webhooks/{id}.",
    ),
    row("WORKFLOW_ENDED", 409, "the run is over", "Begin another one with POST /api/v1/workflows."),
    row(
        "WORKFLOW_NOT_FOUND",
        404,
        "no such run of a workflow, or not the caller's",
        "Look for its id in GET /api/v1/workflows.",
    ),
    row(
        "WORKFLOW_UNKNOWN",
        404,
        "no workflow of that name is defined",
        "Look for its name in `callboard workflow list`; files are read again when they change.",
    ),
];

/// The status that goes with a code; 500 for one that is not listed.
pub(super) fn status_of(code: &str) -> u16 {
    DOOR_CODES.iter().find(|row| row.code == code).map_or(500, |row| row.status)
}

/// What to do instead under a code; none for one that is not listed.
pub(super) fn advice_of(code: &str) -> Option<&'static str> {
    DOOR_CODES.iter().find(|row| row.code == code).map(|row| row.advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::web::ApiError;

    #[test]
    fn every_code_says_what_to_do() {
        for row in DOOR_CODES {
            assert!(row.advice.ends_with('.') && row.advice.starts_with(char::is_uppercase), "{}", row.code);
            assert_eq!(ApiError::new(row.code, "x").details["prompt"], row.advice);
        }
    }

    #[test]
    fn codes_are_sorted_and_unique_so_that_a_list_of_them_reads_well() {
        assert!(DOOR_CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
    }
}
