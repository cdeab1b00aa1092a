//! The codes of forges and pull requests.

use super::code::{Code, row};

pub(super) const FORGE_LIMITED: Code = row(
    "FORGE_LIMITED",
    503,
    "the forge wants no more requests for `details.retryAfterSeconds`",
    "Go on with other work, and repeat the call after details.retryAfterSeconds.",
);
pub(super) const FORGE_OFF: Code = row(
    "FORGE_OFF",
    409,
    "no forge is set, or it cannot be used as it is set",
    "Tell a person what is missing: forge in hub.yaml, and the forge's token.",
);
pub(super) const FORGE_REFUSED: Code = row(
    "FORGE_REFUSED",
    409,
    "the forge refused it, in the words of the message",
    "Put right what the forge says, as a branch that is not pushed, and call again.",
);
pub(super) const FORGE_UNAUTHORIZED: Code = row(
    "FORGE_UNAUTHORIZED",
    409,
    "the forge does not accept the hub's token",
    "Tell a person that the hub needs a new token for the forge.",
);
pub(super) const FORGE_UNREACHABLE: Code = row(
    "FORGE_UNREACHABLE",
    503,
    "the forge does not answer, or is in trouble",
    "Go on with other work, and repeat the call in a few minutes.",
);
pub(super) const MERGE_BLOCKED: Code = row(
    "MERGE_BLOCKED",
    409,
    "what the agent's role asks for before a merge is not there; `details.missing` says what",
    "See to what details.missing names, then call merge_pr again.",
);
pub(super) const PR_BUSY: Code = row(
    "PR_BUSY",
    409,
    "the forge did not answer yet what it was asked of the pull request before",
    "Call get_pr_status in a while, then repeat the call.",
);
pub(super) const PR_LIMIT: Code = row(
    "PR_LIMIT",
    409,
    "the session has as many open pull requests as it may",
    "Call list_prs, and close or merge one of them first.",
);
pub(super) const PR_NOT_FOUND: Code = row(
    "PR_NOT_FOUND",
    404,
    "no pull request of the session is called so",
    "Call list_prs to see the pull requests of your session.",
);
pub(super) const PR_NOT_OPEN: Code = row(
    "PR_NOT_OPEN",
    409,
    "the pull request is not open",
    "Call get_pr_status to see how it stands; one that was closed is reopened by update_pr with state open.",
);
pub(super) const REPOSITORY_CHANGED: Code = row(
    "REPOSITORY_CHANGED",
    409,
    "another repository stands where that of the pull request stood",
    "Have a person put the first one back, or call update_pr with state closed, then create_pr.",
);
pub(super) const REPOSITORY_NOT_ALLOWED: Code = row(
    "REPOSITORY_NOT_ALLOWED",
    403,
    "agents may open no pull requests in this repository; `details.allowed` says where they may",
    "Work in a repository of details.allowed, or have a person add this one to forge.repositories in hub.yaml.",
);
