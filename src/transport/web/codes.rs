//! The codes that plain HTTP adds to those of the verbs: what can be wrong with a request before it reaches one.

/// One code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoorCode {
    /// The stable text, as `NOT_FOUND`.
    pub code: &'static str,
    /// The status that it is answered with.
    pub status: u16,
    /// What it means, for the API description.
    pub meaning: &'static str,
}

const fn row(code: &'static str, status: u16, meaning: &'static str) -> DoorCode {
    DoorCode { code, status, meaning }
}

/// Every code of the doors, by its text. A code that a verb uses too has the same status there.
pub const DOOR_CODES: &[DoorCode] = &[
    row("ACTOR_NOT_FOUND", 404, "no actor of that name; see /admin/actors"),
    row("ACTOR_NOT_RESTARTABLE", 409, "this actor ends only with the hub"),
    row("AGENT_NOT_FOUND", 404, "no agent of that id is registered"),
    row("BODY_TOO_LARGE", 413, "the body exceeds its limit"),
    row("BUSY", 503, "an actor's mailbox is full; nothing was done; try again shortly"),
    row("COMMENT_NOT_FOUND", 404, "no such comment"),
    row("CURSOR_INVALID", 400, "the cursor came from no page of this list; leave it out to begin anew"),
    row("DIFF_PLACE_UNKNOWN", 400, "the diff does not show that file or line; the sentence says what it shows"),
    row("FORBIDDEN", 403, "the request comes from a host or an origin that is not allowed"),
    row("INSUFFICIENT_SCOPE", 403, "the credential does not allow this; `details.needs` names the scope"),
    row("INTERNAL", 500, "the hub failed; its log has the request's id"),
    row("INVALID_ARGUMENTS", 400, "an argument is missing, unknown or of the wrong type"),
    row("INVALID_JSON", 400, "the body is not JSON"),
    row("INVALID_REQUEST", 400, "the request breaks the rules of HTTP"),
    row("METHOD_NOT_ALLOWED", 405, "the route exists, and not with this method; see the header Allow"),
    row("NOT_FOUND", 404, "no such route, or no such thing"),
    row("NOT_PERMITTED", 403, "`config/people.yaml` does not let this person do that"),
    row("RATE_LIMITED", 429, "too many requests; the header Retry-After says when to try again"),
    row("REVIEW_NOT_FOUND", 404, "the task was not submitted for review yet"),
    row("SESSION_NOT_FOUND", 404, "no such session, or not the caller's"),
    row("TASK_NOT_FOUND", 404, "no such task, or not the caller's"),
    row("TEXT_TOO_LONG", 413, "a text exceeds its limit"),
    row("TIMEOUT", 408, "the request came too slowly"),
    row("TOKEN_NOT_FOUND", 404, "no token of that public id; see /api/v1/tokens"),
    row("UNAUTHENTICATED", 401, "no credential, or one that is not valid"),
    row("UNAVAILABLE", 503, "the hub could not do it; whether it was done is not known; repeat with the same key"),
    row("UNSUPPORTED_MEDIA_TYPE", 415, "the body must be plain application/json"),
];

/// The status that goes with a code; 500 for one that is not listed.
pub(super) fn status_of(code: &str) -> u16 {
    DOOR_CODES.iter().find(|row| row.code == code).map_or(500, |row| row.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_unique_so_that_a_list_of_them_reads_well() {
        assert!(DOOR_CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
    }
}
