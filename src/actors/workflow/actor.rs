//! The shell of a run.

use ractor::{Actor, ActorRef};

use super::message::WorkflowMessage;
use super::state::State;
use crate::actors::common::{ActorResult, Refusals, respond};
use crate::actors::spawner::ActorArgs;
use crate::domain::ids::WorkflowId;
use crate::domain::workflow::run::WorkflowRun;

#[derive(Debug)]
pub struct WorkflowActor;

impl Actor for WorkflowActor {
    type Msg = WorkflowMessage;
    type State = State;
    type Arguments = ActorArgs<WorkflowMessage, (WorkflowId, Option<WorkflowRun>)>;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: Self::Arguments) -> ActorResult<State> {
        let (timer, mailbox_metrics) = (args.timer(|| WorkflowMessage::Tick), args.mailbox_metrics());
        let ActorArgs { birth: (id, run), spawner, .. } = args;
        let mut state = State {
            id,
            run,
            journal: spawner.journal,
            started_at: spawner.clock.now(),
            clock: spawner.clock,
            hub: spawner.hub,
            timer,
            mailbox_metrics,
            open: spawner.open_steps,
            driver: None,
            refusals: Refusals::default(),
            retry_at: None,
        };
        state.settle();
        Ok(state)
    }

    async fn handle(&self, myself: ActorRef<Self::Msg>, message: WorkflowMessage, state: &mut State) -> ActorResult {
        state.mailbox_metrics.took();
        // It may come before the run has begun.
        let is_look = matches!(message, WorkflowMessage::ActorView { .. } | WorkflowMessage::Show { .. });
        match message {
            WorkflowMessage::Start { start, reply } => respond(reply, state.start(*start).await),
            WorkflowMessage::Drive { owner, gone, reply } => respond(reply, state.drive(&owner, gone)),
            WorkflowMessage::Order { order, reply } => {
                let done = state.order(*order).await;
                // Before the answer: whoever hears it may call again at once.
                state.settle();
                let _ = reply.send(done);
            }
            WorkflowMessage::Show { reply } => respond(reply, state.run.clone().map(Box::new)),
            WorkflowMessage::Tick => state.tick().await,
            WorkflowMessage::ActorView { reply } => respond(reply, state.actor_view()),
        }
        if state.settle() && !is_look {
            myself.stop(None);
        }
        Ok(())
    }
}
