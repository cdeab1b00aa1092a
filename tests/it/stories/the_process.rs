//! The hub as a process: what it writes at its first start, what it refuses, how it ends.

use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use crate::support::hub_process::HubProcess;

#[test]
fn the_first_start_writes_a_token_that_only_its_owner_can_read() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    assert!(hub.operator_token().starts_with("cb_"));
    let mode = data_dir.path().join("operator.token").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_hub_that_serves_is_ready_and_nobody_gets_in_without_a_token() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    assert_eq!(hub.get("/healthz").0, 200);
    assert_eq!(hub.get("/readyz").0, 200);
    assert_eq!(hub.get("/api/v1/tasks").0, 200);
    assert_eq!(hub.get_as("cb_u_nobody", "/api/v1/tasks").0, 401);
    let (status, body) = hub.get("/api/v1/no-such-route");
    assert_eq!(status, 404);
    assert!(body["code"].is_string(), "a route that does not exist answers in JSON, not with {body}");
}

#[test]
fn sigterm_ends_a_hub_with_code_0() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    assert_eq!(hub.terminate().code(), Some(0));
}

#[test]
fn a_hub_refuses_to_be_reached_from_elsewhere_without_encryption() {
    let data_dir = TempDir::new().unwrap();
    let end = HubProcess::never_serves(data_dir.path(), &["--listen", "0.0.0.0:0"]);
    assert_eq!(end.status.code(), Some(2), "2 means: mend the configuration");
    let words = String::from_utf8_lossy(&end.stderr);
    assert!(words.contains("tls"), "says what to add, but said: {words}");
}
