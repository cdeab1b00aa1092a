//! Every path into a queue that somebody outside can walk wakes whoever waits, over true sockets and on each way in:
//! plain HTTP, MCP without a session, MCP with one, a WebSocket. A proxy is the last of these.
//!
//! The whole table, with the paths that need an accident inside the hub, stands beside the actors and on stopped time
//! (`src/actors/stories/wakeups`); so do the 100 ms. Here the agent waits in real time, for the event itself.

mod paths;
mod restart;
mod scene;
mod ways;

use std::fs;
use std::path::Path;
use std::thread;

use tempfile::TempDir;

use crate::support::hub_process::HubProcess;
use paths::PATHS;
use scene::Scene;
use ways::WaitTransport;

/// What of the settings is other than usual: time passes sooner. Roles that are not here are not configured.
const HUB: &str = "leases: {lastHolderHold: 2s}\n";
const ROLES: &str = "roles:\n  brief: {ackWithin: 1s}\n  easy: {onApprove: complete}\n";
/// What agents may claim whose roles are not configured.
const UNKNOWN_ROLES: &str = "unknownRoles: {capabilities: [braille, ink]}\n";

/// One hub a way, each path with agents and a role of its own.
fn every_path_wakes(way: WaitTransport) {
    let data_dir = TempDir::new().unwrap();
    let config = data_dir.path().join("config");
    fs::create_dir(&config).unwrap();
    fs::write(config.join("hub.yaml"), HUB).unwrap();
    holds(&config, 1);
    let hub = HubProcess::start_with(data_dir.path(), &["--config", config.to_str().unwrap()]);
    for (number, path) in PATHS.iter().enumerate() {
        let mut scene = Scene::new(&hub, &config, number);
        (path.prepare)(&mut scene);
        let token = scene.agent.token().to_owned();
        let heard = thread::scope(|scope| {
            let waits = scope.spawn(|| way.waits(&hub, &token));
            scene.until_it_waits(|| waits.is_finished());
            (path.happens)(&mut scene);
            waits.join().unwrap()
        });
        assert!(scene.is_meant_by(&heard), "{}, {way:?}: {heard}", path.name);
    }
}

/// An agent of the role `roomy` may hold so many tasks. The file is there at once, or not at all.
fn holds(config: &Path, tasks: usize) {
    fs::write(config.join("next"), format!("{UNKNOWN_ROLES}{ROLES}  roomy: {{maxConcurrent: {tasks}}}\n")).unwrap();
    fs::rename(config.join("next"), config.join("agents.yaml")).unwrap();
}

#[test]
fn every_path_wakes_who_waits_by_plain_http() {
    every_path_wakes(WaitTransport::Plain);
}

#[test]
fn every_path_wakes_who_waits_by_mcp_without_a_session() {
    every_path_wakes(WaitTransport::Stateless);
}

#[test]
fn every_path_wakes_who_waits_by_mcp_in_a_session() {
    every_path_wakes(WaitTransport::Session);
}

#[test]
fn every_path_wakes_who_waits_on_a_web_socket() {
    every_path_wakes(WaitTransport::Socket);
}
