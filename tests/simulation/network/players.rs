//! Who plays behind the network: agents that never forget what they were handed, and one who asks for work.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use super::wire::{Answer, HubConnection};
use crate::rng::Rng;

pub(super) const AGENTS: [(&str, &str); 3] =
    [("coder-1", "full-stack-engineer"), ("coder-2", "full-stack-engineer"), ("tester-1", "test-engineer")];
const TARGETS: [&str; 5] = ["coder-1", "tester-1", "role:full-stack-engineer", "any", "any"];

/// How many tasks are asked for.
const TASKS: usize = 10;

/// What does not say that it was not done, or never will be.
const AGAIN: [&str; 5] = ["UNAVAILABLE", "BUSY", "NOT_OWNER", "STORAGE_FAILED", "status 503"];

/// How long a short call may take.
const SHORT: Duration = Duration::from_secs(8);

/// What everybody was told.
#[derive(Default)]
pub(super) struct Book {
    /// The text of each task, and its id once that was answered.
    pub(super) asked: Vec<(String, Option<String>)>,
    /// Each last word, the task that it is about, and whether it was acknowledged.
    pub(super) said: Vec<(String, String, bool)>,
    /// Who was handed which offer.
    pub(super) handed: BTreeMap<(String, u64), usize>,
    pub(super) findings: Vec<String>,
    /// How often what happened.
    pub(super) counts: BTreeMap<String, u64>,
    /// Everything is done: agents may go.
    pub(super) over: bool,
}

pub(super) type Shared = Rc<RefCell<Book>>;

impl Book {
    pub(super) fn count(&mut self, what: &str) {
        *self.counts.entry(what.to_owned()).or_default() += 1;
    }

    fn hears(&mut self, answer: Option<&Answer>) {
        match answer {
            None => self.count("no answer"),
            Some(Ok(_)) => self.count("answer"),
            Some(Err(code)) => self.count(&format!("refused {code}")),
        }
    }
}

/// Registers, waits, works, reports; for as long as there is anything to do.
pub(super) async fn agent(number: usize, mut line: HubConnection, seed: u64, book: Shared) -> turmoil::Result {
    let mut rng = Rng::new(seed ^ (number as u64 + 1));
    let door = line.door;
    let mut registered = false;
    while !book.borrow().over {
        if !registered {
            let claim = json!({"agentId": AGENTS[number].0, "role": AGENTS[number].1, "capabilities": []});
            let answer = line.tool("register_agent", claim, SHORT).await;
            book.borrow_mut().hears(answer.as_ref());
            registered = matches!(answer, Some(Ok(_)));
            if !registered {
                sleep(Duration::from_millis(500 + rng.next() % 2_000)).await;
                continue;
            }
        }
        // Sometimes it gives up before the hub does: then a dead wait is left behind.
        let patience = Duration::from_secs(rng.one_of(&[4, 25, 25, 25]));
        let answer = line.tool("wait_for_prompt", json!({"timeout": 15}), patience).await;
        book.borrow_mut().hears(answer.as_ref());
        match answer {
            Some(Ok(fields)) if fields["status"] == "TASK" => works(number, &mut line, &mut rng, &fields, &book).await,
            Some(Ok(fields)) => {
                book.borrow_mut().count(&format!("{door:?} {}", fields["status"]));
                sleep(Duration::from_secs(1)).await;
            }
            None => sleep(Duration::from_millis(rng.next() % 3_000)).await,
            Some(Err(_)) => {
                registered = false;
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
    Ok(())
}

async fn works(number: usize, line: &mut HubConnection, rng: &mut Rng, task: &Value, book: &Shared) {
    let id = task["taskId"].as_str().unwrap_or_default().to_owned();
    let epoch = task["leaseEpoch"].as_u64().unwrap_or_default();
    {
        let mut book = book.borrow_mut();
        book.count("handed");
        if let Some(other) = book.handed.insert((id.clone(), epoch), number).filter(|other| *other != number) {
            book.findings.push(format!("T1: offer {epoch} of {id} was handed to {other} and to {number}"));
        }
    }
    if rng.percent(70) {
        let answer = line.tool("ack_task", json!({"taskId": id, "leaseEpoch": epoch}), SHORT).await;
        book.borrow_mut().hears(answer.as_ref());
        if matches!(answer, Some(Err(_))) {
            return;
        }
    }
    sleep(Duration::from_millis(rng.next() % 6_000)).await;
    if rng.percent(30) {
        let progress = json!({"taskId": id, "message": "halfway", "percent": 50});
        let answer = line.tool("update_progress", progress, SHORT).await;
        book.borrow_mut().hears(answer.as_ref());
    }
    let place = {
        let mut book = book.borrow_mut();
        let text = format!("done {} by {number}", book.said.len());
        book.said.push((text, id.clone(), false));
        book.said.len() - 1
    };
    let text = book.borrow().said[place].0.clone();
    // Said again until somebody answers: the same words are kept once.
    while !book.borrow().over {
        let response = json!({"taskId": id, "status": "COMPLETED", "message": text, "leaseEpoch": epoch});
        let answer = line.tool("send_response", response, SHORT).await;
        book.borrow_mut().hears(answer.as_ref());
        match answer {
            Some(Ok(_)) => {
                book.borrow_mut().said[place].2 = true;
                return;
            }
            Some(Err(code)) if !AGAIN.contains(&code.as_str()) => return,
            Some(Err(_)) | None => sleep(Duration::from_millis(300 + rng.next() % 1_500)).await,
        }
    }
}

/// Asks for work, each time until an answer comes, under a key; then waits until all of it is done.
pub(super) async fn asker(mut line: HubConnection, seed: u64, book: Shared) -> turmoil::Result {
    let mut rng = Rng::new(seed ^ 0xa5ce);
    for number in 0..TASKS {
        let prompt = format!("work {number}");
        book.borrow_mut().asked.push((prompt.clone(), None));
        let body = json!({"targetAgentId": rng.one_of(&TARGETS), "prompt": prompt});
        loop {
            let key = format!("Idempotency-Key: ask-{number}\r\n");
            let answer = line.plain("POST", "/api/v1/tasks", &key, &body, SHORT).await;
            book.borrow_mut().hears(answer.as_ref());
            if let Some(Ok(fields)) = answer {
                book.borrow_mut().asked[number].1 = fields["taskId"].as_str().map(str::to_owned);
                break;
            }
            sleep(Duration::from_millis(500 + rng.next() % 2_000)).await;
        }
        sleep(Duration::from_millis(rng.next() % 12_000)).await;
    }
    for number in 0..TASKS {
        let id = book.borrow().asked[number].1.clone().unwrap_or_default();
        loop {
            let answer = line.plain("GET", &format!("/api/v1/tasks/{id}"), "", &Value::Null, SHORT).await;
            if matches!(&answer, Some(Ok(task)) if task["state"] == "COMPLETED") {
                break;
            }
            sleep(Duration::from_secs(2)).await;
        }
    }
    book.borrow_mut().over = true;
    Ok(())
}
