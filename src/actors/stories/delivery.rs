//! From a call to its end.

use std::time::Duration;

use super::hub::{Hub, act, operator, request};
use crate::actors::agent::{AgentError, WaitEnd};
use crate::actors::dispatcher::DispatcherMessage;
use crate::actors::task::{ActError, OfferedTask, TaskBirth};
use crate::domain::agent::AgentRefusal;
use crate::domain::ids::{AgentId, LeaseEpoch, PrincipalId, TaskId};
use crate::domain::task::{KeptText, Report, ReportKind, TaskCommand, TaskRefusal, TaskStateName};
use crate::journal::{HubRecord, IdempotencyKey, Record, Stream};

fn offered(end: WaitEnd) -> OfferedTask {
    let WaitEnd::Task(offered) = end else { panic!("waited for a task, and got {end:?}") };
    *offered
}

#[tokio::test(start_paused = true)]
async fn a_parked_agent_is_called_works_and_completes() {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let wait = agent.parks();
    tokio::task::yield_now().await;
    let receipt = hub.asks("fullstack-1", "implement login").await;
    assert!(!receipt.queued && receipt.reachable);
    let task = offered(wait.await.unwrap());
    assert_eq!(task.spec.prompt, "implement login");
    assert_eq!((task.epoch, task.attempt), (LeaseEpoch(1), 1));
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::Assigned);
    agent.acknowledges(&receipt.task_id).await.unwrap();
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::InProgress);
    agent.completes(&receipt.task_id).await;
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::Completed);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_closed_task_answers_each_time_it_is_named() {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let task = hub.asks("fullstack-1", "implement login").await.task_id;
    offered(agent.waits().await);
    agent.completes(&task).await;
    // Closed, it is read from the store for each of these, and nothing but an answer comes of it.
    for _ in 0..3 {
        agent.completes(&task).await;
        let refused = agent.reports(&task, ReportKind::Failed, "or not").await.unwrap_err();
        assert!(matches!(refused, ActError::Refused(TaskRefusal::Closed { .. })), "{refused:?}");
    }
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_queued_first_is_taken_first_when_somebody_comes() {
    let hub = Hub::new().await;
    let first = hub.asks("role:test-engineer", "one").await;
    let second = hub.asks("role:test-engineer", "two").await;
    assert_eq!((first.queued, first.reachable, first.position), (true, false, Some(1)));
    assert_eq!(second.position, Some(2));
    let agent = hub.agent("tester-1", "test-engineer").await;
    let task = offered(agent.waits().await);
    assert_eq!(task.spec.prompt, "one");
    agent.completes(&first.task_id).await;
    assert_eq!(offered(agent.waits().await).spec.prompt, "two");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_comes_after_a_call_can_be_named_in_the_next() {
    let hub = Hub::new().await;
    hub.agent("tester-1", "test-engineer").await;
    hub.asks("tester-1", "before").await;
    for unknown in ["tester-2", "role:painter"] {
        hub.asks_for(request(operator(), unknown, "too early")).await.unwrap_err();
    }
    hub.agent("tester-2", "painter").await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    for known in ["tester-2", "role:painter"] {
        hub.asks(known, "in time").await;
    }
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_with_nothing_to_do_ends_at_its_time() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let began = hub.hub.clock.now();
    assert!(matches!(agent.waits().await, WaitEnd::Idle));
    assert_eq!(hub.hub.clock.now().since(began), Duration::from_secs(60));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_never_registered_is_told_so() {
    let hub = Hub::new().await;
    let stranger = hub.stranger("nobody").await;
    let refused = stranger.waits_for(Duration::from_secs(1)).await.unwrap_err();
    assert!(matches!(refused, AgentError::Refused(AgentRefusal::NotRegistered { .. })));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_newer_wait_takes_the_place_of_the_older_and_gets_the_task_alone() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let older = agent.parks();
    tokio::task::yield_now().await;
    let newer = agent.parks();
    assert!(matches!(older.await.unwrap(), WaitEnd::Superseded));
    hub.asks("tester-1", "only once").await;
    assert_eq!(offered(newer.await.unwrap()).spec.prompt, "only once");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_waiter_that_hung_up_gets_nothing_and_the_next_one_does() {
    let hub = Hub::new().await;
    let gone = hub.agent("tester-1", "test-engineer").await;
    let live = hub.agent("tester-2", "test-engineer").await;
    let dead = gone.parks();
    tokio::task::yield_now().await;
    dead.abort();
    assert!(dead.await.unwrap_err().is_cancelled());
    let wait = live.parks();
    tokio::task::yield_now().await;
    let receipt = hub.asks("role:test-engineer", "for the living").await;
    assert_eq!(offered(wait.await.unwrap()).spec.id, receipt.task_id);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_waiter_that_hung_up_in_the_moment_of_its_answer_gave_it_back() {
    let hub = Hub::new().await;
    let gone = hub.agent("tester-1", "test-engineer").await;
    let moment = Duration::from_millis(1);
    let mut wait = Box::pin(gone.waits());
    assert!(tokio::time::timeout(moment, &mut wait).await.is_err());
    let receipt = hub.asks("role:test-engineer", "for whoever reads it").await;
    tokio::time::sleep(moment).await;
    drop(wait);
    tokio::time::sleep(moment).await;
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::Queued);
    hub.cancels(&receipt.task_id).await;

    let mut wait = Box::pin(gone.waits());
    assert!(tokio::time::timeout(moment, &mut wait).await.is_err());
    gone.hears("do not forget").await;
    tokio::time::sleep(moment).await;
    drop(wait);
    let WaitEnd::Notices(notices) = gone.waits().await else { panic!("the notice is lost") };
    assert!(notices.iter().any(|notice| notice.text == "do not forget"));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn work_that_waits_for_what_is_done_begins_also_while_somebody_speaks_of_that_late() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let first = hub.asks("tester-1", "first").await.task_id;
    offered(agent.waits().await);
    agent.completes(&first).await;
    // A late word gives the closed task an actor for a moment.
    hub.hub.dispatcher.reopen(TaskBirth::Stored(Box::new(hub.task(&first).await), None)).await.unwrap();
    let mut second = request(operator(), "tester-1", "second");
    second.dependencies = vec![first.to_string()];
    let second = hub.asks_for(second).await.unwrap().task_id;
    agent.completes(&first).await;
    assert_eq!(offered(agent.waits().await).spec.id, second);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_offer_that_is_not_acknowledged_is_offered_again_under_the_next_number() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let receipt = hub.asks("tester-1", "ack me").await;
    assert_eq!(offered(agent.waits().await).epoch, LeaseEpoch(1));
    let again = offered(agent.waits().await);
    assert_eq!((again.spec.id.clone(), again.epoch), (receipt.task_id.clone(), LeaseEpoch(2)));
    let stale = agent.reports_under(&receipt.task_id, Some(LeaseEpoch(1)), ReportKind::Completed, "x").await;
    assert!(matches!(stale, Err(ActError::Refused(TaskRefusal::LeaseLost { .. }))));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_offer_goes_back_when_nobody_acknowledges_it_in_time() {
    let hub = Hub::new().await;
    let silent = hub.agent("tester-1", "test-engineer").await;
    let receipt = hub.asks("role:test-engineer", "who takes it").await;
    offered(silent.waits().await);
    tokio::time::sleep(Duration::from_secs(299)).await;
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::Assigned);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::Queued);
    let other = hub.agent("tester-2", "test-engineer").await;
    assert_eq!(offered(other.waits().await).epoch, LeaseEpoch(2));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_runs_out_is_tried_again_and_ends_as_a_dead_letter() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let receipt = hub.asks("tester-1", "too long").await;
    for attempt in 1..=3 {
        assert_eq!(offered(agent.waits().await).attempt, attempt);
        agent.acknowledges(&receipt.task_id).await.unwrap();
        tokio::time::sleep(Duration::from_secs(30 * 60 + 1)).await;
    }
    assert_eq!(hub.state(&receipt.task_id).await, TaskStateName::DeadLetter);
    assert_eq!(hub.task(&receipt.task_id).await.attempts.len(), 3);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn delegated_work_comes_back_to_who_asked_as_a_notice() {
    let hub = Hub::new().await;
    let manager = hub.agent("pm-1", "project-manager").await;
    let tester = hub.agent("tester-1", "test-engineer").await;
    let whole = hub.asks("pm-1", "ship it").await;
    offered(manager.waits().await);
    manager.acknowledges(&whole.task_id).await.unwrap();
    let part = manager.delegates("role:test-engineer", "test it").await.unwrap();
    let taken = offered(tester.waits().await);
    assert_eq!(taken.spec.via.len(), 1, "from the operator, by way of the manager");
    tester.completes(&part.task_id).await;
    let WaitEnd::Notices(notices) = manager.waits().await else { panic!("the result was not heard") };
    assert_eq!(notices[0].task_id.as_ref(), Some(&part.task_id));
    // The next call shows that it arrived: it is not told again.
    assert!(matches!(manager.waits().await, WaitEnd::AtCapacity(_)));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_is_taken_from_its_worker_who_hears_of_it() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let receipt = hub.asks("tester-1", "never mind").await;
    offered(agent.waits().await);
    agent.acknowledges(&receipt.task_id).await.unwrap();
    hub.cancels(&receipt.task_id).await;
    let WaitEnd::Notices(notices) = agent.waits().await else { panic!("the order to stop was not heard") };
    assert_eq!(notices[0].task_id.as_ref(), Some(&receipt.task_id));
    let late = agent.reports(&receipt.task_id, ReportKind::Completed, "done").await;
    assert!(matches!(late, Err(ActError::Refused(TaskRefusal::Cancelled { .. }))));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_dependent_wakes_its_agent_when_what_it_waits_for_is_done() {
    let hub = Hub::new().await;
    let builder = hub.agent("fullstack-1", "full-stack-engineer").await;
    let tester = hub.agent("tester-1", "test-engineer").await;
    let first = hub.asks("fullstack-1", "build").await;
    let mut then = request(operator(), "tester-1", "test");
    then.dependencies = vec![first.task_id.to_string()];
    let second = hub.asks_for(then).await.unwrap();
    assert_eq!(hub.state(&second.task_id).await, TaskStateName::Blocked);
    let wait = tester.parks();
    offered(builder.waits().await);
    builder.completes(&first.task_id).await;
    let task = offered(wait.await.unwrap());
    assert_eq!(task.spec.id, second.task_id);
    assert!(task.dependencies.contains_key(&first.task_id));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn the_same_idempotency_key_makes_one_task_and_gives_the_first_answer() {
    let hub = Hub::new().await;
    let mut asked = request(operator(), "role:designer", "draw");
    let principal = PrincipalId::parse("operator").unwrap();
    asked.key = Some(IdempotencyKey { principal, key: "k1".to_owned(), digest: "d".to_owned() });
    let first = hub.asks_for(asked.clone()).await.unwrap();
    let repeat = hub.asks_for(asked).await.unwrap_err();
    let crate::actors::dispatcher::AssignError::Repeated(again) = repeat else { panic!("{repeat:?}") };
    assert_eq!(*again, first);
    assert_eq!(hub.hub.dispatcher.counts().await.unwrap().open, 1);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_loses_nothing_that_was_accepted_and_refuses_the_rest() {
    let hub = Hub::new().await;
    let kept = hub.asks("role:designer", "kept").await;
    hub.faults.fill();
    let refused = hub.asks_for(request(operator(), "role:designer", "lost")).await;
    assert!(refused.is_err());
    assert_eq!(hub.state(&kept.task_id).await, TaskStateName::Queued);
    hub.faults.mend();
    hub.asks("role:designer", "again").await;
    assert_eq!(hub.hub.dispatcher.counts().await.unwrap().open, 2);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_completes_a_task_holds_it_no_more_in_its_next_call_however_much_the_dispatcher_has_to_do() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    for waiting in [0, 3_000] {
        let task = hub.asks("tester-1", "test").await.task_id;
        offered(agent.waits().await);
        agent.acknowledges(&task).await.unwrap();
        let line = hub.hub.dispatcher.task(&task).await.unwrap().unwrap();
        let holds = agent.line.called(None).await.unwrap().held;
        assert_eq!(holds.len(), 1);
        for _ in 0..waiting {
            hub.hub.dispatcher.tell(DispatcherMessage::Tick);
        }
        line.act(act(&hub.hub, completed(&agent.id), "agent:tester-1")).await.unwrap();
        let next = hub.hub.agent(&agent.id).await.unwrap().unwrap();
        assert!(next.called(None).await.unwrap().held.is_empty(), "with {waiting} messages before its own");
    }
    hub.ends().await;
}

fn completed(agent: &AgentId) -> TaskCommand {
    let report = Report {
        kind: ReportKind::Completed,
        message: KeptText::inline("done"),
        diff: None,
        artifacts: Vec::new(),
        evidence: None,
        posted_to: None,
    };
    TaskCommand::Report { agent: agent.clone(), epoch: None, report }
}

/// What the hub said of work that nobody takes.
async fn remarks(hub: &Hub) -> Vec<(TaskId, String)> {
    let kept = hub.hub.journal.read(|reader| reader.history(&Stream::Hub, 100)).await.unwrap();
    kept.into_iter()
        .filter_map(|kept| {
            let Record::Hub(HubRecord::TaskStarving { task, reason }) = kept.record else { return None };
            Some((task, reason))
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn work_that_nobody_could_take_is_told_of_at_once_and_only_once() {
    let hub = Hub::new().await;
    let receipt = hub.asks("role:designer", "draw").await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    let said = remarks(&hub).await;
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].0, receipt.task_id);
    assert!(said[0].1.contains("no registered agent"), "{}", said[0].1);
    tokio::time::sleep(Duration::from_secs(24 * 3600)).await;
    assert_eq!(remarks(&hub).await.len(), 1);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn work_that_somebody_could_take_is_told_of_when_it_has_waited_for_too_long() {
    let hub = Hub::new().await;
    let agent = hub.agent("designer-1", "designer").await;
    hub.asks("role:designer", "draw").await;
    let taken = hub.asks("designer-1", "paint").await;
    offered(agent.waits().await);
    tokio::time::sleep(Duration::from_secs(29 * 60)).await;
    assert!(remarks(&hub).await.is_empty());
    tokio::time::sleep(Duration::from_secs(2 * 60)).await;
    let told: Vec<_> = remarks(&hub).await.into_iter().map(|(task, _)| task).collect();
    assert!(told.contains(&taken.task_id), "it was never offered");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_reopened_while_it_closes_has_an_actor_again() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    for round in 0..20 {
        let receipt = hub.asks("tester-1", "fail").await;
        offered(agent.waits().await);
        let id = &receipt.task_id;
        let story = &hub;
        let retry = async |delay| {
            for _ in 0..delay {
                tokio::task::yield_now().await;
            }
            story.orders(id, TaskCommand::Retry).await
        };
        let (failed, _, _) = tokio::join!(agent.reports(id, ReportKind::Failed, "no"), retry(round), retry(round + 3));
        failed.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let open = hub.state(id).await == TaskStateName::Queued;
        assert_eq!(hub.hub.dispatcher.task(id).await.unwrap().is_some(), open, "round {round}");
        if open {
            hub.cancels(id).await;
        }
    }
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_offered_and_not_acknowledged_comes_again_before_anything_else() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let first = hub.asks("tester-1", "first").await;
    offered(agent.waits().await);
    let mut urgent = request(operator(), "tester-1", "urgent");
    urgent.priority = crate::domain::task::Priority::Critical;
    hub.asks_for(urgent).await.unwrap();
    for epoch in 2..6 {
        let again = offered(agent.waits().await);
        assert_eq!((again.spec.id.clone(), again.epoch), (first.task_id.clone(), LeaseEpoch(epoch)));
    }
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_repeated_order_gets_its_first_receipt_also_when_the_task_has_moved_on() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let receipt = hub.asks("tester-1", "fail").await;
    offered(agent.waits().await);
    agent.reports(&receipt.task_id, ReportKind::Failed, "no").await.unwrap();
    let mut retry = act(&hub.hub, TaskCommand::Retry, "operator");
    let principal = PrincipalId::parse("operator").unwrap();
    retry.key = Some(IdempotencyKey { principal, key: "k1".to_owned(), digest: "retry".to_owned() });
    let first = hub.hub.order(&receipt.task_id, retry.clone()).await.unwrap().unwrap();
    let ActError::Repeated(again) = hub.hub.order(&receipt.task_id, retry.clone()).await.unwrap_err() else {
        panic!("the repeat was not known")
    };
    assert_eq!(*again, first);
    // Once more where it would be done again: it is not.
    offered(agent.waits().await);
    agent.reports(&receipt.task_id, ReportKind::Failed, "no").await.unwrap();
    let ActError::Repeated(again) = hub.hub.order(&receipt.task_id, retry.clone()).await.unwrap_err() else {
        panic!("the repeat was done")
    };
    assert_eq!((*again, hub.state(&receipt.task_id).await), (first, TaskStateName::Failed));
    retry.key.as_mut().unwrap().digest = "cancel".to_owned();
    assert_eq!(hub.hub.order(&receipt.task_id, retry).await, Err(ActError::KeyReused));
    hub.ends().await;
}
