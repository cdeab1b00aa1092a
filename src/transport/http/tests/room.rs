//! A disk without room, under the real store and the whole of the hub: what would change something is refused, reads go
//! on, and whatever was acknowledged is there when there is room again.
//!
//! SQLite is told how many pages its file may have; to all that stands above, that is a disk that is full.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::guarded_hub::{Answer, GuardedHub};
use crate::actors::journal::JournalReads;
use crate::domain::ids::TaskId;
use crate::domain::principal::Scope;
use crate::journal::sqlite::{self, Durability, SqliteStore};
use crate::journal::{Append, Reader as _, Seq, Store, WriteError, Written};

/// As much as it likes.
const ANY: u32 = u32::MAX;

/// The store on a disk with so many pages.
struct Cramped {
    inner: SqliteStore,
    pages: Arc<AtomicU32>,
}

impl Store for Cramped {
    fn write(&mut self, batch: &[Append]) -> Vec<Result<Written, WriteError>> {
        self.inner.cramp(self.pages.load(Ordering::Relaxed));
        self.inner.write(batch)
    }

    fn position(&self) -> Seq {
        self.inner.position()
    }

    fn blocks(&self) -> bool {
        true
    }
}

/// A task with a text that needs pages of its own.
async fn asks(house: &GuardedHub, operator: &str, number: usize) -> Answer {
    let prompt = format!("{number} {}", "x".repeat(20_000));
    let body = json!({ "targetAgentId": "role:full-stack-engineer", "prompt": prompt });
    house.orders_once("POST", "/api/v1/tasks", operator, &format!("key-{number}"), body).await
}

async fn listed(house: &GuardedHub, operator: &str) -> BTreeSet<String> {
    let page = house.orders("GET", "/api/v1/tasks?limit=200", operator, Value::Null).await;
    assert_eq!(page.status, 200, "{}", page.text);
    page.body["items"].as_array().unwrap().iter().map(|task| task["taskId"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn without_room_changes_are_refused_reads_go_on_and_nothing_that_was_acknowledged_is_lost() {
    let folder = TempDir::new().unwrap();
    let (store, reader) = sqlite::open(&folder.path().join("callboard.db"), Durability::Full).unwrap();
    let pages = Arc::new(AtomicU32::new(ANY));
    let store = Cramped { inner: store, pages: Arc::clone(&pages) };
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader), |_| {}).await;
    let (operator, agent) = (house.token_of("ada", Scope::Operate), house.agent_token("fullstack-1"));
    let who = json!({ "agentId": "fullstack-1", "role": "full-stack-engineer" });
    let uses = async |tool: &str, body: &Value| {
        house.orders("POST", &format!("/api/v1/tools/{tool}"), &agent, body.clone()).await
    };
    assert_eq!(uses("register_agent", &who).await.status, 200);
    let held = asks(&house, &operator, 0).await.body["taskId"].as_str().unwrap().to_owned();
    assert_eq!(uses("wait_for_prompt", &json!({ "timeout": 5 })).await.body["taskId"], held.as_str());
    assert_eq!(uses("ack_task", &json!({ "taskId": held })).await.status, 200);

    // What there is, and a little: it is full after a few.
    pages.store(1, Ordering::Relaxed);
    let (mut kept, mut refused) = (BTreeSet::from([held.clone()]), Vec::new());
    for number in 1..40 {
        let answer = asks(&house, &operator, number).await;
        if answer.status.is_success() {
            kept.insert(answer.body["taskId"].as_str().unwrap().to_owned());
        } else {
            assert_eq!(
                (answer.status.as_u16(), &answer.body["code"]),
                (507, &json!("STORAGE_FULL")),
                "{}",
                answer.text
            );
            refused.push(number);
        }
    }
    assert!(!refused.is_empty(), "there was room for everything");
    let large = json!({ "taskId": held, "status": "COMPLETED", "message": "y".repeat(200_000) });
    let report = uses("send_response", &large).await;
    assert_eq!(report.body["code"], "STORAGE_FULL", "{}", report.text);
    assert_eq!(listed(&house, &operator).await, kept, "reads go on, and show what was acknowledged and no more");
    assert_eq!(uses("list_agents", &json!({})).await.status, 200);
    let shown = house.orders("GET", &format!("/api/v1/tasks/{held}"), &operator, Value::Null).await;
    assert_eq!(shown.body["state"], "IN_PROGRESS", "{}", shown.text);

    pages.store(ANY, Ordering::Relaxed);
    assert_eq!(uses("send_response", &large).await.body["success"], true, "the lease went on");
    for number in refused {
        let answer = asks(&house, &operator, number).await;
        assert!(answer.status.is_success(), "{}", answer.text);
        let again = asks(&house, &operator, number).await;
        assert_eq!(again.body["taskId"], answer.body["taskId"], "its key was not spent on the refusal");
        kept.insert(answer.body["taskId"].as_str().unwrap().to_owned());
    }
    assert_eq!(listed(&house, &operator).await, kept);
    house.ends().await;
    let (_store, reader) = sqlite::open(&folder.path().join("callboard.db"), Durability::Full).unwrap();
    for id in kept {
        let task = reader.task(&TaskId::parse(&id).unwrap()).unwrap();
        assert!(task.is_some(), "{id} is lost after a restart");
    }
}
