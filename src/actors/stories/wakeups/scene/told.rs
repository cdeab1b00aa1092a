//! What comes is no task: the agent hears something.

use super::super::stage::{Stage, works};
use crate::domain::ids::TaskId;
use crate::domain::review::Side;
use crate::domain::task::{Authority, CommentKind, TaskCommand};
use crate::domain::time::Timestamp;

pub(super) async fn told(stage: &mut Stage) -> Timestamp {
    stage.parks().await;
    stage.agent.hears("do not forget").await;
    stage.now()
}

pub(super) async fn delegated_work_done(stage: &mut Stage) -> Timestamp {
    let designer = stage.hub.agent("designer-1", "designer").await;
    stage.agent_works().await;
    let part = stage.agent.delegates("designer-1", "draw").await.unwrap().task_id;
    works(&designer).await;
    stage.parks().await;
    stage.orders(&part, Stage::completion(&designer)).await;
    stage.now()
}

pub(super) async fn approval_heard(stage: &mut Stage) -> Timestamp {
    let work = is_with_a_reviewer(stage).await;
    stage.orders(&work, stage.approval(false)).await;
    stage.now()
}

pub(super) async fn reviewer_heard(stage: &mut Stage) -> Timestamp {
    let work = is_with_a_reviewer(stage).await;
    let comment = stage.comment(CommentKind::Review);
    stage.orders(&work, TaskCommand::Discuss { comment, side: Side::New }).await;
    stage.now()
}

async fn is_with_a_reviewer(stage: &mut Stage) -> TaskId {
    let work = stage.agent_works().await;
    stage.tries(&work, Stage::submission(&stage.agent)).await.unwrap();
    stage.parks().await;
    work
}

pub(super) async fn work_cancelled(stage: &mut Stage) -> Timestamp {
    let work = stage.agent_works().await;
    stage.parks().await;
    stage.orders(&work, TaskCommand::Cancel { authority: Authority::Operator, reason: None }).await;
    stage.now()
}

pub(super) async fn sent_away(stage: &mut Stage) -> Timestamp {
    stage.parks().await;
    stage.agent.is_sent_away().await;
    stage.now()
}
