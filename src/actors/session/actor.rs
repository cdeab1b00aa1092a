//! The session's shell.

use std::time::Duration;

use ractor::{Actor, ActorRef};
use serde_json::json;
use tracing::Instrument as _;

use super::message::{SessionMessage, SessionOrder};
use super::state::State;
use super::view::name_of;
use crate::actors::common::{ActorResult, ActorView, Refusals, respond};
use crate::actors::spawner::ActorArgs;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{By, Surface};
use crate::domain::session::question::Answerer;
use crate::domain::session::{Lifecycle, Session, SessionCommand};
use crate::domain::task::Origin;
use crate::domain::time::Deadline;

#[derive(Debug)]
pub struct SessionActor;

/// How long it waits before it tries again what its deadline asked for, after the journal or its task failed.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// What one ring can bring at most: a reminder or a deadline, and what follows from a task that went on.
const STEPS: usize = 4;

impl Actor for SessionActor {
    type Msg = SessionMessage;
    type State = State;
    type Arguments = ActorArgs<SessionMessage, (Session, Lifecycle)>;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: Self::Arguments) -> ActorResult<State> {
        let (timer, mailbox_metrics) = (args.timer(|| SessionMessage::Tick), args.mailbox_metrics());
        let ActorArgs { birth: (session, lifecycle), spawner, .. } = args;
        let agent = &session.agent;
        let itself = Answerer {
            principal: PrincipalId::parse(&format!("agent:{agent}"))?,
            display_name: agent.to_string(),
            surface: Surface::Agent,
        };
        let mut state = State {
            session,
            lifecycle,
            journal: spawner.journal,
            dispatcher: spawner.dispatcher,
            timer,
            started_at: spawner.clock.now(),
            clock: spawner.clock,
            ids: spawner.ids,
            mailbox_metrics,
            hub: spawner.hub,
            itself,
            waiters: Vec::new(),
            refusals: Refusals::default(),
            stale: false,
            retry_at: None,
        };
        state.settle();
        Ok(state)
    }

    async fn handle(&self, _: ActorRef<Self::Msg>, message: SessionMessage, state: &mut State) -> ActorResult {
        state.mailbox_metrics.took();
        match &message {
            SessionMessage::Moved => state.stale = true,
            SessionMessage::Seen { .. } => {}
            SessionMessage::Order { .. }
            | SessionMessage::AwaitAnswer { .. }
            | SessionMessage::Show { .. }
            | SessionMessage::Tick
            | SessionMessage::ActorView { .. } => Box::pin(state.look_again()).await,
        }
        // What reads and writes is boxed: a session that rests has no room to keep for it.
        match message {
            SessionMessage::Moved if state.is_asked_for() => Box::pin(state.look_again()).await,
            SessionMessage::Moved => {}
            SessionMessage::Seen { lifecycle } => state.lifecycle = lifecycle,
            SessionMessage::Order { order, span, reply } => {
                let outcome = Box::pin(state.order(&order).instrument(span)).await;
                // Whoever waits for the answer hears it before its author hears that it counts.
                state.settle();
                let _ = reply.send(outcome);
            }
            SessionMessage::AwaitAnswer { question, reply } => Box::pin(state.park(question, reply)).await,
            SessionMessage::Show { reply } => respond(reply, (state.session.clone(), state.lifecycle)),
            SessionMessage::Tick => Box::pin(state.tick()).await,
            SessionMessage::ActorView { reply } => respond(reply, state.actor_view()),
        }
        state.settle();
        Ok(())
    }
}

impl State {
    /// Whether a move may end a question or a wait here. Without one, the session looks when it is next spoken to.
    fn is_asked_for(&self) -> bool {
        let (open, overdue) = (self.session.open_question(), self.session.overdue().next());
        !self.waiters.is_empty() || open.or(overdue).is_some()
    }

    /// Ends every turn: waiters are answered, the timer is set.
    pub(super) fn settle(&mut self) {
        self.answer_waiters();
        let own = self.session.next_deadline();
        let now = self.clock.now();
        // While something fails, a deadline that is due is not rung again and again.
        let own = own.map(|deadline| match self.retry_at {
            Some(at) if deadline.at <= now => Deadline { at, ..deadline },
            Some(_) | None => deadline,
        });
        self.timer.set(own);
    }

    /// The time has come for something, or the task went on: whatever is due is done, step by step.
    async fn tick(&mut self) {
        self.timer.rang();
        self.retry_at = None;
        for _ in 0..STEPS {
            let now = self.clock.now();
            if self.session.next_deadline().is_none_or(|deadline| deadline.at > now) {
                return;
            }
            let by = By { surface: Surface::Timer, ..self.hub.clone() };
            let order = SessionOrder::new(SessionCommand::Tick, by, Origin::hub());
            if self.order(&order).await.is_err() {
                self.retry_at = Some(now + RETRY_AFTER);
                return;
            }
            self.answer_waiters();
        }
    }

    fn actor_view(&self) -> ActorView {
        let session = &self.session;
        let mut actor_view =
            ActorView::of(format!("session:{}", session.id), "session", &self.mailbox_metrics, self.started_at);
        actor_view.state = format!("{}, {}", name_of(self.lifecycle), session.status());
        actor_view.deadline = self.timer.armed();
        actor_view.last_refusals = self.refusals.list();
        actor_view.detail = json!({
            "agentId": session.agent,
            "openedAt": session.opened_at,
            "takenUpAt": session.taken_up_at,
            "version": session.version,
            "round": session.round,
            "taskId": session.task,
            "openQuestion": session.open_question().map(|question| &question.spec.id),
            "overdue": session.overdue().map(|question| &question.spec.id).collect::<Vec<_>>(),
            "waiters": self.waiters.len(),
        });
        actor_view
    }
}
