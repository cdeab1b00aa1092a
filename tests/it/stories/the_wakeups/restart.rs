//! The hub dies while somebody works, and is started again: what its deadlines bring wakes who waits there.

use std::thread;

use serde_json::json;
use tempfile::TempDir;

use super::ways::WaitTransport;
use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;

const WAYS: [WaitTransport; 4] =
    [WaitTransport::Plain, WaitTransport::Stateless, WaitTransport::Session, WaitTransport::Socket];

/// How long the work may take that nobody finishes, in seconds: long enough, as a rule, for the hub to come back.
const TTL: u64 = 4;

#[test]
fn a_lease_that_runs_out_after_a_restart_wakes_who_waits_on_each_way() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let begun = WAYS.map(|way| {
        let role = format!("{way:?}").to_lowercase();
        let heir = Agent::register(&hub, &format!("heir-{role}"), &role);
        let holder = Agent::register(&hub, &format!("holder-{role}"), &role);
        let order = json!({"targetAgentId": format!("role:{role}"), "prompt": "work", "ttlSeconds": TTL});
        let task = hub.post("/api/v1/tasks", &order).1["taskId"].clone();
        let offer = holder.calls(&hub, "wait_for_prompt", &json!({"timeout": 10}));
        assert_eq!(offer["taskId"], task);
        holder.calls(&hub, "ack_task", &json!({"taskId": task}));
        (way, heir, task)
    });
    let port = hub.port();
    hub.kill();
    let hub = HubProcess::start_at(data_dir.path(), port);
    thread::scope(|scope| {
        let waits = begun.map(|(way, heir, task)| {
            let hub = &hub;
            (way, task, scope.spawn(move || way.waits(hub, heir.token())))
        });
        for (way, task, heard) in waits {
            let heard = heard.join().unwrap();
            assert_eq!((&heard["taskId"], &heard["attempt"]), (&task, &json!(2)), "{way:?}: {heard}");
        }
    });
}
