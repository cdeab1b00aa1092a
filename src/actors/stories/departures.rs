//! Clients that go away: what becomes of their offers, and what others see.

use std::time::Duration;

use super::hub::{Hub, Player};
use crate::actors::agent::{Awaited, CallId, ClientGone, WaitEnd, WaitRequest};
use crate::domain::agent::{Availability, DepartureKind};
use crate::domain::task::TaskStateName;

fn goes(player: &Player, instance: &str, connection: Option<u64>, how: DepartureKind) {
    let gone = ClientGone { instance: Some(instance.to_owned()), connection: connection.map(CallId), how };
    player.line.client_gone(gone);
}

fn connects(player: &Player, instance: &str, connection: u64) {
    player.line.is_present(Some(instance.to_owned()), CallId(connection));
}

async fn waits_over(hub: &Hub, player: &Player, instance: &str) -> WaitEnd {
    let until = hub.hub.clock.now() + Duration::from_secs(3_600);
    let request = WaitRequest {
        id: hub.hub.next_call(),
        instance: Some(instance.to_owned()),
        until,
        awaits: Awaited::Anything,
        nudges: false,
    };
    let (end, guard) = player.line.wait(request).await.unwrap();
    guard.leaves();
    end
}

/// What others see of it: its availability, and the note.
async fn looks(player: &Player) -> (Availability, Option<String>) {
    let view = player.line.show().await.unwrap().view;
    (view.availability, view.note)
}

#[tokio::test(start_paused = true)]
async fn what_a_client_that_ended_did_not_acknowledge_goes_to_the_next_at_once() {
    let hub = Hub::new().await;
    let first = hub.stranger("tester-1").await;
    first.registers("test-engineer", Some("s1")).await;
    let receipt = hub.asks("role:test-engineer", "test").await;
    assert!(matches!(waits_over(&hub, &first, "s1").await, WaitEnd::Task(_)));
    let second = hub.agent("tester-2", "test-engineer").await;
    let wait = second.parks();
    goes(&first, "s2", None, DepartureKind::Ended);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!wait.is_finished(), "another session of it ended");
    let began = hub.hub.clock.now();
    goes(&first, "s1", None, DepartureKind::Ended);
    let WaitEnd::Task(offered) = wait.await.unwrap() else { panic!("nothing was offered") };
    assert_eq!((&offered.spec.id, offered.epoch.0), (&receipt.task_id, 2));
    assert!(hub.hub.clock.now().since(began) < Duration::from_secs(1));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_lease_outlives_its_client_and_people_are_told() {
    let hub = Hub::new().await;
    let first = hub.stranger("tester-1").await;
    first.registers("test-engineer", Some("p1")).await;
    connects(&first, "p1", 1);
    let receipt = hub.asks("tester-1", "test").await;
    assert!(matches!(waits_over(&hub, &first, "p1").await, WaitEnd::Task(_)));
    first.acknowledges(&receipt.task_id).await.unwrap();
    goes(&first, "p1", Some(1), DepartureKind::Ended);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let (availability, note) = looks(&first).await;
    assert_eq!(availability, Availability::Offline);
    let note = note.expect("it is told");
    assert!(note.starts_with("its client ended 3 s ago; lease until "), "{note}");
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::InProgress);
    let items = hub.hub.inbox().await.unwrap();
    let item = items.iter().find(|item| item.id == format!("stranded:{}", receipt.task_id)).expect("it is there");
    assert!(item.reason.contains(&note) && item.deadline.is_some(), "{item:?}");
    let why = hub.hub.dispatcher.why(&receipt.task_id).await.unwrap().expect("it is open");
    assert!(why.summary.contains(&note), "{}", why.summary);
    assert!(why.agents[0].reasons.contains(&note), "{:?}", why.agents);
    first.calls_over("p1").await.unwrap();
    assert_eq!(looks(&first).await, (Availability::Working, None));
    assert!(hub.hub.inbox().await.unwrap().is_empty());
    assert_eq!(hub.hub.dispatcher.why(&receipt.task_id).await.unwrap().unwrap().summary, "tester-1 works on it");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_is_gone_only_with_its_last_connection() {
    let hub = Hub::new().await;
    let agent = hub.stranger("tester-1").await;
    agent.registers("test-engineer", Some("p1")).await;
    let is_there = (Availability::Working, None);
    // A proxy is back before the hub has noticed that its old connection is dead.
    connects(&agent, "p1", 1);
    connects(&agent, "p1", 2);
    goes(&agent, "p1", Some(1), DepartureKind::Lost);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(looks(&agent).await, is_there);
    // A client is restarted: the new one is there before the old one has ended.
    connects(&agent, "p2", 3);
    goes(&agent, "p1", Some(2), DepartureKind::Ended);
    assert_eq!(looks(&agent).await, is_there);
    // The old one ends late, after the new one has registered.
    connects(&agent, "p1", 4);
    agent.registers("test-engineer", Some("p2")).await;
    goes(&agent, "p1", Some(4), DepartureKind::Ended);
    assert_eq!(looks(&agent).await, is_there);
    // A second window opens and closes.
    connects(&agent, "p3", 5);
    goes(&agent, "p3", Some(5), DepartureKind::Ended);
    assert_eq!(looks(&agent).await, is_there);
    goes(&agent, "p2", Some(3), DepartureKind::Ended);
    assert_eq!(looks(&agent).await.0, Availability::Offline);
    connects(&agent, "p2", 6);
    assert_eq!(looks(&agent).await, is_there);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_breaks_is_taken_for_lost_when_it_does_not_come_back() {
    let hub = Hub::new().await;
    let agent = hub.stranger("tester-1").await;
    agent.registers("test-engineer", Some("p1")).await;
    connects(&agent, "p1", 1);
    goes(&agent, "p1", Some(1), DepartureKind::Lost);
    tokio::time::sleep(Duration::from_secs(9)).await;
    assert_eq!(looks(&agent).await, (Availability::Working, None));
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (availability, note) = looks(&agent).await;
    assert_eq!(availability, Availability::Offline);
    assert_eq!(note.as_deref(), Some("the connection to its client broke 11 s ago"));
    let receipt = hub.asks("tester-1", "test").await;
    let why = hub.hub.dispatcher.why(&receipt.task_id).await.unwrap().expect("it is open");
    assert_eq!(why.agents[0].reasons, ["the connection to its client broke 11 s ago"]);
    hub.ends().await;
}
