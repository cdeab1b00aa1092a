//! A service's shell: begins the loop, shows it, ends with it.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use ractor::{Actor, ActorRef, RpcReplyPort};
use serde_json::Value;
use tokio::task::AbortHandle;

use crate::actors::common::{ActorResult, ActorView, LastRefusal, MailboxMetrics};
use crate::clock::Clock;
use crate::domain::time::Timestamp;

pub trait Service: Send + Sync + 'static {
    fn run(&self) -> BoxFuture<'static, String>;
    fn look(&self) -> Look;
}

#[derive(Debug, Clone, Default)]
pub struct Look {
    /// In a word or two.
    pub state: String,
    /// Whatever is worth seeing.
    pub detail: Value,
    /// What went wrong lately, newest last.
    pub errors: Vec<LastRefusal>,
}

#[derive(Debug)]
pub enum ServiceMessage {
    Ended { why: String },
    ActorView { reply: RpcReplyPort<ActorView> },
}

#[derive(Debug)]
pub struct ServiceActor;

pub struct ServiceArgs {
    pub name: String,
    pub service: Arc<dyn Service>,
    pub clock: Clock,
    pub mailbox_metrics: Arc<MailboxMetrics>,
}

pub struct State {
    name: String,
    service: Arc<dyn Service>,
    mailbox_metrics: Arc<MailboxMetrics>,
    started_at: Timestamp,
    running: AbortHandle,
}

impl fmt::Debug for ServiceArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceArgs").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Actor for ServiceActor {
    type Msg = ServiceMessage;
    type State = State;
    type Arguments = ServiceArgs;

    async fn pre_start(&self, myself: ActorRef<Self::Msg>, args: ServiceArgs) -> ActorResult<State> {
        let ServiceArgs { name, service, clock, mailbox_metrics } = args;
        let running = service.run();
        let running = async move {
            let ended = AssertUnwindSafe(running).catch_unwind().await;
            let why = ended.unwrap_or_else(|_| "it panicked".to_owned());
            // Refused by an actor that ended: nothing is left to be begun anew.
            let _ = myself.send_message(ServiceMessage::Ended { why });
        };
        #[expect(clippy::disallowed_methods, reason = "it runs for the actor, and is ended with it")]
        let running = tokio::spawn(running).abort_handle();
        Ok(State { name, service, mailbox_metrics, started_at: clock.now(), running })
    }

    async fn handle(&self, myself: ActorRef<Self::Msg>, message: ServiceMessage, state: &mut State) -> ActorResult {
        match message {
            // From the loop itself, and so not counted.
            ServiceMessage::Ended { why } => myself.stop(Some(why)),
            ServiceMessage::ActorView { reply } => {
                state.mailbox_metrics.took();
                let Look { state: standing, detail, errors } = state.service.look();
                let actor_view = ActorView::of(&state.name, "service", &state.mailbox_metrics, state.started_at);
                let _ = reply.send(ActorView { state: standing, detail, last_refusals: errors, ..actor_view });
            }
        }
        Ok(())
    }
}
