//! The shell of a run.

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use super::message::WorkflowMessage;
use super::open_steps::OpenSteps;
use super::state::State;
use crate::actors::common::{MailboxMetrics, Refusals, Timer};
use crate::actors::journal::JournalRef;
use crate::clock::Clock;
use crate::domain::ids::WorkflowId;
use crate::domain::principal::By;
use crate::domain::workflow::run::WorkflowRun;

#[derive(Debug)]
pub struct WorkflowActor;

#[derive(Debug)]
pub struct WorkflowArgs {
    /// The run's id.
    pub id: WorkflowId,
    /// The run as the journal has it; none where it is about to begin.
    pub run: Option<WorkflowRun>,
    pub journal: JournalRef,
    pub clock: Clock,
    /// How the hub signs what nobody asked for.
    pub hub: By,
    pub timer: Timer,
    pub mailbox_metrics: Arc<MailboxMetrics>,
    /// Where it says what is open in it.
    pub open: OpenSteps,
}

impl Actor for WorkflowActor {
    type Msg = WorkflowMessage;
    type State = State;
    type Arguments = WorkflowArgs;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: WorkflowArgs) -> Result<State, ActorProcessingErr> {
        let WorkflowArgs { id, run, journal, clock, hub, timer, mailbox_metrics, open } = args;
        let (refusals, started_at) = (Refusals::default(), clock.now());
        let mut state = State {
            id,
            run,
            journal,
            clock,
            hub,
            timer,
            mailbox_metrics,
            open,
            driver: None,
            refusals,
            retry_at: None,
            started_at,
        };
        state.settle();
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: WorkflowMessage,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        state.mailbox_metrics.took();
        match message {
            WorkflowMessage::Start { start, reply } => {
                let _ = reply.send(state.start(*start).await);
            }
            WorkflowMessage::Drive { owner, gone, reply } => {
                let _ = reply.send(state.drive(&owner, gone));
            }
            WorkflowMessage::Order { order, reply } => {
                let done = state.order(*order).await;
                // Before the answer: whoever hears it may call again at once.
                state.settle();
                let _ = reply.send(done);
            }
            WorkflowMessage::Show { reply } => {
                let _ = reply.send(state.run.clone().map(Box::new));
            }
            WorkflowMessage::Tick => state.tick().await,
            WorkflowMessage::ActorView { reply } => {
                let _ = reply.send(state.actor_view());
            }
        }
        if state.settle() {
            myself.stop(None);
        }
        Ok(())
    }
}
