//! Whose a task is when an order gets there: a right that was judged before it changed hands is judged anew.

use serde_json::{Value, json};

use super::desk;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{Principal, Scope};
use crate::settings::{LoadRequest, load};
use crate::transport::web::tests::{RouteFixture, person};

/// How many steps apart the two orders are begun, at the most.
const APART: usize = 60;

/// Ada may do something about the work of full-stack engineers alone.
async fn house() -> RouteFixture {
    let desk = desk().await;
    for (id, role) in [("fullstack-1", "full-stack-engineer"), ("designer-1", "designer")] {
        desk.registers(id, role).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let people = "people:\n  ada: {principal: \"person:ada\", canOperate: [full-stack-engineer]}\n";
    std::fs::write(folder.path().join("people.yaml"), people).unwrap();
    let request = LoadRequest { config_dir: Some(folder.path().to_owned()), ..LoadRequest::default() };
    desk.backstage.reload(load(&request).unwrap().settings);
    desk
}

fn bob() -> Principal {
    Principal { id: PrincipalId::parse("person:bob").unwrap(), ..person(Scope::Operate) }
}

/// Who did what to the task, in order.
async fn done(desk: &RouteFixture, task: &str) -> Vec<(String, String)> {
    let history = desk.get(&format!("/api/v1/tasks/{task}")).await.body["history"].clone();
    let word = |item: &Value, field: &str| item[field].as_str().unwrap().to_owned();
    let all = history.as_array().unwrap().iter().map(|item| (word(item, "by"), word(item, "type")));
    all.filter(|(_, what)| what != "task.created").collect()
}

/// Ada orders something about a task of a full-stack engineer, and Bob gives it to a designer, the later the further
/// they are apart. What she was answered; hers is never what comes second.
async fn race(desk: &RouteFixture, verb: &str, body: &Value, apart: usize) -> u16 {
    let made = desk.post_as(&bob(), "/api/v1/tasks", json!({"targetAgentId": "fullstack-1", "prompt": "x"})).await;
    let task = made.body["taskId"].as_str().unwrap().to_owned();
    let path = |verb: &str| format!("/api/v1/tasks/{task}/{verb}");
    let (hers, his, ada) = (path(verb), path("reassign"), person(Scope::Operate));
    let later = |steps: usize| async move {
        for _ in 0..steps {
            tokio::task::yield_now().await;
        }
    };
    let moves = async {
        later(apart).await;
        desk.post_as(&bob(), &his, json!({"targetAgentId": "designer-1"})).await
    };
    let orders = async {
        later(APART - apart).await;
        desk.post_as(&ada, &hers, body.clone()).await
    };
    let (order, _) = tokio::join!(orders, moves);
    let done = done(desk, &task).await;
    let moved = done.iter().position(|(by, _)| by == "person:bob");
    let hers = done.iter().position(|(by, _)| by == "person:ada");
    assert!(moved.is_none() || hers < moved, "{verb}, {apart} apart: {done:?}: {}", order.text);
    order.status.as_u16()
}

#[tokio::test(start_paused = true)]
async fn no_order_slips_through_while_a_task_changes_hands() {
    let desk = house().await;
    for (verb, body) in [("cancel", json!({})), ("reassign", json!({"targetAgentId": "fullstack-1"}))] {
        let mut outcomes = std::collections::BTreeSet::new();
        for apart in 0..APART {
            outcomes.insert(race(&desk, verb, &body, apart).await);
        }
        let both = outcomes.contains(&200) && outcomes.contains(&403);
        assert!(verb != "cancel" || both, "{verb}: each comes first now and then: {outcomes:?}");
    }
}
