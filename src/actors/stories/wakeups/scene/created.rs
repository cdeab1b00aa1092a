//! A task is created, or what it waits for is done.

use super::super::super::hub::{Player, operator, request};
use super::super::stage::{Stage, works};
use crate::domain::ids::TaskId;
use crate::domain::task::{ReportKind, TaskCommand};
use crate::domain::time::Timestamp;

pub(super) async fn by_target(stage: &mut Stage, target: &str) -> Timestamp {
    stage.parks().await;
    stage.task = Some(stage.hub.asks(target, "work").await.task_id);
    stage.now()
}

pub(super) async fn delegated(stage: &mut Stage) -> Timestamp {
    let manager = stage.hub.agent("pm-1", "project-manager").await;
    stage.parks().await;
    stage.task = Some(manager.delegates("tester-1", "work").await.unwrap().task_id);
    stage.now()
}

pub(super) async fn with_done_dependency(stage: &mut Stage) -> Timestamp {
    let (builder, first) = builder_works(stage).await;
    builder.completes(&first).await;
    stage.parks().await;
    stage.task = Some(asks_for_after(stage, &first).await);
    stage.now()
}

pub(super) async fn dependency_completed(stage: &mut Stage) -> Timestamp {
    let (builder, first) = builder_works(stage).await;
    stage.task = Some(asks_for_after(stage, &first).await);
    stage.parks().await;
    stage.orders(&first, Stage::completion(&builder)).await;
    stage.now()
}

pub(super) async fn dependency_approved(stage: &mut Stage) -> Timestamp {
    let (builder, first) = builder_works(stage).await;
    stage.task = Some(asks_for_after(stage, &first).await);
    stage.tries(&first, Stage::submission(&builder)).await.unwrap();
    stage.parks().await;
    stage.orders(&first, stage.approval(true)).await;
    stage.now()
}

pub(super) async fn dependency_mended(stage: &mut Stage) -> Timestamp {
    let (builder, first) = builder_works(stage).await;
    stage.task = Some(asks_for_after(stage, &first).await);
    builder.reports(&first, ReportKind::Failed, "no").await.unwrap();
    stage.tries(&first, TaskCommand::Retry).await.unwrap();
    works(&builder).await;
    stage.parks().await;
    stage.orders(&first, Stage::completion(&builder)).await;
    stage.now()
}

async fn builder_works(stage: &Stage) -> (Player, TaskId) {
    let builder = stage.hub.agent("fullstack-1", "full-stack-engineer").await;
    let first = stage.hub.asks("fullstack-1", "build").await.task_id;
    works(&builder).await;
    (builder, first)
}

async fn asks_for_after(stage: &Stage, first: &TaskId) -> TaskId {
    let mut then = request(operator(), "tester-1", "work");
    then.dependencies = vec![first.to_string()];
    stage.hub.asks_for(then).await.unwrap().task_id
}
