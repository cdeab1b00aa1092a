//! A follower's shell: one event at a time, the same one again where it could not be taken.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorRef};
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::consumer::Consumer;
use super::message::FollowerMessage;
use super::reader::read;
use crate::actors::common::{ActorResult, ActorView, MailboxMetrics, Refusals, Timer};
use crate::actors::noticeboard::{NoticeboardRef, Posted};
use crate::clock::Clock;
use crate::domain::time::{Deadline, Timestamp};
use crate::journal::Seq;

/// The pause after a first failure; it doubles up to [`LONGEST_PAUSE`]. A disk does not tell when there is room again.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(32);

#[derive(Debug)]
pub struct FollowerActor;

pub struct FollowerArgs {
    pub name: String,
    pub consumer: Box<dyn Consumer>,
    pub noticeboard: NoticeboardRef,
    pub timer: Timer,
    pub clock: Clock,
    /// How full its mailbox is. Its reader is not counted: it waits after each event.
    pub mailbox_metrics: Arc<MailboxMetrics>,
}

pub struct State {
    name: String,
    consumer: Box<dyn Consumer>,
    noticeboard: NoticeboardRef,
    timer: Timer,
    clock: Clock,
    mailbox_metrics: Arc<MailboxMetrics>,
    started_at: Timestamp,
    place: Seq,
    taken: u64,
    /// What is not taken yet, and where to say that it was.
    waiting: Option<(Posted, oneshot::Sender<()>)>,
    failures: u32,
    errors: Refusals,
    reader: AbortHandle,
}

impl fmt::Debug for FollowerArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowerArgs").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("name", &self.name).field("place", &self.place).finish_non_exhaustive()
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl State {
    async fn take(&mut self) {
        let Some((posted, taken)) = self.waiting.take() else { return };
        let outcome = match &posted {
            Posted::Event(event) => self.consumer.take(event).await.map(|()| self.place = event.seq),
            Posted::Gap { missed, .. } => self.consumer.missed(*missed, self.place).await,
        };
        match outcome {
            Ok(()) => {
                (self.taken, self.failures) = (self.taken + 1, 0);
                self.timer.set(None);
                // A reader that is gone ends the actor, too.
                let _ = taken.send(());
            }
            Err(why) => {
                let now = self.clock.now();
                if self.failures == 0 {
                    let (name, place) = (&self.name, self.place);
                    tracing::warn!(actor = %name, "`{name}` stands still behind event {place}: {why}");
                }
                self.errors.note(now, "UNAVAILABLE", why);
                let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(self.failures)).min(LONGEST_PAUSE);
                self.failures += 1;
                self.waiting = Some((posted, taken));
                self.timer.set(Some(Deadline { at: now + pause, reason: "an event that could not be taken" }));
            }
        }
    }

    async fn actor_view(&mut self) -> ActorView {
        let mut actor_view = ActorView::of(&self.name, "follower", &self.mailbox_metrics, self.started_at);
        let waiting = self.waiting.as_ref().and_then(|(posted, _)| match posted {
            Posted::Event(event) => Some((event.seq, event.time)),
            Posted::Gap { .. } => None,
        });
        let position = self.noticeboard.view().await.ok().map(|view| view.position);
        let behind = waiting.zip(position).map_or(0, |((seq, _), position)| position.0.saturating_sub(seq.0) + 1);
        if self.failures > 0 {
            "standing still".clone_into(&mut actor_view.state);
        }
        actor_view.deadline = self.timer.armed();
        actor_view.last_refusals = self.errors.list();
        actor_view.detail = json!({
            "place": self.place,
            "lag": behind,
            "oldestWaiting": waiting.map(|(_, time)| time),
            "taken": self.taken,
            "failures": self.failures,
        });
        actor_view
    }
}

impl Actor for FollowerActor {
    type Msg = FollowerMessage;
    type State = State;
    type Arguments = FollowerArgs;

    async fn pre_start(&self, myself: ActorRef<Self::Msg>, args: FollowerArgs) -> ActorResult<State> {
        let FollowerArgs { name, mut consumer, noticeboard, timer, clock, mailbox_metrics } = args;
        let place = consumer.place().await?;
        let reading = read(noticeboard.clone(), consumer.wants(), place, myself);
        #[expect(clippy::disallowed_methods, reason = "it reads for the actor, and is ended with it")]
        let reader = tokio::spawn(reading).abort_handle();
        let (started_at, waiting, errors) = (clock.now(), None, Refusals::default());
        let (taken, failures) = (0, 0);
        let state = State {
            name,
            consumer,
            noticeboard,
            timer,
            clock,
            mailbox_metrics,
            started_at,
            place,
            taken,
            waiting,
            failures,
            errors,
            reader,
        };
        Ok(state)
    }

    async fn handle(&self, myself: ActorRef<Self::Msg>, message: FollowerMessage, state: &mut State) -> ActorResult {
        match message {
            FollowerMessage::Read { posted, taken } => {
                state.waiting = Some((posted, taken));
                state.take().await;
            }
            // Built anew from its place, or the hub ends.
            FollowerMessage::ReaderEnded => myself.stop(Some("what it follows ended".to_owned())),
            FollowerMessage::Tick => {
                state.mailbox_metrics.took();
                state.timer.rang();
                state.take().await;
            }
            FollowerMessage::ActorView { reply } => {
                state.mailbox_metrics.took();
                let _ = reply.send(state.actor_view().await);
            }
        }
        Ok(())
    }
}
