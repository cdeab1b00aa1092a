//! The clients: agents who wait and work, askers who ask with keys. None of them gives up.

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::promises::Promise;
use crate::support::dice::Dice;
use crate::support::plain_http;

/// Askers hold back while so many tasks are on their way.
const AT_ONCE: usize = 60;

/// What the clients of a run share.
#[derive(Default)]
pub(super) struct Stage {
    /// Where the hub listens now; 0 while it is dead.
    pub(super) port: AtomicU16,
    /// No more is asked for.
    pub(super) enough: AtomicBool,
    /// Everything has ended; everybody goes home.
    pub(super) over: AtomicBool,
    /// Calls whose answer never came.
    pub(super) unseen: AtomicUsize,
    asked: AtomicUsize,
    ended: AtomicUsize,
}

/// Waits in real time: what is tested are real processes.
#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
pub(super) fn pause(milliseconds: u64) {
    thread::sleep(Duration::from_millis(milliseconds));
}

/// A client with its token.
pub(super) struct Client<'a> {
    pub(super) name: String,
    pub(super) token: String,
    pub(super) stage: &'a Stage,
    pub(super) told: Sender<Promise>,
    pub(super) dice: Dice,
}

impl Client<'_> {
    /// One call; nothing when no answer came, or one that says to come again.
    fn calls_once(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        let port = self.stage.port.load(Ordering::SeqCst);
        if port == 0 {
            pause(10);
            return None;
        }
        let answer = plain_http::send(port, "POST", path, &self.token, body);
        match answer {
            Ok((429 | 503, _)) => {
                pause(50);
                None
            }
            Ok((status, body)) if status != 0 && !body.is_null() => Some((status, body)),
            // Dead before or after it was done: only the hub could know.
            Ok(_) | Err(_) => {
                self.stage.unseen.fetch_add(1, Ordering::SeqCst);
                pause(10);
                None
            }
        }
    }

    /// Calls until there is an answer; nothing when everybody goes home.
    fn calls(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        while !self.stage.over.load(Ordering::SeqCst) {
            if let Some(answer) = self.calls_once(path, body) {
                return Some(answer);
            }
        }
        None
    }

    fn tells(&self, promise: Promise) {
        self.told.send(promise).unwrap();
    }

    /// Asks for work until it is enough, each time with a key of its own, now and then with an old one again.
    pub(super) fn asks(mut self, agents: usize) {
        let mut asked = 0;
        while !self.stage.enough.load(Ordering::SeqCst) {
            let ended = self.stage.ended.load(Ordering::SeqCst);
            if self.stage.asked.load(Ordering::SeqCst).saturating_sub(ended) > AT_ONCE {
                pause(10);
                continue;
            }
            let again = asked > 0 && self.dice.below(8) == 0;
            let number = if again { self.dice.below(asked) } else { asked };
            let (key, order) = order(&self.name, number, agents);
            let Some((status, body)) = self.calls("/api/v1/tasks", &order) else { return };
            match body["taskId"].as_str() {
                Some(task) if status < 300 => self.tells(Promise::Asked { key, task: task.to_owned() }),
                Some(_) | None => self.tells(Promise::Refused { what: format!("`{key}`: {status} {body}") }),
            }
            pause(20);
            if !again {
                asked += 1;
                self.stage.asked.fetch_add(1, Ordering::SeqCst);
            }
        }
    }

    /// Waits, works and reports until everything has ended.
    pub(super) fn works(mut self) {
        while !self.stage.over.load(Ordering::SeqCst) {
            let Some((status, offer)) = self.calls_once("/api/v1/tools/wait_for_prompt", &json!({ "timeout": 1 }))
            else {
                continue;
            };
            if status != 200 {
                self.tells(Promise::Refused { what: format!("wait of `{}`: {status} {offer}", self.name) });
                pause(50);
                continue;
            }
            if let (Some(task), Some(epoch)) = (offer["taskId"].as_str(), offer["leaseEpoch"].as_u64()) {
                let (task, agent) = (task.to_owned(), self.name.clone());
                self.tells(Promise::Offered { task: task.clone(), agent, epoch });
                self.takes(&task, epoch);
            }
        }
    }

    fn takes(&mut self, task: &str, epoch: u64) {
        let lease = json!({ "taskId": task, "leaseEpoch": epoch });
        let Some((status, body)) = self.calls("/api/v1/tools/ack_task", &lease) else { return };
        if status != 200 {
            self.tells(Promise::Refused {
                what: format!("acknowledgement of `{task}` under {epoch}: {status} {body}"),
            });
            return;
        }
        self.tells(Promise::Leased { task: task.to_owned(), agent: self.name.clone(), epoch });
        if self.dice.below(3) == 0 {
            let progress = json!({ "taskId": task, "leaseEpoch": epoch, "message": "half way", "percent": 50 });
            self.reports("update_progress", &progress);
        }
        let status = if self.dice.below(5) == 0 { "FAILED" } else { "COMPLETED" };
        let message = format!("{status} by {} under {epoch}", self.name);
        let response = json!({ "taskId": task, "leaseEpoch": epoch, "status": status, "message": message });
        if self.reports("send_response", &response) {
            self.stage.ended.fetch_add(1, Ordering::SeqCst);
            self.tells(Promise::Ended { task: task.to_owned(), state: status.to_owned(), message });
        }
    }

    /// Whether the holder of a lease was heard. A no is a broken promise: leases outlive the hub.
    fn reports(&self, tool: &str, arguments: &Value) -> bool {
        let Some((status, body)) = self.calls(&format!("/api/v1/tools/{tool}"), arguments) else { return false };
        if status != 200 {
            self.tells(Promise::Refused { what: format!("`{tool}` {arguments}: {status} {body}") });
        }
        status == 200
    }
}

/// The order number `number` of an asker, and its key. Half are for whoever is free, half for one agent.
pub(super) fn order(asker: &str, number: usize, agents: usize) -> (String, Value) {
    let key = format!("{asker}-{number}");
    let target = if number.is_multiple_of(2) { "role:full-stack-engineer".to_owned() } else { agent(number % agents) };
    let order = json!({ "targetAgentId": target, "prompt": format!("do {key}"), "idempotencyKey": key });
    (key, order)
}

/// The name of an agent.
pub(super) fn agent(number: usize) -> String {
    format!("worker-{number}")
}
