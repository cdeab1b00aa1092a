//! A workflow from the command line: run by a person, its trace as it grows, its runs, and what is left of one.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;

const FAILED: i32 = 1;
const CONFIGURATION: i32 = 2;
const REFUSED: i32 = 3;
const NOT_FOUND: i32 = 4;

/// All of it can run.
const FIX: &str = "name: fix
description: have a bug fixed
arguments: [{name: report, required: true}]
steps:
  - name: assign
    tool: assign_task
    arguments: {targetAgentId: {const: fullstack-1}, prompt: {arg: report}}
    binding: assignment
  - name: look
    resource: \"callboard://tasks/{id}\"
    template: {id: {output: assignment, field: taskId}}
";

/// Its end is nothing that a hub can do.
const TELL: &str = "name: tell
description: tell everybody
steps:
  - {name: look, tool: list_agents}
  - {name: shout, tool: shout, arguments: {text: {const: done}}}
";

fn house(data_dir: &TempDir) -> HubProcess {
    let folder = data_dir.path().join("config");
    fs::create_dir_all(folder.join("workflows")).unwrap();
    fs::write(folder.join("workflows/fix.yaml"), FIX).unwrap();
    fs::write(folder.join("workflows/tell.yaml"), TELL).unwrap();
    HubProcess::start_with(data_dir.path(), &["--config", folder.to_str().unwrap()])
}

/// What a command prints, and its exit code.
fn says(hub: &HubProcess, arguments: &[&str]) -> (String, Option<i32>) {
    let done = hub.command(arguments).output().unwrap();
    let words = [done.stdout, done.stderr].concat();
    (String::from_utf8(words).unwrap(), done.status.code())
}

fn json_of(hub: &HubProcess, arguments: &[&str]) -> Value {
    let done = hub.command(&[arguments, &["-o", "json"]].concat()).output().unwrap();
    let words = String::from_utf8_lossy(&done.stdout).into_owned();
    serde_json::from_str(&words).unwrap_or_else(|error| panic!("{error}: {words}"))
}

#[test]
fn a_person_runs_a_workflow_and_reads_what_is_done() {
    let data_dir = TempDir::new().unwrap();
    let hub = house(&data_dir);
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let (told, code) = says(&hub, &["workflow", "run", "fix", "--arg", "report=log-in is slow"]);
    assert_eq!(code, Some(0), "{told}");
    for part in ["user       I want to have a bug fixed.", "Calling tool 'assign_task'", "Resource content from"] {
        assert!(told.contains(part), "`{part}` in {told}");
    }
    let task = agent.calls(&hub, "wait_for_prompt", &json!({"timeout": 5}));
    assert_eq!(task["prompt"].as_str().map(|prompt| prompt.contains("log-in is slow")), Some(true), "{task}");
    let runs = json_of(&hub, &["workflow", "runs", "--name", "fix"]);
    let run = &runs["items"][0];
    assert_eq!((&run["status"], &run["owner"]), (&json!("completed"), &json!("operator")), "{runs}");
    let (shown, _) = says(&hub, &["workflow", "show", run["workflowId"].as_str().unwrap()]);
    assert!(shown.contains("completed  assign  assign_task") && shown.contains("2 of 2 steps"), "{shown}");
    let (refused, code) = says(&hub, &["workflow", "run", "fix", "--arg", "reprot=x"]);
    assert!(code == Some(CONFIGURATION) && refused.contains("did you mean `report`?"), "{refused}");
    let (unknown, code) = says(&hub, &["workflow", "run", "fxi"]);
    assert!(code == Some(NOT_FOUND) && unknown.contains("did you mean `fix`?"), "{unknown}");
    assert_eq!(says(&hub, &["workflow", "show", "w_00000000"]).1, Some(NOT_FOUND));
}

#[test]
fn what_is_left_of_a_workflow_is_the_persons_until_it_is_done_or_called_off() {
    let data_dir = TempDir::new().unwrap();
    let hub = house(&data_dir);
    let (told, code) = says(&hub, &["workflow", "run", "tell"]);
    assert_eq!(code, Some(FAILED), "{told}");
    assert!(told.contains("2. Call shout with") && told.contains("callboard workflow cancel w_"), "{told}");
    let left = json_of(&hub, &["workflow", "runs", "--state", "working"]);
    let id = left["items"][0]["workflowId"].as_str().unwrap().to_owned();
    assert_eq!(left["items"][0]["pauseReason"]["type"], "client_tool", "{left}");
    let inbox = json_of(&hub, &["inbox", "list", "--kind", "workflow"]);
    assert_eq!((&inbox["total"], &inbox["items"][0]["workflowId"]), (&json!(1), &json!(id)), "{inbox}");
    // It survives the hub.
    drop(hub);
    let hub = house(&data_dir);
    let again = json_of(&hub, &["workflow", "run", &id]);
    assert_eq!((&again["workflowId"], &again["status"]), (&json!(id), &json!("working")), "{again}");
    let (over, code) = says(&hub, &["workflow", "cancel", &id]);
    assert!(code == Some(0) && over.contains("1 of 2 steps, cancelled"), "{over}");
    assert_eq!(json_of(&hub, &["inbox", "list", "--kind", "workflow"])["total"], 0);
    let (ended, code) = says(&hub, &["workflow", "cancel", &id]);
    assert!(code == Some(REFUSED) && ended.contains("callboard workflow runs"), "{ended}");
}
