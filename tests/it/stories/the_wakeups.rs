//! Every path into a queue that somebody outside can walk wakes whoever waits, over true sockets and on each way in:
//! plain HTTP, MCP without a session, MCP with one.
//!
//! The whole table, with the paths that need an accident inside the hub, stands beside the actors and on stopped time
//! (`src/actors/stories/wakeups`); so do the 100 ms. Here the agent waits in real time, for the event itself.

mod paths;
mod scene;
mod ways;

use std::thread;

use tempfile::TempDir;

use crate::support::hub_process::HubProcess;
use paths::PATHS;
use scene::Scene;
use ways::Way;

/// One hub a way, each path with agents and a role of its own.
fn every_path_wakes(way: Way) {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    for (number, path) in PATHS.iter().enumerate() {
        let mut scene = Scene::new(&hub, number);
        (path.prepare)(&mut scene);
        let token = scene.agent.token().to_owned();
        let heard = thread::scope(|scope| {
            let waits = scope.spawn(|| way.waits(&hub, &token));
            scene.until_it_waits();
            (path.happens)(&mut scene);
            waits.join().unwrap()
        });
        assert!(scene.is_meant_by(&heard), "{}, {way:?}: {heard}", path.name);
    }
}

#[test]
fn every_path_wakes_who_waits_by_plain_http() {
    every_path_wakes(Way::Plain);
}

#[test]
fn every_path_wakes_who_waits_by_mcp_without_a_session() {
    every_path_wakes(Way::Stateless);
}

#[test]
fn every_path_wakes_who_waits_by_mcp_in_a_session() {
    every_path_wakes(Way::Session);
}
