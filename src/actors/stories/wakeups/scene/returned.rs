//! An offer or a lease comes back from somebody else.

use std::time::Duration;

use super::super::stage::{ROLE, Stage, works};
use crate::actors::agent::AgentMessage;
use crate::domain::agent::Carried;
use crate::domain::ids::RoleId;
use crate::domain::task::OnTimeout;
use crate::domain::time::Timestamp;

pub(super) async fn offer_lapsed(stage: &mut Stage) -> Timestamp {
    let ack_by = stage.other_is_offered().await.ack_by;
    stage.parks().await;
    stage.until(ack_by).await
}

pub(super) async fn waiter_hung_up(stage: &mut Stage) -> Timestamp {
    let other = stage.hub.agent("tester-2", ROLE).await;
    let mut wait = Box::pin(other.waits());
    // It waits for longer than the agent, and so is offered the task first.
    assert!(tokio::time::timeout(Duration::from_millis(5), &mut wait).await.is_err());
    stage.parks().await;
    stage.task = Some(stage.hub.asks(&format!("role:{ROLE}"), "work").await.task_id);
    super::super::stage::moment().await;
    drop(wait);
    stage.now()
}

pub(super) async fn offer_undelivered(stage: &mut Stage) -> Timestamp {
    let offered = stage.other_is_offered().await;
    stage.parks().await;
    let carried = Carried { offer: Some((offered.spec.id.clone(), offered.epoch)), ..Carried::default() };
    stage.other().line.send(AgentMessage::Lost { call: stage.hub.hub.next_call(), carried });
    stage.now()
}

pub(super) async fn offered_agent_evicted(stage: &mut Stage) -> Timestamp {
    stage.other_is_offered().await;
    stage.parks().await;
    stage.other().is_sent_away().await;
    stage.now()
}

pub(super) async fn holder_evicted(stage: &mut Stage) -> Timestamp {
    stage.other_works().await;
    stage.parks().await;
    stage.other().is_sent_away().await;
    stage.now()
}

pub(super) async fn lease_ran_out(stage: &mut Stage) -> Timestamp {
    let ttl = stage.other_works().await.terms.ttl.span();
    let ends = stage.now() + ttl;
    stage.parks().await;
    stage.until(ends).await
}

pub(super) async fn lease_escalated(stage: &mut Stage) -> Timestamp {
    stage.hub.reloads(|settings| {
        let designer = settings.roles.roles.get_mut(&RoleId::parse("designer").unwrap()).unwrap();
        designer.on_timeout = OnTimeout::Escalate;
        designer.reports_to = [ROLE.to_owned()].into();
    });
    let designer = stage.hub.agent("designer-1", "designer").await;
    stage.task = Some(stage.hub.asks("designer-1", "draw").await.task_id);
    let ttl = works(&designer).await.terms.ttl.span();
    let ends = stage.now() + ttl;
    stage.parks().await;
    stage.until(ends).await
}
