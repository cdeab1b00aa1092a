//! Ends, restarts, and actors that fail.

use std::time::Duration;

use super::hub::{Hub, act};
use crate::actors::agent::{AgentError, WaitEnd};
use crate::domain::agent::{AgentRefusal, Eviction, EvictionAction};
use crate::domain::ids::LeaseEpoch;
use crate::domain::task::{ReportKind, TaskCommand, TaskStateName};
use crate::journal::inspect::verify_reader;

#[tokio::test(start_paused = true)]
async fn after_a_restart_queued_work_waits_leases_go_on_and_late_answers_count() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let leased = hub.asks("tester-1", "in the middle").await;
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    agent.acknowledges(&leased.task_id).await.unwrap();
    let queued = hub.asks("role:designer", "waiting").await;
    let store = hub.reader.reopened();
    drop(hub);

    let hub = Hub::over(store).await;
    assert_eq!(hub.state(&leased.task_id).await, TaskStateName::InProgress);
    assert_eq!(hub.state(&queued.task_id).await, TaskStateName::Queued);
    let agent = hub.stranger("tester-1").await;
    let said = agent.reports_under(&leased.task_id, Some(LeaseEpoch(1)), ReportKind::Completed, "done").await;
    assert_eq!(said.unwrap().state, TaskStateName::Completed);
    let designer = hub.agent("designer-1", "designer").await;
    assert!(matches!(designer.waits().await, WaitEnd::Task(_)));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_superseded_connection_stays_so_after_a_restart() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    for instance in ["one", "two"] {
        agent.registers("test-engineer", Some(instance)).await;
    }
    let store = hub.reader.reopened();
    drop(hub);

    let hub = Hub::over(store).await;
    let agent = hub.stranger("tester-1").await;
    let superseded = agent.calls_over("one").await.unwrap_err();
    assert!(matches!(superseded, AgentError::Refused(AgentRefusal::Superseded { .. })), "{superseded}");
    agent.calls_over("two").await.unwrap();
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn open_waits_hear_that_the_hub_goes_down() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let wait = agent.parks();
    tokio::time::sleep(Duration::from_millis(1)).await;
    hub.ends().await;
    assert!(matches!(wait.await.unwrap(), WaitEnd::Draining));
}

#[tokio::test(start_paused = true)]
async fn any_actor_that_ends_is_built_anew_and_the_round_goes_on() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let receipt = hub.asks("tester-1", "survive").await;
    let names =
        ["dispatcher".to_owned(), "alarm".to_owned(), format!("task:{}", receipt.task_id), "agent:tester-1".to_owned()];
    for name in &names {
        hub.hub.supervisor.restart(name).await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let portrait = hub.hub.supervisor.portrait(name).await.unwrap().unwrap();
        assert_eq!(portrait.restarts.count, 1, "{name} is drawn with its restart");
        assert_ne!(portrait.state, "silent", "{name} answers again");
    }
    let WaitEnd::Task(task) = agent.waits().await else { panic!("nothing was offered") };
    assert_eq!(task.spec.id, receipt.task_id);
    // The rebuilt alarm knows the offer's deadline.
    tokio::time::sleep(Duration::from_secs(301)).await;
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::Queued);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn the_tree_shows_each_actor_with_its_next_deadline_and_why() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let receipt = hub.asks("tester-1", "look").await;
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    let tree = hub.hub.supervisor.tree(100).await.unwrap();
    let kinds: Vec<_> = tree.children.iter().map(|child| child.kind).collect();
    for kind in ["journal", "noticeboard", "alarm", "dispatcher", "agent", "task", "session"] {
        assert!(kinds.contains(&kind), "{kind} is missing in {kinds:?}");
    }
    let name = format!("task:{}", receipt.task_id);
    let task = tree.children.iter().find(|child| child.id == name).unwrap();
    assert_eq!(task.state, "ASSIGNED");
    assert!(task.deadline.unwrap().reason.contains("acknowledged"));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_was_sent_away_hears_it_also_while_the_disk_is_full() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    agent.is_sent_away().await;
    hub.faults.fill();
    let began = hub.hub.clock.now();
    assert!(matches!(agent.waits().await, WaitEnd::Evicted(_)));
    assert_eq!(hub.hub.clock.now(), began, "told at once");
    hub.faults.mend();
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_journal_of_agents_that_come_again_and_are_sent_away_keeps_its_promises() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        agent.registers("test-engineer", None).await;
    }
    let eviction = Eviction { action: EvictionAction::Restart, reason: "again".to_owned() };
    agent.line.evict(eviction, act(&hub.hub, TaskCommand::Tick, "operator").cause.by).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    agent.registers("test-engineer", None).await;
    let report = verify_reader(&hub.reader, |_, _| {}).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    hub.ends().await;
}
