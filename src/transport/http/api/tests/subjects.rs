//! What each event is about: whoever listens for a session, a task or an agent misses nothing of it.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::desk;
use super::events::Reading;
use crate::actors::noticeboard::Event;
use crate::domain::agent::AgentRecord;
use crate::domain::schedule::ScheduleRecord;
use crate::domain::session::SessionRecord;
use crate::domain::task::TaskRecord;
use crate::journal::samples::terminal_records;
use crate::journal::{HubRecord, KINDS, Kept, Record, Seq};
use crate::transport::web::tests::{RouteFixture, agent};

const WORKER: &str = "fullstack-1";
const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";

/// What an event of this kind names, in a life in which the agent holds a task: the session, the task, the agent.
#[rustfmt::skip]
const fn named(record: &Record) -> (bool, bool, bool) {
    match record {
        Record::Review(_) | Record::Question(_) | Record::Pull(_) => (true, true, true),
        Record::Session(SessionRecord::Opened { .. }) => (true, false, true),
        Record::Session(
            SessionRecord::TakenUp | SessionRecord::Linked { .. } | SessionRecord::WorkflowStatus { .. },
        ) => (true, true, true),
        Record::Task(
            TaskRecord::Created { .. }
            | TaskRecord::DependencyMoved { .. }
            | TaskRecord::Edited { .. }
            | TaskRecord::Prioritised { .. },
        ) => (false, true, false),
        Record::Task(
            TaskRecord::Offered { .. } | TaskRecord::OfferReturned { .. } | TaskRecord::Acknowledged { .. }
            | TaskRecord::Progressed { .. } | TaskRecord::LeaseExtended { .. } | TaskRecord::GraceGiven { .. }
            | TaskRecord::Completed { .. }
            | TaskRecord::Failed { .. } | TaskRecord::Blocked { .. } | TaskRecord::Submitted { .. }
            | TaskRecord::Approved { .. } | TaskRecord::ChangesRequested { .. } | TaskRecord::Answered { .. }
            | TaskRecord::TimedOut { .. } | TaskRecord::Released { .. } | TaskRecord::Requeued { .. }
            | TaskRecord::Reassigned { .. } | TaskRecord::DeadLettered { .. } | TaskRecord::Cancelled { .. }
            | TaskRecord::Remarked { .. } | TaskRecord::RunStarted { .. } | TaskRecord::RunConversation { .. }
            | TaskRecord::RunWaiting { .. } | TaskRecord::RunResumed { .. } | TaskRecord::RunLimited { .. }
            | TaskRecord::RunBudget { .. }
            | TaskRecord::RunEnded { .. },
        ) => (false, true, true),
        // A terminal knows whose it is, and not what they work on.
        Record::Terminal(_) | Record::Agent(AgentRecord::Registered { .. }) => (true, false, true),
        Record::Agent(AgentRecord::NoticePosted { .. }) => (false, true, true),
        Record::Agent(
            AgentRecord::NoticeMoved { .. }
            | AgentRecord::NoticesHeard { .. }
            | AgentRecord::NoticesUndeliverable { .. }
            | AgentRecord::Evicted { .. }
            | AgentRecord::EvictionHeard,
        ) => {
            (false, false, true)
        }
        // An agent's run is about that agent.
        Record::Workflow(_) => (false, false, true),
        Record::Schedule(ScheduleRecord::Fired { .. }) => (false, true, false),
        Record::Schedule(_) => (false, false, false),
        Record::Hub(HubRecord::TaskStarving { .. }) => (false, true, false),
        Record::Hub(
            HubRecord::Started { .. } | HubRecord::Stopped | HubRecord::ActorRestarted { .. }
            | HubRecord::JournalMended { .. } | HubRecord::PatternForgotten { .. }
            | HubRecord::PatternPromoted { .. } | HubRecord::TicketIssued { .. } | HubRecord::TicketKept { .. }
            | HubRecord::TicketAnswered { .. } | HubRecord::TicketCancelled { .. } | HubRecord::TicketExpired { .. }
            | HubRecord::DeliveryDeadLettered { .. } | HubRecord::DeliveryRetried { .. }
            | HubRecord::DeliveryDropped { .. } | HubRecord::HookReceived { .. } | HubRecord::WebhookAdded { .. }
            | HubRecord::CommentReplied { .. }
            | HubRecord::WebhookChanged { .. } | HubRecord::WebhookRemoved { .. },
        ) => (false, false, false),
    }
}

async fn tool(desk: &RouteFixture, name: &str, body: Value) -> Value {
    let said = desk.post_as(&agent(WORKER), &format!("/api/v1/tools/{name}"), body).await;
    assert_eq!(said.status, 200, "{name}: {}", said.text);
    said.body
}

async fn registers(desk: &RouteFixture) -> Value {
    tool(desk, "register_agent", json!({"agentId": WORKER, "role": "full-stack-engineer"})).await["sessionId"].clone()
}

async fn takes_a_task(desk: &RouteFixture) -> String {
    let task = desk.task(WORKER, "Build it.").await;
    loop {
        // What is to be heard comes before work.
        let waited = tool(desk, "wait_for_prompt", json!({})).await;
        if waited["taskId"] == json!(task) {
            break;
        }
    }
    tool(desk, "ack_task", json!({ "taskId": task })).await;
    task
}

async fn asks(desk: &RouteFixture, dangerous: bool) -> String {
    let text = format!("Old or new, {dangerous}?");
    let ask = json!({"question": text, "options": ["old", "new"], "default_action": "old", "dangerous": dangerous,
        "wait_seconds": 0});
    tool(desk, "request_input", ask).await["question_id"].as_str().unwrap().to_owned()
}

async fn orders(desk: &RouteFixture, path: &str, body: Value) {
    let done = desk.post(path, body).await;
    assert!(done.status.is_success() || done.body["code"] == "ALREADY_RESOLVED", "{path}: {}", done.text);
}

/// A life in which everything happens to a session, its questions and its reviews.
async fn a_life(desk: &RouteFixture) -> (String, Value) {
    let session = registers(desk).await;
    let task = takes_a_task(desk).await;
    registers(desk).await;
    tool(desk, "link_task", json!({"work_item": "acme/web#12"})).await;
    tool(desk, "update_status", json!({"status": "working", "message": "on it"})).await;
    let question = asks(desk, false).await;
    tokio::time::sleep(Duration::from_secs(29 * 60)).await;
    let answer = format!("/api/v1/questions/{question}/answer");
    orders(desk, &answer, json!({"value": "new"})).await;
    orders(desk, &answer, json!({"value": "old"})).await;
    // It hears the answer with this call, and the next one shows that it did.
    tool(desk, "get_session", json!({})).await;
    tool(desk, "get_session", json!({})).await;
    let question = asks(desk, true).await;
    tokio::time::sleep(Duration::from_secs(31 * 60)).await;
    orders(desk, &format!("/api/v1/questions/{question}/answer"), json!({"value": "new"})).await;
    tool(desk, "get_session", json!({})).await;
    let leave = tool(desk, "ask_permission", json!({"tool": "Bash", "input": {"command": "make"}})).await;
    let question = leave["question_id"].as_str().unwrap().to_owned();
    orders(desk, &format!("/api/v1/questions/{question}/answer"), json!({"value": "allow once"})).await;
    tool(desk, "ask_permission", json!({"tool": "Bash", "input": {"command": "make"}})).await;
    for _ in 0..2 {
        tool(desk, "submit_for_review", json!({"diff": DIFF, "task_id": task})).await;
        orders(desk, &format!("/api/v1/reviews/{task}/comments"), json!({"text": "Why?"})).await;
        orders(desk, &format!("/api/v1/reviews/{task}/request-changes"), json!({"comments": [{"text": "No."}]})).await;
        let seen = desk.get(&format!("/api/v1/reviews/{task}")).await;
        let comment = seen.body["comments"][0]["id"].clone();
        orders(desk, &format!("/api/v1/reviews/{task}/resolve"), json!({ "commentId": comment })).await;
        while tool(desk, "wait_for_prompt", json!({})).await["taskId"] != json!(task) {}
        tool(desk, "ack_task", json!({ "taskId": task })).await;
    }
    tool(desk, "submit_for_review", json!({"diff": DIFF, "task_id": task})).await;
    orders(desk, &format!("/api/v1/reviews/{task}/approve"), json!({})).await;
    orders(desk, &format!("/api/v1/tasks/{task}/comments"), json!({"text": "Merge it."})).await;
    tool(desk, "submit_for_review", json!({"pr_id": "8", "task_id": task})).await;
    orders(desk, &format!("/api/v1/tasks/{task}/cancel"), json!({})).await;
    (task, session)
}

async fn kept(desk: &RouteFixture) -> Vec<Kept> {
    desk.hub.journal.read(|reader| reader.records(Seq(0), 10_000)).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn every_event_of_a_session_names_its_agent_and_the_task_that_it_holds() {
    let desk = desk().await;
    let (task, session) = a_life(&desk).await;
    let kept = kept(&desk).await;
    for kept in &kept {
        let event = Event::of(kept);
        let said = serde_json::to_value(&event.subject).unwrap();
        let (in_session, of_task, of_agent) = named(&kept.record);
        let wants = |named: bool, id: Value| if named { id } else { Value::Null };
        if in_session {
            assert_eq!(said["session"], session, "{} {said}", event.kind);
        }
        assert_eq!(said["task"], wants(of_task, json!(task)), "{} {said}", event.kind);
        assert_eq!(said["agent"], wants(of_agent, json!(WORKER)), "{} {said}", event.kind);
    }
    let seen: BTreeSet<&str> = kept.iter().map(|kept| kept.record.kind().name).collect();
    let families = ["session", "question", "review"];
    let of_terminals = terminal_records().into_iter().map(|record| Record::Terminal(record).kind());
    let of_terminals: Vec<_> = of_terminals.collect();
    let wanted = KINDS.iter().filter(|kind| families.contains(&kind.family()) && !of_terminals.contains(kind));
    // By a webhook alone, as tools/tests/news.rs tells it.
    let by_hook = "review.taken_back";
    let unseen = wanted.map(|kind| kind.name).filter(|name| *name != by_hook && !seen.contains(name));
    let unseen: Vec<&str> = unseen.collect();
    assert_eq!(unseen, [""; 0], "the story has one of each");
    for kind in ["task.approved", "task.changes_requested", "task.answered", "task.cancelled", "task.remarked"] {
        assert!(seen.contains(kind), "{kind}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_listens_for_an_agent_a_task_or_a_session_hears_all_of_it() {
    let desk = desk().await;
    let (task, session) = a_life(&desk).await;
    let session = session.as_str().unwrap().to_owned();
    // Somebody else, who is not to be heard of.
    desk.registers("tester-1", "test-engineer").await;
    desk.task("tester-1", "Test it.").await;
    let kept = kept(&desk).await;
    for (filter, id) in [("agent", WORKER), ("task", &task), ("session", &session)] {
        let about = |kept: &&Kept| json!(Event::of(kept).subject)[filter] == json!(id);
        let wanted: Vec<u64> = kept.iter().filter(about).map(|kept| kept.seq.0).collect();
        let path = format!("/api/v1/events?after=0&{filter}={id}");
        let mut reading = Reading::of(&desk, &path, &[("accept", "application/x-ndjson")]).await;
        let mut heard: Vec<Value> = Vec::new();
        while heard.len() < wanted.len() {
            let piece = reading.piece().await.unwrap();
            heard.extend(piece.lines().filter_map(|line| serde_json::from_str(line).ok()));
        }
        assert_eq!(reading.piece().await.unwrap(), "\n", "and nothing else");
        let seqs: Vec<u64> = heard.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, wanted, "{filter}");
        let of =
            |family: &str| heard.iter().filter(|event| event["type"].as_str().unwrap().starts_with(family)).count();
        assert!(of("session.") > 5 && of("question.") > 5 && of("review.") > 5, "{filter}: {seqs:?}");
    }
}
