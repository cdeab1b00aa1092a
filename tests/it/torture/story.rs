//! The story: load, kills, a quiet end, and the comparison.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::load::{Client, Stage, agent, order, pause};
use super::promises::Promises;
use crate::support::dice::Dice;
use crate::support::hub_process::{HubProcess, callboard};

/// How often in a run of all tests; `just torture` takes more.
const KILLS: usize = 20;
const KILLS_VARIABLE: &str = "CALLBOARD_TORTURE";
const AGENTS: usize = 20;
const ASKERS: usize = 4;
const SEED: u64 = 7_420;
/// How often it is looked, a tenth of a second apart, whether all has ended after the last kill.
const PATIENCE: usize = 300;

#[test]
fn nothing_promised_is_lost_or_doubled_however_often_the_hub_is_killed() {
    let kills = std::env::var(KILLS_VARIABLE).map_or(KILLS, |kills| kills.parse().expect("a number of kills"));
    let data_dir = TempDir::new().unwrap();
    // Each client may ask as often as it likes: here nobody is to wait for anything but the hub.
    let config = TempDir::new().unwrap();
    fs::write(config.path().join("hub.yaml"), "limits:\n  requestsPerSecond: 5000\n  burst: 5000\n").unwrap();
    let start = || HubProcess::start_with(data_dir.path(), &["--config", config.path().to_str().unwrap()]);
    let mut hub = start();
    let stage = Stage::default();
    let (told, hears) = mpsc::channel();
    let mut number = SEED;
    let mut client = |name: String, wanted: &Value| {
        let (status, made) = hub.post("/api/v1/tokens", wanted);
        assert!(status < 300, "{made}");
        let token = made["token"].as_str().unwrap().to_owned();
        number += 1;
        Client { name, token, stage: &stage, told: told.clone(), dice: Dice(number) }
    };
    let agents: Vec<_> = (0..AGENTS).map(|n| client(agent(n), &json!({ "agent": agent(n) }))).collect();
    let wanted = |name: &str| json!({ "scope": "operate", "name": name, "service": true });
    let askers: Vec<_> = (0..ASKERS).map(|n| format!("asker-{n}")).collect();
    let askers: Vec<_> = askers.into_iter().map(|name| client(name.clone(), &wanted(&name))).collect();
    drop(told);
    for it in &agents {
        let who = json!({ "agentId": it.name, "role": "full-stack-engineer" });
        let (status, body) = hub.post_as(&it.token, "/api/v1/tools/register_agent", &who);
        assert_eq!(status, 200, "{body}");
    }
    let tokens: BTreeMap<String, String> = askers.iter().map(|it| (it.name.clone(), it.token.clone())).collect();
    hub = thread::scope(|scope| {
        stage.port.store(hub.port(), Ordering::SeqCst);
        agents.into_iter().for_each(|it| drop(scope.spawn(move || it.works())));
        askers.into_iter().for_each(|it| drop(scope.spawn(move || it.asks(AGENTS))));
        let mut dice = Dice(SEED);
        for _ in 0..kills {
            pause(30 + dice.below(500) as u64);
            hub.kill();
            stage.port.store(0, Ordering::SeqCst);
            hub = start();
            stage.port.store(hub.port(), Ordering::SeqCst);
        }
        stage.enough.store(true, Ordering::SeqCst);
        for _ in 0..PATIENCE {
            pause(100);
            if all_has_ended(&hub) {
                break;
            }
        }
        stage.over.store(true, Ordering::SeqCst);
        hub
    });
    let mut promises = Promises::default();
    hears.into_iter().for_each(|promise| promises.take(promise));
    ask_again(&hub, &tokens, &promises);
    let verdict = promises.against(&tasks(&hub));
    let (asked, told, unseen) = (promises.asked.len(), promises.count, stage.unseen.load(Ordering::SeqCst));
    println!("torture: {kills} kills, {asked} tasks, {told} promises, {unseen} answers unseen: {verdict}");
    assert!(verdict.is_clean(), "{verdict:#?}");
    assert!(asked > kills, "hardly anything was asked for");
    assert_eq!(hub.terminate().code(), Some(0));
    let verified = callboard(data_dir.path()).args(["journal", "verify"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

/// Every key once more: each has to lead to the task that it led to.
fn ask_again(hub: &HubProcess, tokens: &BTreeMap<String, String>, promises: &Promises) {
    for (key, task) in &promises.asked {
        let (asker, number) = key.rsplit_once('-').unwrap();
        let (_, order) = order(asker, number.parse().unwrap(), AGENTS);
        let (_, answer) = hub.post_as(&tokens[asker], "/api/v1/tasks", &order);
        assert_eq!(answer["taskId"], *task, "key `{key}`: {answer}");
    }
}

fn all_has_ended(hub: &HubProcess) -> bool {
    ["QUEUED", "ASSIGNED", "IN_PROGRESS"].iter().all(|state| {
        let (status, page) = hub.get(&format!("/api/v1/tasks?state={state}&limit=1"));
        status == 200 && page["items"].as_array().is_some_and(Vec::is_empty)
    })
}

/// Every task with its history, by id.
fn tasks(hub: &HubProcess) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    let mut cursor = String::new();
    loop {
        let page = show(hub, &format!("/api/v1/tasks?limit=100{cursor}"));
        for task in page["items"].as_array().unwrap() {
            let id = task["taskId"].as_str().unwrap();
            all.insert(id.to_owned(), show(hub, &format!("/api/v1/tasks/{id}")));
        }
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

fn show(hub: &HubProcess, path: &str) -> Value {
    let (status, body) = hub.get(path);
    assert_eq!(status, 200, "{path}: {body}");
    body
}
