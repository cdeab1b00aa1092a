//! The schedules' shell.

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::sync::watch;

use super::message::SchedulesMessage;
use super::state::State;
use crate::actors::Credentials;
use crate::actors::common::{MailboxMetrics, Refusals, Timer};
use crate::actors::dispatcher::DispatcherRef;
use crate::actors::journal::JournalRef;
use crate::clock::Clock;
use crate::domain::principal::By;
use crate::domain::time::Deadline;
use crate::settings::Settings;

#[derive(Debug)]
pub struct SchedulesActor;

#[derive(Debug)]
pub struct SchedulesArgs {
    pub journal: JournalRef,
    /// Who hands out what is due.
    pub dispatcher: DispatcherRef,
    pub settings: watch::Receiver<Arc<Settings>>,
    pub clock: Clock,
    /// Whether who made a schedule may still hand out work.
    pub credentials: Credentials,
    /// How the hub signs what nobody asked for.
    pub hub: By,
    pub timer: Timer,
    pub mailbox_metrics: Arc<MailboxMetrics>,
}

impl Actor for SchedulesActor {
    type Msg = SchedulesMessage;
    type State = State;
    type Arguments = SchedulesArgs;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: SchedulesArgs) -> Result<State, ActorProcessingErr> {
        let SchedulesArgs { journal, dispatcher, settings, clock, credentials, hub, timer, mailbox_metrics } = args;
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

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: SchedulesMessage,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        state.mailbox_metrics.took();
        match message {
            SchedulesMessage::Order { asked, reply } => {
                let done = state.order(*asked).await;
                state.turn().await;
                let _ = reply.send(done);
            }
            SchedulesMessage::List { reply } => {
                let _ = reply.send(state.all.values().cloned().collect());
            }
            SchedulesMessage::TaskEnded { task, reply } => {
                let heard = state.task_ended(*task).await;
                state.turn().await;
                let _ = reply.send(heard);
            }
            SchedulesMessage::Place { reply } => {
                let _ = reply.send(state.place().await);
            }
            SchedulesMessage::Reloaded => {
                state.file_is_new = true;
                state.turn().await;
            }
            SchedulesMessage::Tick => {
                state.timer.rang();
                state.turn().await;
            }
            SchedulesMessage::ActorView { reply } => {
                let _ = reply.send(state.actor_view());
            }
        }
        Ok(())
    }
}
