//! Ends, restarts, and actors that fail.

use std::time::Duration;

use super::hub::{Hub, act};
use crate::actors::agent::{AgentError, AgentMessage, Awaited, WaitEnd, WaitRequest};
use crate::actors::dispatcher::DispatcherMessage;
use crate::domain::agent::{AgentRefusal, Eviction, EvictionAction};
use crate::domain::ids::{LeaseEpoch, TaskId};
use crate::domain::task::{Authority, Comment, CommentKind, ReportKind, TaskCommand, TaskStateName};
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
        let actor_view = hub.hub.supervisor.actor_view(name).await.unwrap().unwrap();
        assert_eq!(actor_view.restarts.count, 1, "{name} is drawn with its restart");
        assert_ne!(actor_view.state, "silent", "{name} answers again");
    }
    let WaitEnd::Task(task) = agent.waits().await else { panic!("nothing was offered") };
    assert_eq!(task.spec.id, receipt.task_id);
    // The rebuilt alarm knows the offer's deadline.
    tokio::time::sleep(Duration::from_secs(301)).await;
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::Queued);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_gives_an_order_while_an_actor_is_rebuilt_waits_that_moment() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let receipt = hub.asks("tester-1", "survive").await;
    let task = format!("task:{}", receipt.task_id);
    for _ in 0..3 {
        hub.hub.supervisor.restart(&task).await.unwrap().unwrap();
        let line = hub.hub.task_line(&receipt.task_id).await.unwrap().expect("it is open");
        assert_eq!(line.show().await.unwrap().state.name(), TaskStateName::Queued);
    }
    hub.hub.supervisor.restart("dispatcher").await.unwrap().unwrap();
    assert!(hub.hub.task_line(&receipt.task_id).await.unwrap().is_some());
    hub.hub.supervisor.restart("agent:tester-1").await.unwrap().unwrap();
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    hub.hub.supervisor.restart(&task).await.unwrap().unwrap();
    agent.acknowledges(&receipt.task_id).await.expect("the task is busy for a moment, and not closed");
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::InProgress);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_offer_whose_answer_is_lost_while_its_agent_is_built_anew_goes_on_at_once() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    hub.asks("role:test-engineer", "survive").await;
    let until = hub.hub.clock.now() + Duration::from_secs(60);
    let request =
        WaitRequest { id: hub.hub.next_call(), instance: None, until, awaits: Awaited::Anything, nudges: false };
    let (end, guard) = agent.line.wait(request).await.unwrap();
    guard.leaves();
    let WaitEnd::Task(first) = end else { panic!("it is offered") };
    let heir = hub.agent("tester-2", "test-engineer").await.parks();
    hub.hub.supervisor.restart("agent:tester-1").await.unwrap().unwrap();
    // The new actor may hear this before its task has said that the agent holds it.
    agent.line.show().await.unwrap();
    agent.line.send(AgentMessage::Holds { task: first.spec.id.clone(), held: None });
    guard.lost();
    hub.hub.dispatcher.tell(DispatcherMessage::AgentBuilt { id: agent.id.clone(), agent: agent.line.clone() });
    let began = hub.hub.clock.now();
    let WaitEnd::Task(second) = heir.await.unwrap() else { panic!("it goes on to the other") };
    assert_eq!((second.epoch.0, &second.spec.id), (2, &first.spec.id));
    assert!(hub.hub.clock.now().since(began) < Duration::from_secs(1), "long before its `ackBy`");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn after_a_session_is_built_anew_its_own_agent_alone_looks_for_what_it_was_not_told() {
    let hub = Hub::new().await;
    let (agent, other) = (hub.agent("tester-1", "test-engineer").await, hub.agent("tester-2", "test-engineer").await);
    let session = agent.line.show().await.unwrap().agent.registration.unwrap().session;
    let handled = || (agent.line.mailbox_metrics().handled(), other.line.mailbox_metrics().handled());
    let before = handled();
    hub.hub.supervisor.restart(&format!("session:{session}")).await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let after = handled();
    assert!(after.0 > before.0, "its agent looks: {after:?}");
    assert_eq!(after.1, before.1, "and nobody else");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn after_a_task_is_built_anew_those_alone_look_whom_it_may_have_told_something() {
    let hub = Hub::new().await;
    let (boss, worker) = (hub.agent("boss-1", "test-engineer").await, hub.agent("tester-1", "test-engineer").await);
    let other = hub.agent("tester-2", "test-engineer").await;
    let task = boss.delegates("tester-1", "look").await.unwrap().task_id;
    assert!(matches!(worker.waits().await, WaitEnd::Task(_)));
    let handled = || [&boss, &worker, &other].map(|agent| agent.line.mailbox_metrics().handled());
    let before = handled();
    hub.hub.supervisor.restart(&format!("task:{task}")).await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let after = handled();
    assert!(after[0] > before[0], "who asked for it looks");
    assert!(after[1] > before[1] + 1, "who holds it looks, beside hearing of the task itself");
    assert_eq!(after[2], before[2], "and nobody else");
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
    let eviction = Eviction { action: EvictionAction::Restart, reason: "again".to_owned(), for_good: false };
    agent.line.evict(eviction, act(&hub.hub, TaskCommand::Tick, "operator").cause.by).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    agent.registers("test-engineer", None).await;
    let report = verify_reader(&hub.reader, |_, _| {}).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_is_not_hammered_and_what_waited_for_it_goes_on_when_there_is_room() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let asked = hub.asks("tester-1", "work").await;
    hub.faults.fill();
    let wait = agent.parks();
    tokio::time::sleep(Duration::from_secs(200)).await;
    // The journal itself tries once a second; the task whose offer failed, ever less often.
    let failed = hub.hub.journal.view().await.unwrap().last_fault.unwrap().count;
    assert!(failed < 215, "{failed} writes failed");
    hub.faults.mend();
    let mended = hub.hub.clock.now();
    let WaitEnd::Task(offered) = wait.await.unwrap() else { panic!("no task") };
    assert_eq!(offered.spec.id, asked.task_id);
    let late = hub.hub.clock.now().since(mended);
    assert!(late <= Duration::from_millis(1_100), "it woke {late:?} after there was room");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_for_its_last_holder_is_kept_over_a_restart() {
    let (hub, kept) = kept_for_the_first_of_two().await;

    let hub = hub.dies_for(Duration::from_secs(1)).await;
    let other = hub.stranger("tester-2").await;
    let early = other.waits_for(Duration::from_secs(10)).await.unwrap();
    assert!(matches!(early, WaitEnd::Idle), "{early:?}");
    let WaitEnd::Task(offered) = hub.stranger("tester-1").await.waits().await else { panic!("it was not kept") };
    assert_eq!(offered.spec.id, kept);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_for_who_does_not_come_back_after_a_restart_is_kept_no_longer_than_it_was_to_be() {
    let (hub, _) = kept_for_the_first_of_two().await;
    let answered = hub.hub.clock.now();

    let hub = hub.dies_for(Duration::from_secs(1)).await;
    assert!(matches!(hub.stranger("tester-2").await.waits().await, WaitEnd::Task(_)));
    let after = hub.hub.clock.now().since(answered);
    assert!(after <= Duration::from_millis(30_100), "{after:?}");
    hub.ends().await;
}

/// `tester-1` had the work and asked about it; it was answered, and `tester-2` could take it, too.
async fn kept_for_the_first_of_two() -> (Hub, TaskId) {
    let hub = Hub::new().await;
    let last = hub.agent("tester-1", "test-engineer").await;
    hub.agent("tester-2", "test-engineer").await;
    let asked = hub.asks("role:test-engineer", "work").await;
    assert!(matches!(last.waits().await, WaitEnd::Task(_)));
    last.reports(&asked.task_id, ReportKind::Blocked { reason: "which?".to_owned(), question: None }, "?")
        .await
        .unwrap();
    let answer = TaskCommand::Answer { authority: Authority::Operator, answer: comment(&hub, "the left one") };
    hub.orders(&asked.task_id, answer).await.unwrap();
    (hub, asked.task_id)
}

#[tokio::test(start_paused = true)]
async fn a_run_of_a_workflow_that_somebody_looks_at_before_it_begins_is_there() {
    let hub = Hub::new().await;
    let run = hub.hub.supervisor.new_workflow(&hub.hub.ids.workflow()).await.unwrap();
    for _ in 0..2 {
        assert!(matches!(run.show().await, Ok(None)), "it is not begun, and not gone");
    }
    hub.ends().await;
}

fn comment(hub: &Hub, text: &str) -> Comment {
    Comment {
        id: hub.hub.ids.comment(),
        kind: CommentKind::Answer,
        from: super::hub::operator().origin,
        text: text.to_owned(),
        file: None,
        line: None,
        reply_to: None,
        sanitized: None,
        at: hub.hub.clock.now(),
    }
}
