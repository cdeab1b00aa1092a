//! A person puts a task back, or gives it to somebody else.

use super::super::super::hub::act;
use super::super::stage::{ROLE, Stage, works};
use crate::actors::common::Attempts;
use crate::domain::ids::RoleId;
use crate::domain::task::{OnTimeout, ReportKind, RightsSet, TaskCommand, TaskStateName};
use crate::domain::time::Timestamp;

pub(super) async fn failed_retried(stage: &mut Stage) -> Timestamp {
    stage.other_works().await;
    stage.other().reports(stage.task(), ReportKind::Failed, "no").await.unwrap();
    stage.parks().await;
    stage.orders(stage.task(), TaskCommand::Retry).await;
    stage.now()
}

pub(super) async fn timeout_retried(stage: &mut Stage) -> Timestamp {
    stage.hub.reloads(|settings| {
        settings.roles.roles.get_mut(&RoleId::parse(ROLE).unwrap()).unwrap().on_timeout = OnTimeout::Hold;
    });
    runs_out(stage, TaskStateName::Timeout).await;
    stage.parks().await;
    stage.orders(stage.task(), TaskCommand::Retry).await;
    stage.now()
}

pub(super) async fn dead_letter_requeued(stage: &mut Stage) -> Timestamp {
    stage.hub.reloads(|settings| settings.hub.leases.max_attempts = 1);
    runs_out(stage, TaskStateName::DeadLetter).await;
    stage.parks().await;
    stage.orders(stage.task(), TaskCommand::Requeue).await;
    stage.now()
}

pub(super) async fn reassigned(stage: &mut Stage) -> Timestamp {
    stage.task = Some(stage.hub.asks("role:designer", "draw").await.task_id);
    stage.parks().await;
    is_given_to_the_agent(stage).await
}

pub(super) async fn reassigned_from_holder(stage: &mut Stage) -> Timestamp {
    let designer = stage.hub.agent("designer-1", "designer").await;
    stage.task = Some(stage.hub.asks("designer-1", "draw").await.task_id);
    works(&designer).await;
    stage.asks_a_question(&designer, stage.task()).await;
    stage.parks().await;
    is_given_to_the_agent(stage).await
}

async fn is_given_to_the_agent(stage: &Stage) -> Timestamp {
    // The order is replaced by the target that the dispatcher reads.
    let order = act(&stage.hub.hub, TaskCommand::Tick, "operator");
    stage
        .hub
        .hub
        .reassign(stage.task(), "tester-1".to_owned(), RightsSet::All, order, &mut Attempts::default())
        .await
        .unwrap();
    stage.now()
}

async fn runs_out(stage: &mut Stage, into: TaskStateName) {
    let ttl = stage.other_works().await.terms.ttl.span();
    stage.until(stage.now() + ttl).await;
    super::super::stage::moment().await;
    assert_eq!(stage.hub.state(stage.task()).await, into);
}
