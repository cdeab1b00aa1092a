//! The agent may take more, or something else, than before.

use super::super::super::hub::{operator, request};
use super::super::stage::{ROLE, Stage};
use crate::domain::ids::{RoleId, TaskId};
use crate::domain::task::ReportKind;
use crate::domain::time::Timestamp;

pub(super) async fn freed(stage: &mut Stage) -> Timestamp {
    let work = is_at_capacity(stage).await;
    stage.orders(&work, Stage::completion(&stage.agent)).await;
    stage.now()
}

pub(super) async fn freed_by_blocked(stage: &mut Stage) -> Timestamp {
    let work = is_at_capacity(stage).await;
    let report = Stage::report(&stage.agent, ReportKind::Blocked { reason: "how?".to_owned(), question: None });
    stage.orders(&work, report).await;
    stage.now()
}

pub(super) async fn freed_by_review(stage: &mut Stage) -> Timestamp {
    let work = is_at_capacity(stage).await;
    stage.orders(&work, Stage::submission(&stage.agent)).await;
    stage.now()
}

pub(super) async fn raised_by_reload(stage: &mut Stage) -> Timestamp {
    is_at_capacity(stage).await;
    stage.hub.reloads(|settings| {
        settings.roles.roles.get_mut(&RoleId::parse(ROLE).unwrap()).unwrap().max_concurrent = 2;
    });
    stage.now()
}

pub(super) async fn capability_gained(stage: &mut Stage) -> Timestamp {
    let mut wanted = request(operator(), "any", "write");
    wanted.capabilities = ["braille".to_owned()].into();
    stage.task = Some(stage.hub.asks_for(wanted).await.unwrap().task_id);
    stage.parks().await;
    stage.agent.registers_with(ROLE, &["braille"], None).await;
    stage.now()
}

pub(super) async fn role_taken(stage: &mut Stage) -> Timestamp {
    stage.task = Some(stage.hub.asks("role:designer", "draw").await.task_id);
    stage.parks().await;
    stage.agent.registers("designer", None).await;
    stage.now()
}

/// It works on one task, and another is queued for it.
async fn is_at_capacity(stage: &mut Stage) -> TaskId {
    let work = stage.agent_works().await;
    stage.task = Some(stage.hub.asks("tester-1", "next").await.task_id);
    stage.parks().await;
    work
}
