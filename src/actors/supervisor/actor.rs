//! The supervisor's shell.

use ractor::{Actor, ActorRef, SupervisionEvent};

use super::build::SupervisorArgs;
use super::child::{Held, Spawned};
use super::kinds::SessionKind;
use super::lately::Lately;
use super::message::{SupervisorMessage, TreeError};
use super::state::State;
use crate::actors::common::{ActorResult, Restarts, respond};
use crate::actors::session::{SessionMessage, SessionRef};
use crate::domain::ids::SessionId;
use crate::domain::session::Lifecycle;

#[derive(Debug)]
pub struct SupervisorActor;

impl Actor for SupervisorActor {
    type Msg = SupervisorMessage;
    type State = State;
    type Arguments = SupervisorArgs;

    async fn pre_start(&self, myself: ActorRef<Self::Msg>, args: SupervisorArgs) -> ActorResult<State> {
        super::build::everybody(&myself, args).await
    }

    async fn handle(&self, myself: ActorRef<Self::Msg>, message: SupervisorMessage, state: &mut State) -> ActorResult {
        state.mailbox_metrics.took();
        match message {
            SupervisorMessage::Spawned(spawned) => state.spawned(&myself, *spawned),
            SupervisorMessage::SessionMoved { id } => state.session_moved(&myself, id).await,
            SupervisorMessage::Seen { id, lifecycle } => state.seen(&id, lifecycle),
            SupervisorMessage::Rebuild { name } => state.rebuild(&myself, &name).await,
            // Whoever waits for it need not wait out its pause.
            SupervisorMessage::JournalMended => state.rearm(),
            SupervisorMessage::FindSession { id, reply } => respond(reply, state.session_line(&id)),
            SupervisorMessage::Sessions { reply } => respond(reply, state.sessions()),
            SupervisorMessage::OpenTerminal { spec, reply } => {
                respond(reply, state.open_terminal(&myself, *spec).await);
            }
            SupervisorMessage::FindTerminal { id, reply } => respond(reply, state.find_terminal(&myself, id).await),
            SupervisorMessage::Terminals { reply } => respond(reply, state.terminals()),
            SupervisorMessage::NewWorkflow { id, reply } => respond(reply, state.new_workflow(&myself, id).await),
            SupervisorMessage::FindWorkflow { id, reply } => respond(reply, state.workflow_line(&id)),
            SupervisorMessage::Run { start, reply } => {
                let started = (start.0)(state.spawner.clone()).await;
                respond(reply, started.map(|spawned| state.spawned(&myself, spawned)));
            }
            SupervisorMessage::Tree { limit, reply } => state.tree(limit, reply),
            SupervisorMessage::Strained { reply } => respond(reply, state.strained(state.hub.clock.now())),
            SupervisorMessage::ActorView { name, reply } => state.view_of(name, reply),
            SupervisorMessage::Restart { name, reply } => respond(reply, state.restart(&name)),
            SupervisorMessage::Shutdown { within, reply } => {
                state.shutdown(within).await;
                respond(reply, ());
                myself.stop(None);
            }
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Self::Msg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> ActorResult {
        match event {
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => {}
            SupervisionEvent::ActorTerminated(cell, _, _) => state.ended(&myself, cell.get_id()),
            SupervisionEvent::ActorFailed(cell, error) => state.failed(&myself, cell.get_id(), &error.to_string()),
        }
        Ok(())
    }
}

impl State {
    pub(super) fn spawned(&mut self, myself: &ActorRef<SupervisorMessage>, spawned: Spawned) {
        let Spawned { name, cell, child } = spawned;
        let actor = cell.get_id();
        if let Some(slot) = child.as_kind::<SessionKind>() {
            self.hub.supervisor.knows(&slot.kind.id, Some(SessionRef::new(slot.line.clone())));
        }
        let (restarts, lately) = (Restarts::default(), Lately::default());
        let held = Held { child, cell, restarts, lately, vacant: false, by_hand: false };
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
            Ok((spawned, _)) => self.spawned(myself, spawned),
            Err(fault) => tracing::warn!("session `{id}` could not be opened: {fault}"),
        }
    }

    fn seen(&self, id: &SessionId, lifecycle: Lifecycle) {
        if let Some(line) = self.session_line(id) {
            line.tell(SessionMessage::Seen { lifecycle });
        }
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
