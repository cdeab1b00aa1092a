//! The session's shell.

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use super::message::SessionMessage;
use crate::actors::common::{Gauge, Portrait};
use crate::clock::Clock;
use crate::domain::session::{Lifecycle, Session, SessionRecord};
use crate::domain::time::Timestamp;

/// The actor.
#[derive(Debug)]
pub struct SessionActor;

/// What it is built with.
#[derive(Debug)]
pub struct SessionArgs {
    /// The session as the journal knows it.
    pub session: Session,
    /// Does it live, as far as is known.
    pub lifecycle: Lifecycle,
    /// The hub's clock.
    pub clock: Clock,
    /// Its mailbox's gauge.
    pub gauge: Arc<Gauge>,
}

/// What it keeps.
#[derive(Debug)]
pub struct Desk {
    session: Session,
    lifecycle: Lifecycle,
    gauge: Arc<Gauge>,
    started_at: Timestamp,
}

impl Actor for SessionActor {
    type Msg = SessionMessage;
    type State = Desk;
    type Arguments = SessionArgs;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: SessionArgs) -> Result<Desk, ActorProcessingErr> {
        let SessionArgs { session, lifecycle, clock, gauge } = args;
        Ok(Desk { session, lifecycle, gauge, started_at: clock.now() })
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: SessionMessage,
        desk: &mut Desk,
    ) -> Result<(), ActorProcessingErr> {
        desk.gauge.took();
        match message {
            SessionMessage::TakenUp { at } => desk.session.apply(at, &SessionRecord::TakenUp),
            SessionMessage::Seen { lifecycle } => desk.lifecycle = lifecycle,
            SessionMessage::Show { reply } => {
                let _ = reply.send((desk.session.clone(), desk.lifecycle));
            }
            SessionMessage::Portrait { reply } => {
                let id = format!("session:{}", desk.session.id);
                let mut portrait = Portrait::of(id, "session", &desk.gauge, desk.started_at);
                portrait.state = super::message::SessionView::of(&desk.session, desk.lifecycle).lifecycle;
                portrait.detail = serde_json::json!({
                    "agentId": desk.session.agent, "openedAt": desk.session.opened_at,
                    "takenUpAt": desk.session.taken_up_at,
                });
                let _ = reply.send(portrait);
            }
        }
        Ok(())
    }
}
