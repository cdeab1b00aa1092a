//! What the guard tells apart by the path alone.

/// Where a one-time code is traded for a session of the page.
const LOGIN: &str = "/api/v1/login";

/// Where a device answers by the ticket of a notification.
const ANSWERS: &str = "/api/v1/push/answers";

/// Whose credential is in the body: a one-time code, or a ticket.
pub(super) fn brings_its_credential(path: &str) -> bool {
    path == LOGIN || path == ANSWERS
}

/// Where hosts of agents on call connect; nothing else is for them, and it is for nobody else.
pub(super) const HOSTS: &str = "/ws/host";

/// Where clients without a valid token look for an OAuth server: below the root, or below the path of MCP.
pub(super) fn is_oauth(path: &str) -> bool {
    let below = path.strip_prefix("/mcp").unwrap_or(path);
    matches!(below, "/register" | "/authorize" | "/token")
        || below.starts_with("/.well-known/oauth-")
        || below.starts_with("/.well-known/openid-configuration")
}

pub(super) fn is_mcp(path: &str) -> bool {
    path == "/mcp" || path.starts_with("/mcp/")
}

pub(super) fn is_hook(path: &str) -> bool {
    path.starts_with("/hooks/in/")
}

pub(super) fn is_socket(path: &str) -> bool {
    path == "/ws" || path.starts_with("/ws/")
}

/// The page and its files: the same for everybody, and nothing of the hub's is in them.
pub(super) fn is_page(path: &str) -> bool {
    path == "/" || path == "/sw.js" || path.starts_with("/assets/")
}
