//! A task comes back for its last holder, and for others when that one does not.

use std::time::Duration;

use super::super::stage::{Stage, moment};
use crate::domain::task::{CommentKind, ReportKind, TaskCommand};
use crate::domain::time::Timestamp;

pub(super) async fn answered(stage: &mut Stage) -> Timestamp {
    let task = stage.agent_works().await;
    stage.asks_a_question(&stage.agent, &task).await;
    stage.task = Some(task);
    stage.parks().await;
    stage.orders(stage.task(), stage.answer()).await;
    stage.now()
}

pub(super) async fn question_answered(stage: &mut Stage) -> Timestamp {
    let task = stage.agent_works().await;
    let question = stage.hub.hub.ids.question();
    let stalled = ReportKind::Blocked { reason: "how?".to_owned(), question: Some(question.clone()) };
    stage.agent.reports(&task, stalled, "need a word").await.unwrap();
    stage.task = Some(task);
    stage.parks().await;
    let (agent, answer) = (stage.agent.id.clone(), Some(stage.comment(CommentKind::Answer)));
    stage.orders(stage.task(), TaskCommand::Resume { agent, question, answer }).await;
    stage.now()
}

pub(super) async fn changes_requested(stage: &mut Stage) -> Timestamp {
    let task = stage.agent_works().await;
    stage.tries(&task, Stage::submission(&stage.agent)).await.unwrap();
    stage.task = Some(task);
    stage.parks().await;
    stage.orders(stage.task(), stage.changes()).await;
    stage.now()
}

pub(super) async fn hold_ended(stage: &mut Stage) -> Timestamp {
    let hold = stage.other_works().await.terms.last_holder_hold.span();
    stage.asks_a_question(stage.other(), stage.task()).await;
    stage.parks().await;
    stage.orders(stage.task(), stage.answer()).await;
    stage.until(stage.now() + hold).await
}

pub(super) async fn holder_went_offline(stage: &mut Stage) -> Timestamp {
    stage.other_works().await;
    let offline_at = stage.now() + stage.hub.hub.settings().hub.leases.offline_after;
    stage.asks_a_question(stage.other(), stage.task()).await;
    stage.until(offline_at - Duration::from_secs(10)).await;
    stage.parks().await;
    stage.orders(stage.task(), stage.answer()).await;
    stage.until(offline_at).await
}

pub(super) async fn holder_evicted(stage: &mut Stage) -> Timestamp {
    is_kept_for_the_other(stage).await;
    stage.other().is_sent_away().await;
    stage.now()
}

pub(super) async fn offline_sooner_by_reload(stage: &mut Stage) -> Timestamp {
    is_kept_for_the_other(stage).await;
    stage.hub.reloads(|settings| settings.hub.leases.offline_after = Duration::from_millis(1));
    stage.now()
}

async fn is_kept_for_the_other(stage: &mut Stage) {
    stage.other_works().await;
    stage.asks_a_question(stage.other(), stage.task()).await;
    stage.parks().await;
    stage.orders(stage.task(), stage.answer()).await;
    moment().await;
}
