//! The story: load, kills, a quiet end, and the comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::client::{Client, Door, Stage};
use super::doctored::each_break_is_seen;
use super::orders::{BUILDERS, TESTERS, builder, tester};
use super::promises::{Promise, Promises};
use crate::support::dice::Dice;
use crate::support::hub_process::{HubProcess, callboard};
use crate::support::pause;
use crate::support::plain_http;

/// How often in a run of all tests; `.ci/run` and `just torture` take more.
const KILLS: usize = 20;
const KILLS_VARIABLE: &str = "CALLBOARD_TORTURE";
const ASKERS: usize = 4;
const SEED: u64 = 7_420;
/// How often it is looked, a tenth of a second apart, whether all has ended after the last kill.
const TIMEOUT: usize = 600;
/// So many looks have to find that it has.
const CALM: usize = 3;

#[test]
fn nothing_promised_is_lost_or_doubled_however_often_the_hub_is_killed() {
    is_kept("", KILLS);
}

/// Plays it with these settings, where nobody asks for more kills with so many.
#[expect(clippy::print_stdout, reason = "what so many kills came to")]
pub(crate) fn is_kept(settings: &str, kills: usize) {
    let kills = std::env::var(KILLS_VARIABLE).map_or(kills, |kills| kills.parse().expect("a number of kills"));
    let data_dir = TempDir::new().unwrap();
    // Each client may ask as often as it likes: here nobody is to wait for anything but the hub.
    let config = TempDir::new().unwrap();
    let generous = format!("{settings}limits:\n  requestsPerSecond: 5000\n  burst: 5000\n");
    fs::write(config.path().join("hub.yaml"), generous).unwrap();
    let configured = ["--config", config.path().to_str().unwrap()];
    let start = || HubProcess::start_with(data_dir.path(), &configured);
    let mut hub = start();
    let stage = Stage::default();
    let (told, hears) = mpsc::channel();
    let mut number = SEED;
    let mut client = |name: String, wanted: &Value| {
        let (status, made) = hub.post("/api/v1/tokens", wanted);
        assert!(status < 300, "{made}");
        let token = made["token"].as_str().unwrap().to_owned();
        number += 1;
        let door = if number.is_multiple_of(2) { Door::Http } else { Door::Mcp };
        let dice = Dice(number);
        Client { name, token, door, stage: &stage, told: told.clone(), dice, heard: BTreeSet::new() }
    };
    let names = (0..BUILDERS).map(builder).chain((0..TESTERS).map(tester));
    let agents: Vec<_> = names.map(|name| client(name.clone(), &json!({ "agent": name }))).collect();
    let mut person = |name: String| client(name.clone(), &json!({ "scope": "operate", "name": name, "service": true }));
    let askers: Vec<_> = (0..ASKERS).map(|n| person(format!("asker-{n}"))).collect();
    let answerer = person("answerer".to_owned());
    drop(told);
    for it in &agents {
        let role = if it.name.starts_with("tester") { "test-engineer" } else { "full-stack-engineer" };
        let who = json!({ "agentId": it.name, "role": role });
        let (status, body) = hub.post_as(&it.token, "/api/v1/tools/register_agent", &who);
        assert_eq!(status, 200, "{body}");
    }
    let asker_tokens: BTreeMap<String, String> = askers.iter().map(tokens).collect();
    let agent_tokens: BTreeMap<String, String> = agents.iter().map(tokens).collect();
    hub = thread::scope(|scope| {
        stage.port.store(hub.port(), Ordering::SeqCst);
        agents.into_iter().for_each(|it| drop(scope.spawn(move || it.works())));
        askers.into_iter().for_each(|it| drop(scope.spawn(move || it.asks())));
        scope.spawn(move || answerer.answers());
        let mut dice = Dice(SEED);
        for _ in 0..kills {
            pause(30 + dice.below(500) as u64);
            hub.kill();
            stage.port.store(0, Ordering::SeqCst);
            hub = start();
            stage.port.store(hub.port(), Ordering::SeqCst);
        }
        stage.enough.store(true, Ordering::SeqCst);
        comes_to_rest(&hub);
        stage.over.store(true, Ordering::SeqCst);
        hub
    });
    let mut promises = Promises::default();
    hears.into_iter().for_each(|promise| promises.take(promise));
    agent_tokens.iter().for_each(|(name, token)| hears_the_rest(&hub, name, token, &mut promises));
    ask_again(&hub, &asker_tokens, &promises);
    let tasks = tasks(&hub);
    let verdict = promises.against(&tasks);
    let (asked, told, unseen) = (promises.asked.len(), promises.count, stage.unseen.load(Ordering::SeqCst));
    println!("torture: {kills} kills, {asked} tasks, {told} promises, {unseen} answers unseen: {verdict}");
    assert!(verdict.is_clean(), "{verdict:#?}");
    assert!(asked > kills, "hardly anything was asked for");
    each_break_is_seen(&promises, &tasks);
    assert_eq!(hub.terminate().code(), Some(0));
    // A journal in a database has no command that looks at it alone.
    if settings.is_empty() {
        let verified = callboard(data_dir.path()).args(["journal", "verify"]).output().unwrap();
        assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    }
}

fn tokens(client: &Client<'_>) -> (String, String) {
    (client.name.clone(), client.token.clone())
}

/// What nobody called for yet is there to be heard; and what was heard does not come again.
fn hears_the_rest(hub: &HubProcess, agent: &str, token: &str, promises: &mut Promises) {
    let hears = || -> Vec<String> {
        let (status, body) = hub.post_as(token, "/api/v1/tools/get_agent_status", &json!({ "agentId": agent }));
        assert_eq!(status, 200, "{body}");
        let notices = body["notices"].as_array().into_iter().flatten();
        notices.map(|notice| notice["id"].as_str().unwrap().to_owned()).collect()
    };
    for notice in hears() {
        promises.take(Promise::Heard { agent: agent.to_owned(), notice });
    }
    assert_eq!(hears(), Vec::<String>::new(), "`{agent}` hears again what it heard");
}

/// Every key once more: each has to lead to the task that it led to. What was delegated is asked for by its holder
/// alone, and that has ended.
fn ask_again(hub: &HubProcess, tokens: &BTreeMap<String, String>, promises: &Promises) {
    for (key, (order, task)) in &promises.asked {
        let Some(token) = key.rsplit_once('-').and_then(|(asker, _)| tokens.get(asker)) else { continue };
        let headers = format!("Idempotency-Key: {key}\r\n");
        let answer = plain_http::send_with(hub.port(), "POST", "/api/v1/tasks", token, &headers, &order.body);
        let (_, answer) = answer.unwrap();
        assert_eq!(answer["taskId"], *task, "key `{key}`: {answer}");
    }
}

/// Waits until all has ended, or for so long that it never will. Who was about to ask once more has done so by the last
/// of the looks that find it.
fn comes_to_rest(hub: &HubProcess) {
    let mut calm = 0;
    for _ in 0..TIMEOUT {
        pause(100);
        calm = if all_has_ended(hub) { calm + 1 } else { 0 };
        if calm == CALM {
            return;
        }
    }
}

/// By one answer: a task that is answered and taken between two would be in neither.
fn all_has_ended(hub: &HubProcess) -> bool {
    let (status, snapshot) = hub.get("/api/v1/snapshot");
    status == 200 && snapshot["tasks"].as_array().is_some_and(Vec::is_empty)
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
