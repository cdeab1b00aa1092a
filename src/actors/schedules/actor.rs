//! The schedules' shell.

use ractor::{Actor, ActorRef};

use super::message::SchedulesMessage;
use super::state::State;
use crate::actors::common::{ActorResult, Refusals, respond};
use crate::actors::spawner::{ActorArgs, Spawner};
use crate::domain::time::Deadline;

#[derive(Debug)]
pub struct SchedulesActor;

impl Actor for SchedulesActor {
    type Msg = SchedulesMessage;
    type State = State;
    type Arguments = ActorArgs<SchedulesMessage>;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: Self::Arguments) -> ActorResult<State> {
        let (timer, mailbox_metrics) = (args.timer(|| SchedulesMessage::Tick), args.mailbox_metrics());
        let Spawner { journal, dispatcher, settings, clock, credentials, hub, .. } = args.spawner;
        let all = journal.read(|reader| reader.schedules()).await?;
        let now = clock.now();
        let mut state = State {
            all: all.into_iter().map(|one| (one.spec.name.clone(), one)).collect(),
            journal,
            dispatcher,
            settings,
            clock,
            credentials,
            hub,
            timer,
            mailbox_metrics,
            started_at: now,
            file_is_new: true,
            retry_at: None,
            errors: Refusals::default(),
        };
        // Its first turn waits for others, who may not be there yet.
        state.timer.set(Some(Deadline { at: now, reason: "schedules that are due" }));
        Ok(state)
    }

    async fn handle(&self, _: ActorRef<Self::Msg>, message: SchedulesMessage, state: &mut State) -> ActorResult {
        state.mailbox_metrics.took();
        match message {
            SchedulesMessage::Order { asked, reply } => {
                let done = state.order(*asked).await;
                state.turn().await;
                let _ = reply.send(done);
            }
            SchedulesMessage::List { reply } => respond(reply, state.all.values().cloned().collect()),
            SchedulesMessage::TaskEnded { task, reply } => {
                let heard = state.task_ended(*task).await;
                state.turn().await;
                let _ = reply.send(heard);
            }
            SchedulesMessage::Place { reply } => respond(reply, state.place().await),
            SchedulesMessage::Reloaded => {
                state.file_is_new = true;
                state.turn().await;
            }
            SchedulesMessage::Tick => {
                state.timer.rang();
                state.turn().await;
            }
            SchedulesMessage::ActorView { reply } => respond(reply, state.actor_view()),
        }
        Ok(())
    }
}
