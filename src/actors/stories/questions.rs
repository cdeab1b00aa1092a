//! Questions: asked, answered, overdue, over a crash; and the task that moves along.

use std::time::Duration;

use super::asking::person;
use super::hub::{Hub, Player};
use crate::actors::agent::WaitEnd;
use crate::broken::{self, Break};
use crate::domain::ids::TaskId;
use crate::domain::principal::Surface;
use crate::domain::review::{Change, Submission};
use crate::domain::session::question::{Danger, Delivery, QuestionState, ResolutionType};
use crate::domain::session::{SessionCommand, SessionOutcome, WorkflowStatus};
use crate::domain::task::{KeptText, ReportKind, TaskCommand, TaskStateName};
use crate::journal::{HistoryFilter, Reader as _, Stream};

use WorkflowStatus::{AwaitingInput, AwaitingReview, Blocked, Completed, Started, Working};

const MINUTE: Duration = Duration::from_secs(60);

/// An agent at work on a task.
async fn at_work(hub: &Hub) -> (Player, TaskId) {
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let task = hub.asks("fullstack-1", "implement login").await.task_id;
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    agent.acknowledges(&task).await.unwrap();
    hub.reports_status(&agent, Working).await.unwrap();
    (agent, task)
}

/// What the agent hears next.
async fn hears(agent: &Player) -> Vec<String> {
    let end = agent.waits().await;
    let WaitEnd::Notices(notices) = end else { panic!("{end:?}") };
    notices.into_iter().map(|notice| notice.text).collect()
}

fn delivery(hub: &Hub, id: &crate::domain::ids::QuestionId) -> Delivery {
    match hub.question(id).state {
        QuestionState::Resolved { delivery, .. } => delivery,
        QuestionState::Open { .. } => panic!("it is open"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_answers_and_the_agent_hears_it_until_its_next_call() {
    let hub = Hub::new().await;
    let (agent, task) = at_work(&hub).await;
    let id = hub.asked_by(&agent, None).await;
    assert_eq!(hub.status_of(&agent).await, AwaitingInput);
    hub.answered(&id, "old", person("ada", Surface::Page)).await.unwrap();
    assert_eq!((hub.status_of(&agent).await, delivery(&hub, &id)), (Working, Delivery::Undelivered));
    assert!(hears(&agent).await[0].contains("ada answered"));
    agent.line.show().await.unwrap();
    assert_eq!(delivery(&hub, &id), Delivery::Delivered);
    agent.line.called(None).await.unwrap();
    assert_eq!(delivery(&hub, &id), Delivery::Acknowledged);
    assert_eq!(hub.state(&task).await, TaskStateName::InProgress);
    hub.is_sound();
}

#[tokio::test(start_paused = true)]
async fn the_default_applies_at_the_very_moment_and_the_task_outlives_the_wait() {
    let hub = Hub::new().await;
    let (agent, task) = at_work(&hub).await;
    let id = hub.asked_by(&agent, None).await;
    let line = hub.line_of(&agent).await;
    let answered = line.await_answer(id.clone()).await.unwrap();
    let resolution = answered.resolution().unwrap().clone();
    assert_eq!((resolution.kind, resolution.value.as_str()), (ResolutionType::Timeout, "new"));
    let late = resolution.at.since(answered.spec.expires_at);
    assert!(late <= Duration::from_millis(2), "{late:?}");
    assert_eq!(hears(&agent).await, ["No response received; proceeding with default: new"]);
    assert_eq!(hub.state(&task).await, TaskStateName::InProgress, "the lease and the question had the same half hour");
    tokio::time::sleep(31 * MINUTE).await;
    assert_eq!(hub.state(&task).await, TaskStateName::Queued, "and from then on it runs as ever");
    assert_eq!(hub.status_of(&agent).await, Started);
    hub.is_sound();
}

#[tokio::test(start_paused = true)]
async fn a_dangerous_default_blocks_session_and_task_in_one_append_until_a_person_answers() {
    let hub = Hub::new().await;
    let (agent, task) = at_work(&hub).await;
    let id = hub.asked_by(&agent, Some(Danger::Declared)).await;
    let line = hub.line_of(&agent).await;
    let overdue = line.await_answer(id.clone()).await.unwrap();
    assert!(overdue.is_open() && overdue.is_overdue());
    assert_eq!((hub.status_of(&agent).await, hub.state(&task).await), (Blocked, TaskStateName::Blocked));
    let history = hub.reader.session_history(&overdue.spec.session_id, &newest(3)).unwrap();
    let of_task = hub.reader.history(&Stream::Task(task.clone()), 1).unwrap();
    let first = of_task[0].seq;
    assert_eq!(of_task[0].record.kind().name, "task.blocked");
    let kinds: Vec<_> = history.iter().map(|kept| (kept.record.kind().name, kept.cause)).collect();
    assert_eq!(kinds[..2], [("session.workflow_status", Some(first)), ("question.overdue", Some(first))]);
    assert!(hears(&agent).await.iter().any(|text| text.contains("not applied")));
    hub.is_sound();
    tokio::time::sleep(10 * 60 * MINUTE).await;
    assert!(hub.question(&id).is_open(), "no time is long enough");
    hub.answered(&id, "old", person("ada", Surface::Cli)).await.unwrap();
    assert_eq!((hub.status_of(&agent).await, hub.state(&task).await), (Working, TaskStateName::Queued));
    hub.is_sound();
    assert!(hears(&agent).await.iter().any(|text| text.contains("ada answered")));
    let WaitEnd::Task(offered) = agent.waits().await else { panic!("its task comes back") };
    assert_eq!(offered.spec.id.clone(), task);
    let said = format!("old (the answer to `Which one, for {id}?`)");
    assert_eq!(offered.comments[0].text, said);
}

fn newest(limit: usize) -> HistoryFilter {
    HistoryFilter { limit, before: None, types: Vec::new(), query: None }
}

#[tokio::test(start_paused = true)]
async fn people_are_reminded_twice_and_the_events_say_so() {
    let hub = Hub::new().await;
    let (agent, _) = at_work(&hub).await;
    let id = hub.asked_by(&agent, None).await;
    let session = hub.question(&id).spec.session_id;
    tokio::time::sleep(29 * MINUTE).await;
    let filter = HistoryFilter { types: vec!["question.reminded".to_owned()], ..newest(10) };
    assert_eq!(hub.reader.session_history(&session, &filter).unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn task_and_session_move_together_through_a_whole_life() {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let task = hub.asks("fullstack-1", "implement login").await.task_id;
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    agent.acknowledges(&task).await.unwrap();
    assert_eq!(hub.status_of(&agent).await, Started);
    hub.reports_status(&agent, Working).await.unwrap();
    let block = SessionCommand::Block { reason: "which port?".to_owned(), blockers: Vec::new() };
    hub.agent_orders(&agent, block).await.unwrap();
    assert_eq!((hub.status_of(&agent).await, hub.state(&task).await), (Blocked, TaskStateName::Blocked));
    hub.is_sound();
    hub.reports_status(&agent, Working).await.unwrap();
    assert_eq!((hub.status_of(&agent).await, hub.state(&task).await), (Working, TaskStateName::InProgress));
    let change = Change { pr_id: Some("7".to_owned()), ..Change::default() };
    let submit = TaskCommand::SubmitForReview {
        agent: agent.id.clone(),
        epoch: None,
        message: KeptText::inline("look at it"),
        diff: None,
        artifacts: Vec::new(),
        submission: Box::new(Submission { change, ..Submission::default() }),
    };
    agent.orders(&task, submit).await.unwrap();
    settled(&hub, &agent, AwaitingReview).await;
    assert_eq!((hub.status_of(&agent).await, hub.state(&task).await), (AwaitingReview, TaskStateName::InReview));
    hub.is_sound();
    hub.reports_status(&agent, Working).await.unwrap();
    assert_eq!((hub.status_of(&agent).await, hub.state(&task).await), (Working, TaskStateName::InProgress));
    agent
        .reports(&task, ReportKind::Blocked { reason: "which key?".to_owned(), question: None }, "stuck")
        .await
        .unwrap();
    settled(&hub, &agent, Blocked).await;
    hub.is_sound();
    let answer = crate::domain::task::Comment {
        id: hub.hub.ids.comment(),
        kind: crate::domain::task::CommentKind::Answer,
        from: super::hub::operator().origin,
        text: "the blue one".to_owned(),
        file: None,
        line: None,
        reply_to: None,
        sanitized: None,
        at: hub.hub.clock.now(),
    };
    let authority = crate::domain::task::Authority::Operator;
    hub.orders(&task, TaskCommand::Answer { authority, answer }).await.unwrap();
    settled(&hub, &agent, Working).await;
    hub.is_sound();
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    agent.completes(&task).await;
    settled(&hub, &agent, Completed).await;
    hub.is_sound();
    let next = hub.asks("fullstack-1", "implement logout").await.task_id;
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    agent.acknowledges(&next).await.unwrap();
    settled(&hub, &agent, Started).await;
    assert_eq!(hub.session_of(&agent).await.round, 2);
    hub.cancels(&next).await;
    assert!(hub.session_of(&agent).await.task.is_none());
    hub.is_sound();
}

/// What a task wrote into the session's stream is there at once; its actor hears of it a moment later.
async fn settled(hub: &Hub, agent: &Player, status: WorkflowStatus) {
    for _ in 0..20 {
        if hub.status_of(agent).await == status {
            return;
        }
        tokio::task::yield_now().await;
    }
    assert_eq!(hub.status_of(agent).await, status);
}

#[tokio::test(start_paused = true)]
async fn a_question_whose_task_is_called_off_is_superseded() {
    let hub = Hub::new().await;
    let (agent, task) = at_work(&hub).await;
    let id = hub.asked_by(&agent, None).await;
    hub.cancels(&task).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(hub.question(&id).resolution().map(|it| it.kind), Some(ResolutionType::Superseded));
    hub.is_sound();
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_died_between_question_and_answer_delivers_the_answer() {
    let hub = Hub::new().await;
    let (agent, task) = at_work(&hub).await;
    let id = hub.asked_by(&agent, None).await;
    let hub = hub.dies_for(5 * MINUTE).await;
    let agent = hub.stranger("fullstack-1").await;
    hub.answered(&id, "old", person("ada", Surface::Discord)).await.unwrap();
    assert!(hears(&agent).await[0].contains("ada answered"));
    agent.line.called(None).await.unwrap();
    assert_eq!(delivery(&hub, &id), Delivery::Acknowledged);
    assert_eq!(hub.state(&task).await, TaskStateName::InProgress);
    hub.is_sound();
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passed_while_the_hub_was_dead_applies_at_once_and_once() {
    let hub = Hub::new().await;
    let (agent, _) = at_work(&hub).await;
    let asked = hub.asked_by(&agent, None).await;
    let hub = hub.dies_for(45 * MINUTE).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let resolution = hub.question(&asked).resolution().unwrap().clone();
    assert_eq!(resolution.kind, ResolutionType::Timeout);
    let hub = hub.dies_for(MINUTE).await;
    tokio::time::sleep(MINUTE).await;
    assert_eq!(hub.question(&asked).resolution(), Some(&resolution));
    let agent = hub.stranger("fullstack-1").await;
    assert_eq!(hears(&agent).await, ["No response received; proceeding with default: new"]);
    hub.is_sound();
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_died_while_it_waited_hears_the_answer_with_its_next_call() {
    let hub = Hub::new().await;
    let (agent, _) = at_work(&hub).await;
    let id = hub.asked_by(&agent, None).await;
    let line = hub.line_of(&agent).await;
    let gone = tokio::time::timeout(Duration::from_secs(1), line.await_answer(id.clone())).await;
    assert!(gone.is_err());
    hub.answered(&id, "old", person("ada", Surface::Page)).await.unwrap();
    assert!(hears(&agent).await[0].contains("ada answered"));
}

#[tokio::test(start_paused = true)]
async fn the_second_answer_hears_who_won_and_is_kept() {
    let hub = Hub::new().await;
    let (agent, _) = at_work(&hub).await;
    let id = hub.asked_by(&agent, None).await;
    hub.answered(&id, "old", person("ada", Surface::Page)).await.unwrap();
    let late = hub.answered(&id, "new", person("bob", Surface::Cli)).await.unwrap();
    assert!(matches!(late.outcome, SessionOutcome::Late(_, first) if first.by.display_name == "ada"));
    assert_eq!(hub.question(&id).view().late_answers.len(), 1);
    hub.is_sound();
}

/// The session cannot be read back after its task wrote the answer: whoever waits hears it all the same, at once.
#[test]
fn an_answer_that_is_on_disk_reaches_its_agent_although_the_session_cannot_be_read() {
    for (fault, heard) in [(Break::NeverReadsBack, true), (Break::TellsAfterReading, false)] {
        assert_eq!(hears_of_the_answer(fault), (heard, heard), "{fault:?}");
    }
}

/// Whether an open wait for the answer, and then the next wait for anything, hear of it within a minute.
fn hears_of_the_answer(fault: Break) -> (bool, bool) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let (hub, agent, id, line) = runtime.block_on(async {
        let hub = Hub::new().await;
        let (agent, _) = at_work(&hub).await;
        let id = hub.asked_by(&agent, None).await;
        let line = hub.line_of(&agent).await;
        (hub, agent, id, line)
    });
    broken::with(fault, || {
        runtime.block_on(async {
            let waits = tokio::time::timeout(MINUTE, line.await_answer(id.clone()));
            let answers = hub.answered(&id, "old", person("ada", Surface::Page));
            let (waited, answered) = tokio::join!(waits, answers);
            assert_eq!(answered.is_ok(), fault == Break::NeverReadsBack, "{answered:?}");
            let told = agent.waits_for(MINUTE).await.unwrap();
            (waited.is_ok_and(|heard| heard.is_ok()), matches!(told, WaitEnd::Notices(_)))
        })
    })
}

#[tokio::test(start_paused = true)]
async fn who_is_done_with_a_task_asks_and_says_more_in_the_next_round() {
    let hub = Hub::new().await;
    let (agent, task) = at_work(&hub).await;
    agent.completes(&task).await;
    settled(&hub, &agent, Completed).await;
    let id = hub.asked_by(&agent, None).await;
    assert_eq!((hub.question(&id).spec.task_id, hub.status_of(&agent).await), (None, AwaitingInput));
    hub.answered(&id, "old", person("ada", Surface::Page)).await.unwrap();
    hub.reports_status(&agent, Completed).await.unwrap();
    hub.reports_status(&agent, Working).await.unwrap();
    assert_eq!(hub.state(&task).await, TaskStateName::Completed);
    hub.is_sound();
    let hub = hub.dies_for(MINUTE).await;
    hub.is_sound();
}
