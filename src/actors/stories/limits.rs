//! What is said to a task, and to an agent, has an end: a neighbour that writes without one fills nobody's memory, and
//! what the work itself needs is kept all the same.

use super::hub::Hub;
use crate::actors::agent::{AgentError, PostRequest, WaitEnd};
use crate::actors::task::ActError;
use crate::domain::agent::{AgentRefusal, Notice, NoticeKind};
use crate::domain::ids::TaskId;
use crate::domain::task::{Authority, Comment, CommentKind, Origin, ReportKind, TaskCommand, TaskStateName};

fn said(hub: &Hub, kind: CommentKind, text: &str) -> Comment {
    Comment {
        id: hub.hub.ids.comment(),
        kind,
        from: super::hub::operator().origin,
        text: text.to_owned(),
        file: None,
        line: None,
        reply_to: None,
        sanitized: None,
        at: hub.hub.clock.now(),
    }
}

async fn remarks(hub: &Hub, task: &TaskId) -> Result<(), ActError> {
    let comment = said(hub, CommentKind::Note, "one more");
    hub.orders(task, TaskCommand::Remark { comment, posted_to: None }).await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn a_task_holds_so_many_comments_and_then_only_what_its_work_needs() {
    let hub = Hub::new().await;
    hub.reloads(|settings| settings.hub.limits.comments_per_task = 3);
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let task = hub.asks("fullstack-1", "implement login").await.task_id;
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    for _ in 0..3 {
        remarks(&hub, &task).await.unwrap();
    }
    let refused = remarks(&hub, &task).await.unwrap_err();
    assert!(matches!(&refused, ActError::Declined(refusal) if refusal.code == "COMMENTS_FULL"), "{refused:?}");
    assert!(refused.to_string().contains("3 comments"), "{refused}");
    let blocked = ReportKind::Blocked { reason: "which port?".to_owned(), question: None };
    agent.reports(&task, blocked, "stuck").await.unwrap();
    let answer = said(&hub, CommentKind::Answer, "7420");
    hub.orders(&task, TaskCommand::Answer { authority: Authority::Operator, answer }).await.unwrap();
    assert_eq!((hub.state(&task).await, hub.task(&task).await.comments.len()), (TaskStateName::Queued, 4));
    hub.reloads(|settings| settings.hub.limits.comments_per_task = 5);
    remarks(&hub, &task).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn so_many_notices_lie_unheard_for_an_agent_and_an_answer_always_reaches_it() {
    let hub = Hub::new().await;
    hub.reloads(|settings| settings.hub.limits.notices_per_agent = 3);
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let posts = async || {
        let notice = Notice {
            id: hub.hub.ids.notice(),
            kind: NoticeKind::Message,
            text: "hear this".to_owned(),
            from: Origin::hub(),
            task_id: None,
            question_id: None,
            at: hub.hub.clock.now(),
            typed_at: None,
        };
        let by = super::hub::operator().by;
        agent.line.post(PostRequest { notice, by, request: None, key: None }).await
    };
    for _ in 0..3 {
        posts().await.unwrap();
    }
    let refused = posts().await.unwrap_err();
    assert!(matches!(refused, AgentError::Refused(AgentRefusal::NoticesFull { most: 3, .. })), "{refused:?}");
    let id = hub.asked_by(&agent, None).await;
    hub.answered(&id, "old", super::asking::person("ada", crate::domain::principal::Surface::Page)).await.unwrap();
    let WaitEnd::Notices(heard) = agent.waits().await else { panic!("it has much to hear") };
    assert_eq!(heard.len(), 4, "what people answer is no flood");
    agent.line.called(None).await.unwrap();
    posts().await.unwrap();
}
