//! Who waits for work and does it.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::client::Client;
use super::orders::{Kind, Order, TESTERS, tester};
use super::promises::Promise;
use crate::support::pause;

/// An offer that a worker took.
struct Lease {
    task: String,
    epoch: u64,
    kind: Kind,
    key: String,
}

impl Client<'_> {
    /// Waits, works and reports until everything has ended. `asked_back` is what this one asked back about: a task
    /// that was answered comes to who had it, and if to another one, that one asks again.
    pub(super) fn works(mut self) {
        let mut asked_back = BTreeSet::new();
        while !self.stage.over.load(Ordering::SeqCst) {
            let Some(answer) = self.uses_once("wait_for_prompt", &json!({ "timeout": 1 })) else { continue };
            let offer = &answer.1;
            if answer.0 != 200 {
                self.was_refused("wait", &answer);
                pause(50);
                continue;
            }
            let (task, epoch) = (offer["taskId"].as_str(), offer["leaseEpoch"].as_u64());
            let (Some(task), Some(epoch)) = (task, epoch) else { continue };
            let Some((kind, key)) = offer["prompt"].as_str().and_then(|text| Kind::read(text.trim())) else {
                self.was_refused("an offer that nobody asked for", &answer);
                continue;
            };
            let lease = Lease { task: task.to_owned(), epoch, kind, key: key.to_owned() };
            self.tells(Promise::Offered { task: lease.task.clone(), agent: self.name.clone(), epoch });
            self.takes(&lease, &mut asked_back);
        }
    }

    fn takes(&mut self, lease: &Lease, asked_back: &mut BTreeSet<String>) {
        let arguments = json!({ "taskId": lease.task, "leaseEpoch": lease.epoch });
        let Some(answer) = self.uses("ack_task", &arguments) else { return };
        if !self.goes_on("acknowledgement", lease, &answer) {
            return;
        }
        self.tells(Promise::Leased { task: lease.task.clone(), agent: self.name.clone(), epoch: lease.epoch });
        if self.dice.below(3) == 0 && !self.reports("update_progress", lease, &json!({ "message": "half way" })) {
            return;
        }
        match lease.kind {
            Kind::AsksBack if !asked_back.contains(&lease.task) => {
                let words = json!({ "status": "BLOCKED", "message": "need a word", "blockedReason": "how?" });
                if self.reports("send_response", lease, &words) {
                    asked_back.insert(lease.task.clone());
                    self.tells(Promise::AskedBack { task: lease.task.clone() });
                }
                return;
            }
            Kind::Delegates if !self.delegates(lease) => return,
            Kind::Tells if !self.writes(lease) => return,
            Kind::Plain
            | Kind::Fails
            | Kind::AsksBack
            | Kind::Delegates
            | Kind::IsCalledOff
            | Kind::Waits
            | Kind::Tells
            | Kind::Part => {}
        }
        let status = if lease.kind == Kind::Fails { "FAILED" } else { "COMPLETED" };
        let message = format!("{status} by {} under {}", self.name, lease.epoch);
        if self.reports("send_response", lease, &json!({ "status": status, "message": message })) {
            if lease.kind != Kind::Part {
                self.stage.ended.fetch_add(1, Ordering::SeqCst);
            }
            self.tells(Promise::Ended { task: lease.task.clone(), state: status.to_owned(), message });
        }
    }

    /// Whether the holder of a lease was heard. A no is a broken promise, since leases outlive the hub; except where
    /// the task was called off.
    fn reports(&mut self, tool: &str, lease: &Lease, words: &Value) -> bool {
        let mut arguments = words.clone();
        arguments["taskId"] = json!(lease.task);
        arguments["leaseEpoch"] = json!(lease.epoch);
        let Some(answer) = self.uses(tool, &arguments) else { return false };
        self.goes_on(tool, lease, &answer)
    }

    fn goes_on(&self, what: &str, lease: &Lease, answer: &(u16, Value)) -> bool {
        let called_off = lease.kind == Kind::IsCalledOff && answer.1["code"] == "TASK_CANCELLED";
        if answer.0 != 200 && !called_off {
            self.was_refused(&format!("{what} of `{}` under {}", lease.task, lease.epoch), answer);
        }
        answer.0 == 200
    }

    /// Hands a part to whoever tests, and waits until that is done.
    fn delegates(&mut self, lease: &Lease) -> bool {
        let order = Order::part_of(&lease.key);
        let Some(answer) = self.uses("assign_task", &order.body) else { return false };
        let Some(part) = answer.1["taskId"].as_str().filter(|_| answer.0 == 200).map(str::to_owned) else {
            self.was_refused("delegating", &answer);
            return false;
        };
        self.tells(Promise::Asked { order, task: part.clone() });
        loop {
            let Some(seen) = self.uses("wait_for_task", &json!({ "taskId": part, "timeout": 1 })) else { return false };
            if seen.0 != 200 {
                self.was_refused("waiting for a part", &seen);
                return false;
            }
            if seen.1["ended"] == true {
                return true;
            }
        }
    }

    /// Writes to one of those who test.
    fn writes(&mut self, lease: &Lease) -> bool {
        let to = tester(self.dice.below(TESTERS));
        let text = format!("note of {}", lease.key);
        // Another holder of the same task would write another note, and under another key.
        let key = format!("note-of-{}-by-{}", lease.key, self.name);
        let Some(answer) = self.uses("send_message", &json!({ "to": to, "text": text, "idempotencyKey": key })) else {
            return false;
        };
        let Some(notice) = answer.1["noticeId"].as_str().filter(|_| answer.0 == 200) else {
            self.was_refused("writing", &answer);
            return false;
        };
        self.tells(Promise::Wrote { key, to, notice: notice.to_owned() });
        true
    }
}
