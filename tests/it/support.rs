//! What stories share.

pub(crate) mod agent;
pub(crate) mod dice;
pub(crate) mod discord;
pub(crate) mod error_watch;
pub(crate) mod events;
pub(crate) mod hub_process;
pub(crate) mod mcp_client;
pub(crate) mod mcp_http;
pub(crate) mod plain_http;
pub(crate) mod proxy_process;
pub(crate) mod receiver;
pub(crate) mod terminal;
pub(crate) mod watched;
pub(crate) mod web_socket;

/// How long anything may take that is waited for. Who waits longer waits for what never comes: even a machine that has
/// much else to do needs a tenth of it.
pub(crate) const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(90);

/// Waits in real time: what is tested are real processes.
#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
pub(crate) fn pause(milliseconds: u64) {
    std::thread::sleep(std::time::Duration::from_millis(milliseconds));
}

/// Writes a file with a secret, as whoever keeps one does.
pub(crate) fn write_private(path: &std::path::Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}
