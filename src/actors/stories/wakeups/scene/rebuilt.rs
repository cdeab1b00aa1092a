//! Something failed, and is in order again.

use std::time::Duration;

use super::super::super::hub::Hub;
use super::super::stage::{Stage, moment, takes};
use crate::domain::time::Timestamp;

/// After which pause a task says again how it stands, when its offer could not be written.
const RETRY_AFTER: Duration = Duration::from_secs(1);

pub(super) async fn journal_mended(stage: &mut Stage) -> Timestamp {
    stage.task = Some(stage.hub.asks("tester-1", "work").await.task_id);
    stage.hub.faults.fill();
    let offered_at = stage.now();
    stage.parks().await;
    stage.hub.faults.mend();
    offered_at + RETRY_AFTER
}

pub(super) async fn dispatcher(stage: &mut Stage) -> Timestamp {
    stage.parks().await;
    is_built_anew(stage, "dispatcher").await;
    stage.task = Some(stage.hub.asks("tester-1", "work").await.task_id);
    stage.now()
}

pub(super) async fn task(stage: &mut Stage) -> Timestamp {
    let task = stage.agent_works().await;
    stage.asks_a_question(&stage.agent, &task).await;
    stage.task = Some(task);
    stage.parks().await;
    is_built_anew(stage, &format!("task:{}", stage.task())).await;
    stage.tries(stage.task(), stage.answer()).await.unwrap();
    stage.now()
}

pub(super) async fn hub(stage: &mut Stage) -> Timestamp {
    stage.task = Some(stage.hub.asks("tester-1", "work").await.task_id);
    let store = stage.hub.reader.reopened();
    stage.hub = Hub::over(store).await;
    stage.agent = stage.hub.stranger("tester-1").await;
    let began = stage.now();
    stage.parks().await;
    began
}

pub(super) async fn offered_again(stage: &mut Stage) -> Timestamp {
    stage.task = Some(stage.hub.asks("tester-1", "work").await.task_id);
    takes(&stage.agent).await;
    let began = stage.now();
    stage.parks().await;
    began
}

async fn is_built_anew(stage: &Stage, actor: &str) {
    stage.hub.hub.supervisor.restart(actor).await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    moment().await;
}
