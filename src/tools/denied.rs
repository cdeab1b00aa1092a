//! A verb's refusal for want of rights, which is noted in the audit.

use super::caller::Caller;
use super::refusal::Refusal;
use crate::actors::HubRef;
use crate::audit::{Decision, Note};

/// The codes that are about what the caller may do.
const RIGHTS: [&str; 9] = [
    "DELEGATION_CYCLE", "DELEGATION_DENIED", "DELEGATION_TOO_DEEP", "FILE_NOT_READABLE", "IDENTITY_MISMATCH",
    "INSUFFICIENT_SCOPE", "MESSAGE_DENIED", "NOT_A_HUMAN", "NOT_PERMITTED",
];

/// An agent hears these of another's things, as of what there is not: from outside the two are one.
const NOT_FOUND: [&str; 4] = ["COMMENT_NOT_FOUND", "QUESTION_NOT_FOUND", "SESSION_NOT_FOUND", "TASK_NOT_FOUND"];

/// Tells the audit, where there is something to tell, and gives the refusal back.
pub(super) fn told(hub: &HubRef, caller: &Caller, tool: &str, refusal: Refusal) -> Refusal {
    let others = caller.principal.agent().is_some() && NOT_FOUND.contains(&refusal.code);
    if others || RIGHTS.contains(&refusal.code) {
        hub.audit.denied(Note {
            at: hub.clock.now(),
            action: "tool".to_owned(),
            decision: Decision::Denied,
            rule: Some(refusal.code.to_owned()),
            who: caller.principal.id.to_string(),
            through: caller.surface.as_str().to_owned(),
            peer: caller.peer,
            request: Some(caller.request.clone()),
            target: Some(tool.to_owned()),
            body: None,
        });
    }
    refusal
}
