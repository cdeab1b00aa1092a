//! What becomes of open questions when their tasks move: in one append, or not at all.

use std::time::Duration;

use futures_util::future::join;

use super::asking::person;
use super::hub::{Hub, Player};
use crate::actors::agent::WaitEnd;
use crate::domain::ids::{QuestionId, TaskId};
use crate::domain::principal::Surface;
use crate::domain::session::question::{Danger, QuestionRecord, ResolutionType};
use crate::domain::session::{SessionOutcome, WorkflowStatus};
use crate::domain::task::{ReportKind, Target, TargetWho, TaskCommand, TaskStateName};
use crate::journal::{Kept, Reader as _, Record, Stream};

const MINUTE: Duration = Duration::from_secs(60);

async fn at_work(hub: &Hub, agent: &Player) -> TaskId {
    let task = hub.asks(agent.id.as_str(), "implement login").await.task_id;
    takes(agent, &task).await;
    hub.reports_status(agent, WorkflowStatus::Working).await.unwrap();
    task
}

/// Waits, past notices, until this task is handed out, and acknowledges it.
async fn takes(agent: &Player, task: &TaskId) {
    loop {
        let end = agent.waits().await;
        if matches!(&end, WaitEnd::Task(offered) if offered.spec.id == *task) {
            break;
        }
        assert!(matches!(end, WaitEnd::Notices(_)), "{end:?}");
    }
    agent.acknowledges(task).await.unwrap();
}

/// A hub with an agent that asked something for the sake of its task.
async fn asked(danger: Option<Danger>) -> (Hub, Player, TaskId, QuestionId) {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let task = at_work(&hub, &agent).await;
    let id = hub.asked_by(&agent, danger).await;
    (hub, agent, task, id)
}

/// The record of the question's end.
fn end_of(hub: &Hub, id: &QuestionId) -> Kept {
    let all = hub.reader.history(&Stream::Session(hub.question(id).spec.session_id), 1_000).unwrap();
    let ends = |kept: &Kept| {
        let Record::Question(record @ QuestionRecord::Resolved { .. }) = &kept.record else { return false };
        record.id() == id
    };
    let mut ends = all.into_iter().filter(ends);
    let end = ends.next().unwrap_or_else(|| panic!("{id} is open"));
    assert!(ends.next().is_none(), "{id} ended twice");
    end
}

/// The question ended in the append that made its task what it is.
#[track_caller]
fn ended_together(hub: &Hub, task: &TaskId, id: &QuestionId) {
    let last = hub.reader.history(&Stream::Task(task.clone()), 1).unwrap().remove(0);
    let end = end_of(hub, id);
    let append = last.cause.unwrap_or(last.seq);
    assert_eq!(end.cause, Some(append), "{} and {}", last.record.kind().name, end.record.kind().name);
    assert_eq!(hub.question(id).resolution().unwrap().kind, ResolutionType::Superseded);
    hub.is_sound();
}

/// By which way a task ends, or goes to somebody else.
async fn ends(hub: &Hub, agent: &Player, task: &TaskId, way: &str) {
    let anybody = Target { who: TargetWho::Any, capabilities: std::collections::BTreeSet::new() };
    match way {
        "completed" => drop(agent.reports(task, ReportKind::Completed, "done").await.unwrap()),
        "failed" => drop(agent.reports(task, ReportKind::Failed, "no").await.unwrap()),
        "reported" => {
            hub.reports_status(agent, WorkflowStatus::Working).await.unwrap();
            hub.reports_status(agent, WorkflowStatus::Completed).await.unwrap();
        }
        "cancelled" => hub.cancels(task).await,
        "reassigned" => drop(hub.orders(task, TaskCommand::Reassign { target: anybody }).await.unwrap()),
        other => panic!("{other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_ends_takes_its_open_question_along_in_the_same_append() {
    for way in ["completed", "failed", "reported", "cancelled", "reassigned"] {
        for danger in [None, Some(Danger::Declared)] {
            // Nobody completes past their own dangerous question: that is refused.
            if danger.is_some() && matches!(way, "completed" | "reported") {
                continue;
            }
            let (hub, agent, task, id) = asked(danger).await;
            ends(&hub, &agent, &task, way).await;
            ended_together(&hub, &task, &id);
            let line = hub.line_of(&agent).await;
            assert!(line.await_answer(id).await.unwrap().resolution().is_some(), "{way}: whoever waits is told");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_overdue_one_ends_with_its_task_too_wherever_its_agent_is() {
    for way in ["cancelled", "reassigned", "failed"] {
        let (hub, agent, task, id) = asked(Some(Danger::Approval)).await;
        tokio::time::sleep(31 * MINUTE).await;
        assert_eq!(hub.state(&task).await, TaskStateName::Blocked);
        let other = at_work(&hub, &agent).await;
        ends(&hub, &agent, &task, way).await;
        ended_together(&hub, &task, &id);
        assert_eq!(hub.state(&other).await, TaskStateName::InProgress, "{way}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_lost_ends_a_question_with_a_default_and_leaves_a_dangerous_one_open() {
    for (danger, stays) in [(None, false), (Some(Danger::Declared), true)] {
        let (hub, agent, task, id) = asked(danger).await;
        agent.is_sent_away().await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(hub.state(&task).await, TaskStateName::Queued);
        assert_eq!(hub.question(&id).is_open(), stays);
        if !stays {
            ended_together(&hub, &task, &id);
            continue;
        }
        hub.reloads(|_| {});
        hub.answered(&id, "old", person("ada", Surface::Page)).await.unwrap();
        let said = hub.task(&task).await.comments.pop().unwrap().text;
        assert!(said.starts_with("old (the answer to"), "whoever takes it up reads it: {said}");
        hub.is_sound();
    }
}

#[tokio::test(start_paused = true)]
async fn who_has_the_task_by_now_hears_an_answer_that_another_asked_for() {
    let hub = Hub::new().await;
    let first = hub.agent("fullstack-1", "full-stack-engineer").await;
    let task = hub.asks("role:full-stack-engineer", "implement login").await.task_id;
    takes(&first, &task).await;
    let id = hub.asked_by(&first, Some(Danger::Declared)).await;
    first.is_sent_away().await;
    let second = hub.agent("fullstack-2", "full-stack-engineer").await;
    takes(&second, &task).await;
    hub.answered(&id, "old", person("ada", Surface::Page)).await.unwrap();
    let WaitEnd::Notices(notices) = second.waits().await else { panic!("it hears") };
    assert!(notices.iter().any(|notice| notice.text.contains("ada on task") && notice.text.contains("old")));
    assert_eq!(hub.state(&task).await, TaskStateName::InProgress);
    hub.is_sound();
}

#[tokio::test(start_paused = true)]
async fn an_answer_and_the_end_of_the_task_at_once_come_to_one_end() {
    let mut human = 0;
    for round in 0..40_u32 {
        let (hub, agent, task, id) = asked(Some(Danger::Declared)).await;
        if round % 2 == 0 {
            tokio::time::sleep(31 * MINUTE).await;
            at_work(&hub, &agent).await;
        }
        let end = async {
            for _ in 0..round % 7 {
                tokio::task::yield_now().await;
            }
            hub.cancels(&task).await;
        };
        let answer = async {
            for _ in 0..round % 9 {
                tokio::task::yield_now().await;
            }
            hub.answered(&id, "old", person("ada", Surface::Page)).await
        };
        let (answered, ()) = join(answer, end).await;
        let kind = hub.question(&id).resolution().unwrap().kind;
        let won = matches!(answered.unwrap().outcome, SessionOutcome::Resolved(..));
        assert_eq!(won, kind == ResolutionType::Human, "round {round}");
        human += u32::from(won);
        end_of(&hub, &id);
        hub.is_sound();
    }
    assert!(human > 0 && human < 40, "both must win now and then, and {human} of 40 answers did");
}

#[tokio::test(start_paused = true)]
async fn an_overdue_question_outlives_the_hub_and_its_answer_frees_the_task() {
    let (hub, agent, task, id) = asked(Some(Danger::Declared)).await;
    tokio::time::sleep(31 * MINUTE).await;
    let other = at_work(&hub, &agent).await;
    let hub = hub.dies_for(MINUTE).await;
    assert!(hub.question(&id).is_overdue());
    hub.answered(&id, "old", person("ada", Surface::Cli)).await.unwrap();
    assert_eq!((hub.state(&task).await, hub.state(&other).await), (TaskStateName::Queued, TaskStateName::InProgress));
    let agent = hub.stranger("fullstack-1").await;
    let WaitEnd::Notices(notices) = agent.waits().await else { panic!("it hears") };
    assert!(notices.iter().any(|notice| notice.text.contains("ada answered")));
    hub.is_sound();
}

#[tokio::test(start_paused = true)]
async fn a_completion_and_a_wish_for_changes_at_once_never_lose_the_wish() {
    for round in 0..40_u32 {
        let hub = Hub::new().await;
        let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
        let task = at_work(&hub, &agent).await;
        hub.reports_status(&agent, WorkflowStatus::AwaitingReview).await.unwrap();
        let wait = (round % 2 == 0).then(|| agent.parks());
        let wish = crate::domain::task::Comment {
            id: hub.hub.ids.comment(),
            kind: crate::domain::task::CommentKind::Review,
            from: super::hub::operator().origin,
            text: "rename it".to_owned(),
            file: None,
            line: None,
            reply_to: None,
            sanitized: None,
            at: hub.hub.clock.now(),
        };
        let late = async {
            for _ in 0..round % 9 {
                tokio::task::yield_now().await;
            }
            agent.reports(&task, ReportKind::Completed, "done").await
        };
        let changes = TaskCommand::RequestChanges { comments: vec![wish], round: None };
        let (sent_back, late) = join(hub.orders(&task, changes), late).await;
        sent_back.unwrap();
        let crate::actors::task::ActError::Refused(refusal) = late.unwrap_err() else { panic!("it is refused") };
        let code = refusal.code();
        assert!(["TASK_WRONG_STATE", "CHANGES_REQUESTED"].contains(&code), "round {round}: {code}");
        let end = match wait {
            Some(wait) => wait.await.unwrap(),
            None => agent.waits().await,
        };
        let WaitEnd::Task(offered) = end else { panic!("round {round}: {end:?}") };
        assert!(offered.comments.iter().any(|comment| comment.text == "rename it"), "round {round}");
        hub.is_sound();
    }
}
