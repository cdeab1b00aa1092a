//! The supervisor's shell.

use std::collections::BTreeMap;
use std::sync::Arc;

use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::sync::{oneshot, watch};

use super::child::{ChildKind, Held, Hired, Seat};
use super::kinds::SessionKind;
use super::message::{SupervisorMessage, TreeError};
use crate::actors::HubRef;
use crate::actors::Spawner;
use crate::actors::common::{Gauge, Line, Restarts, Socket, Tally};
use crate::actors::journal::JournalReads;
use crate::actors::session::{SessionMessage, SessionRef};
use crate::actors::terminal::Shelf;
use crate::clock::Clock;
use crate::domain::ids::SessionId;
use crate::domain::session::Lifecycle;
use crate::domain::time::Timestamp;
use crate::ids::Ids;
use crate::journal::Store;
use crate::journal::search::SearchIndex;
use crate::settings::Settings;

/// The actor.
#[derive(Debug)]
pub struct SupervisorActor;

/// What it is built with.
pub struct SupervisorArgs {
    /// The one writer.
    pub store: Box<dyn Store>,
    /// Reads of the same journal.
    pub reads: JournalReads,
    /// The search index to keep up, where there is one.
    pub search: Option<SearchIndex>,
    /// What terminals printed.
    pub shelf: Shelf,
    /// What is set.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// True once the hub is going down.
    pub draining: watch::Receiver<bool>,
    /// What is counted as it happens.
    pub tally: Tally,
    /// The hub's clock.
    pub clock: Clock,
    /// The hub's ids.
    pub ids: Ids,
    /// Its own line.
    pub line: (Socket<SupervisorMessage>, Line<SupervisorMessage>),
    /// Who waits for the hub to be built.
    pub ready: oneshot::Sender<HubRef>,
    /// Who ends the hub when it cannot go on.
    pub fatal: watch::Sender<Option<String>>,
}

/// What it keeps.
pub struct Desk {
    pub(super) hub: HubRef,
    pub(super) spawner: Spawner,
    pub(super) gauge: Arc<Gauge>,
    pub(super) started_at: Timestamp,
    pub(super) fatal: watch::Sender<Option<String>>,
    pub(super) children: BTreeMap<String, Held>,
    pub(super) names: BTreeMap<ActorId, String>,
    /// Where each actor that ended before it was announced as hired failed, and why.
    pub(super) early: BTreeMap<ActorId, String>,
    pub(super) ending: bool,
}

impl std::fmt::Debug for SupervisorArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SupervisorArgs")
    }
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("children", &self.children.len()).finish_non_exhaustive()
    }
}

impl Actor for SupervisorActor {
    type Msg = SupervisorMessage;
    type State = Desk;
    type Arguments = SupervisorArgs;

    async fn pre_start(&self, myself: ActorRef<Self::Msg>, args: SupervisorArgs) -> Result<Desk, ActorProcessingErr> {
        super::build::everybody(&myself, args).await
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: SupervisorMessage,
        desk: &mut Desk,
    ) -> Result<(), ActorProcessingErr> {
        desk.gauge.took();
        match message {
            SupervisorMessage::Hired(hired) => desk.hired(&myself, *hired),
            SupervisorMessage::SessionMoved { id } => desk.session_moved(&myself, id).await,
            SupervisorMessage::Seen { id, lifecycle } => desk.seen(&id, lifecycle),
            SupervisorMessage::Rebuild { name } => desk.rebuild(&myself, &name).await,
            // Whoever waits for it need not wait out its pause.
            SupervisorMessage::JournalMended => desk.rearm(),
            SupervisorMessage::FindSession { id, reply } => {
                let _ = reply.send(desk.session_line(&id));
            }
            SupervisorMessage::Sessions { reply } => {
                let _ = reply.send(desk.sessions());
            }
            SupervisorMessage::OpenTerminal { spec, reply } => {
                let _ = reply.send(desk.open_terminal(&myself, *spec).await);
            }
            SupervisorMessage::FindTerminal { id, reply } => {
                let _ = reply.send(desk.find_terminal(&myself, id).await);
            }
            SupervisorMessage::Terminals { reply } => {
                let _ = reply.send(desk.terminals());
            }
            SupervisorMessage::Follow { follower, reply } => {
                let started = desk.spawner.start(follower, ()).await;
                let _ = reply.send(started.map(|(hired, _)| desk.hired(&myself, hired)));
            }
            SupervisorMessage::Tree { limit, reply } => desk.tree(limit, reply),
            SupervisorMessage::Portrait { name, reply } => desk.portrait_of(name, reply),
            SupervisorMessage::Restart { name, reply } => {
                let _ = reply.send(desk.restart(&name));
            }
            SupervisorMessage::Shutdown { within, reply } => {
                desk.shutdown(within).await;
                let _ = reply.send(());
                myself.stop(None);
            }
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Self::Msg>,
        event: SupervisionEvent,
        desk: &mut Desk,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => {}
            SupervisionEvent::ActorTerminated(cell, _, _) => desk.ended(&myself, cell.get_id()),
            SupervisionEvent::ActorFailed(cell, error) => desk.failed(&myself, cell.get_id(), &error.to_string()),
        }
        Ok(())
    }
}

impl Desk {
    pub(super) fn hired(&mut self, myself: &ActorRef<SupervisorMessage>, hired: Hired) {
        let Hired { name, cell, child } = hired;
        let actor = cell.get_id();
        let held = Held { child, cell, restarts: Restarts::default(), vacant: false, by_hand: false };
        self.names.insert(actor, name.clone());
        self.children.insert(name, held);
        // It may have ended before it was announced.
        match self.early.remove(&actor) {
            Some(reason) if reason.is_empty() => self.ended(myself, actor),
            Some(reason) => self.failed(myself, actor, &reason),
            None => {}
        }
    }

    /// Somebody else wrote into a session's stream: it looks again; one that was just opened is built.
    async fn session_moved(&mut self, myself: &ActorRef<SupervisorMessage>, id: SessionId) {
        if let Some(line) = self.session_line(&id) {
            line.tell(SessionMessage::Moved);
            return;
        }
        let wanted = id.clone();
        let session = match self.hub.journal.read(move |reader| reader.session(&wanted)).await {
            Ok(Some(session)) => session,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!("session `{id}` could not be read: {error}");
                return;
            }
        };
        match self.spawner.start(SessionKind { id: id.clone() }, (session, Lifecycle::Running)).await {
            Ok((hired, _)) => self.hired(myself, hired),
            Err(fault) => tracing::warn!("session `{id}` could not be opened: {fault}"),
        }
    }

    fn seen(&self, id: &SessionId, lifecycle: Lifecycle) {
        if let Some(line) = self.session_line(id) {
            line.tell(SessionMessage::Seen { lifecycle });
        }
    }

    /// A child, where it is of this kind.
    pub(super) fn seat<K: ChildKind>(&self, name: &str) -> Option<&Seat<K>> {
        self.children.get(name)?.child.as_kind()
    }

    /// Every child of a kind, by name.
    pub(super) fn seats<K: ChildKind>(&self) -> impl Iterator<Item = &Seat<K>> {
        self.children.values().filter_map(|held| held.child.as_kind())
    }

    fn session_line(&self, id: &SessionId) -> Option<SessionRef> {
        Some(SessionRef::new(self.seat::<SessionKind>(&format!("session:{id}"))?.line.clone()))
    }

    fn sessions(&self) -> Vec<SessionRef> {
        self.seats().map(|seat: &Seat<SessionKind>| SessionRef::new(seat.line.clone())).collect()
    }

    /// Ends an actor by hand; it is built anew like one that failed.
    fn restart(&mut self, name: &str) -> Result<(), TreeError> {
        if matches!(name, "supervisor" | "journal" | "noticeboard") {
            return Err(TreeError::NotRestartable(name.to_owned()));
        }
        let child = self.children.get_mut(name).ok_or_else(|| TreeError::Unknown(name.to_owned()))?;
        child.by_hand = true;
        child.child.disconnect();
        child.cell.kill();
        Ok(())
    }
}
