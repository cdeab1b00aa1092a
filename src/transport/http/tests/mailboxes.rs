//! A mailbox without room: whoever comes on top hears so and may come again, nobody else notices, and whatever was
//! taken in is done.
//!
//! The disk stands still, so that an order to a task stays under way, and the next ones wait behind it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::guarded_hub::{Answer, GuardedHub};
use crate::actors::journal::JournalReads;
use crate::domain::ids::TaskId;
use crate::domain::principal::Scope;
use crate::journal::memory::{self, MemoryStore};
use crate::journal::{Append, Seq, Store, WriteError, Written};
use crate::settings::Settings;

/// How many messages may wait for one actor.
const ROOM: usize = 4;

/// How many orders are given at once.
const ORDERS: usize = 16;

/// Only a hang takes longer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A disk that can be made to stand still.
struct SlowDisk {
    inner: MemoryStore,
    still: Arc<AtomicBool>,
    go: mpsc::Receiver<()>,
    began: UnboundedSender<()>,
}

/// Its other end.
struct Disk {
    still: Arc<AtomicBool>,
    go: mpsc::Sender<()>,
    /// A word for each write that waits.
    began: UnboundedReceiver<()>,
}

impl Store for SlowDisk {
    fn write(&mut self, batch: &[Append]) -> Vec<Result<Written, WriteError>> {
        if self.still.load(Ordering::SeqCst) {
            self.began.send(()).unwrap();
            self.go.recv().unwrap();
        }
        self.inner.write(batch)
    }

    fn position(&self) -> Seq {
        self.inner.position()
    }

    fn blocks(&self) -> bool {
        true
    }
}

/// An agent at work: its token, and its task.
async fn at_work(house: &GuardedHub, operator: &str, agent: &str) -> (String, String) {
    let token = house.agent_token(agent);
    let uses = async |tool: &str, body: Value| {
        let said = house.orders("POST", &format!("/api/v1/tools/{tool}"), &token, body).await;
        assert_eq!(said.status, StatusCode::OK, "{}", said.text);
        said
    };
    uses("register_agent", json!({ "agentId": agent, "role": "full-stack-engineer" })).await;
    let work = json!({ "targetAgentId": agent, "prompt": "work" });
    let task = house.orders("POST", "/api/v1/tasks", operator, work).await.body["taskId"].as_str().unwrap().to_owned();
    assert_eq!(uses("wait_for_prompt", json!({ "timeout": 5 })).await.body["taskId"], task.as_str());
    uses("ack_task", json!({ "taskId": task })).await;
    (token, task)
}

#[tokio::test]
async fn a_full_mailbox_is_said_by_name_harms_nobody_else_and_loses_nothing() {
    let (store, reader) = memory::open();
    let still = Arc::new(AtomicBool::new(false));
    let (go, waits) = mpsc::channel();
    let (begins, began) = tokio::sync::mpsc::unbounded_channel();
    let store = SlowDisk { inner: store, still: Arc::clone(&still), go: waits, began: begins };
    let room = |settings: &mut Settings| settings.hub.limits.mailbox = ROOM;
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader), room).await;
    fills(&house, &mut Disk { still, go, began }).await;
    house.ends().await;
}

async fn fills(house: &GuardedHub, disk: &mut Disk) {
    let operator = house.token_of("ada", Scope::Admin);
    let (first, task) = at_work(house, &operator, "a1").await;
    let (second, other) = at_work(house, &operator, "a2").await;
    let looks = async |path: &str| house.orders("GET", path, &operator, Value::Null).await;

    let actor = house.backstage.hub.dispatcher.task(&TaskId::parse(&task).unwrap()).await.unwrap().unwrap();
    disk.still.store(true, Ordering::SeqCst);
    let words = |number: usize| format!("canary {number:02}.");
    let mut orders = FuturesUnordered::new();
    // One is under way, and behind it there is room for so many.
    for number in 0..=ROOM {
        orders.push(reports(house, &first, &task, words(number)));
        let taken_in = async {
            if number == 0 {
                disk.began.recv().await.unwrap();
            }
            while actor.waiting() < number {
                yield_now().await;
            }
        };
        tokio::select! {
            said = orders.next() => panic!("{number}: {said:?}"),
            () = in_time(taken_in) => {}
        }
    }
    let refused: Vec<usize> = (ROOM + 1..ORDERS).collect();
    for number in &refused {
        let said = in_time(reports(house, &first, &task, words(*number))).await;
        assert_eq!((said.status, said.code()), (StatusCode::SERVICE_UNAVAILABLE, "BUSY"), "{}", said.text);
        assert!(said.text.contains(&format!("task:{task}")), "it says who is busy: {}", said.text);
        let after = said.headers["retry-after"].to_str().unwrap();
        assert!(after.parse::<u32>().is_ok_and(|seconds| seconds > 0), "{after}");
    }
    let over_mcp = house.calls(&first, "update_progress", json!({ "taskId": task, "message": "canary 99." })).await;
    let told = &over_mcp.body["result"];
    assert_eq!((&told["isError"], &told["structuredContent"]["code"]), (&json!(true), &json!("BUSY")), "{told}");

    // Another's work is taken in, and whoever looks sees.
    let mut others = Box::pin(reports(house, &second, &other, "of another".to_owned()));
    for path in ["/api/v1/tasks", "/api/v1/agents", &format!("/api/v1/tasks/{task}"), "/admin/actors", "/metrics"] {
        tokio::select! {
            biased;
            said = others.as_mut() => panic!("it waits for the disk alone: {}", said.text),
            said = looks(path) => assert_eq!(said.status, StatusCode::OK, "{path}: {}", said.text),
        }
    }
    assert!(
        orders.next().now_or_never().is_none() && actor.waiting() == ROOM,
        "those that were taken in wait for the disk"
    );

    disk.still.store(false, Ordering::SeqCst);
    disk.go.send(()).unwrap();
    while let Some(said) = in_time(orders.next()).await {
        assert_eq!(said.status, StatusCode::OK, "{}", said.text);
    }
    assert_eq!(in_time(others).await.status, StatusCode::OK);
    assert!(looks(&format!("/api/v1/tasks/{other}")).await.text.contains("of another"));
    let kept = looks(&format!("/api/v1/tasks/{task}")).await.text;
    for number in (0..ORDERS).chain([99]) {
        let wanted = number <= ROOM;
        assert_eq!(kept.contains(&words(number)), wanted, "{number}: what was taken in is done, and nothing else");
    }
    for number in refused {
        let said = reports(house, &first, &task, words(number)).await;
        assert_eq!(said.status, StatusCode::OK, "now there is room: {}", said.text);
    }
}

/// Reports progress once, whatever comes of it.
async fn reports(house: &GuardedHub, token: &str, task: &str, words: String) -> Answer {
    let body = json!({ "taskId": task, "message": words });
    house.orders_once("POST", "/api/v1/tools/update_progress", token, &words, body).await
}

/// What comes, and does come.
async fn in_time<T>(what: impl Future<Output = T>) -> T {
    timeout(TIMEOUT, what).await.expect("only a hang takes so long")
}
