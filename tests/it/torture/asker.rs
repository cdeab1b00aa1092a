//! Who asks for work, calls some of it off, and answers what workers ask back.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::client::Client;
use super::orders::{Kind, Order};
use super::promises::Promise;
use crate::support::pause;

/// Askers hold back while so many tasks are on their way.
const AT_ONCE: usize = 120;

impl Client<'_> {
    /// Asks for work until it is enough, each time with a key of its own, now and then with an old one again.
    pub(super) fn asks(mut self) {
        let mut asked: Vec<Order> = Vec::new();
        let mut plain: Option<String> = None;
        while !self.stage.enough.load(Ordering::SeqCst) {
            let ended = self.stage.ended.load(Ordering::SeqCst);
            if self.stage.asked.load(Ordering::SeqCst).saturating_sub(ended) > AT_ONCE {
                pause(10);
                continue;
            }
            let again = !asked.is_empty() && self.dice.below(8) == 0;
            let order = if again {
                asked[self.dice.below(asked.len())].clone()
            } else {
                Order::of(&self.name, asked.len(), plain.as_deref())
            };
            let Some(answer) = self.orders("/api/v1/tasks", &order.key, &order.body) else { return };
            match answer.1["taskId"].as_str() {
                Some(task) if answer.0 < 300 => {
                    self.tells(Promise::Asked { order: order.clone(), task: task.to_owned() });
                    if order.kind == Kind::Plain {
                        plain = Some(task.to_owned());
                    }
                    if order.kind == Kind::IsCalledOff && !again {
                        self.calls_off(task, &order.key);
                    }
                }
                Some(_) | None => self.was_refused(&order.key, &answer),
            }
            pause(20);
            if !again {
                asked.push(order);
                self.stage.asked.fetch_add(1, Ordering::SeqCst);
            }
        }
    }

    /// Its worker may have been quicker, and sometimes is given the time.
    fn calls_off(&mut self, task: &str, key: &str) {
        pause(self.dice.below(60) as u64);
        let (path, body) = (format!("/api/v1/tasks/{task}/cancel"), json!({ "reason": "not needed" }));
        let Some(answer) = self.orders(&path, &format!("call-off-{key}"), &body) else { return };
        match (answer.0, answer.1["code"].as_str()) {
            (200, _) => {
                self.stage.ended.fetch_add(1, Ordering::SeqCst);
                self.tells(Promise::CalledOff { task: task.to_owned() });
            }
            (409, Some("TASK_CLOSED")) => {}
            _ => self.was_refused(&format!("calling off `{task}`"), &answer),
        }
    }

    /// Answers whatever is BLOCKED on an answer until everything has ended.
    pub(super) fn answers(self) {
        while !self.stage.over.load(Ordering::SeqCst) {
            pause(50);
            let Some((200, page)) = self.reads("/api/v1/tasks?state=BLOCKED&limit=100") else { continue };
            for task in page["items"].as_array().into_iter().flatten() {
                let text = |field: &str| task[field].as_str().unwrap_or_default();
                if let Some((Kind::AsksBack, _)) = Kind::read(text("prompt")) {
                    self.answers_one(text("taskId"), task["attempts"].as_array().map_or(0, Vec::len));
                }
            }
        }
    }

    fn answers_one(&self, task: &str, attempts: usize) {
        let (path, body) = (format!("/api/v1/tasks/{task}/answer"), json!({ "answer": format!("so: {task}") }));
        let Some(answer) = self.orders(&path, &format!("answer-{task}-{attempts}"), &body) else { return };
        match answer.0 {
            200 => self.tells(Promise::Answered { task: task.to_owned() }),
            _ => self.was_refused(&format!("answering `{task}`"), &answer),
        }
    }
}
