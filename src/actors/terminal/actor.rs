//! The terminal's shell.

use ractor::{Actor, ActorRef};

use super::look::SETTLES;
use super::message::TerminalMessage;
use super::state::{Hosting, State, SwapState};
use crate::actors::common::{ActorResult, Result, respond};
use crate::actors::spawner::ActorArgs;
use crate::domain::prompt::{EchoStrainer, Host};
use crate::domain::terminal::{Prompting, TerminalSpec};
use crate::domain::time::Deadline;
use crate::terminal::{LineEnds, Recent, TerminalSize, Watch};

#[derive(Debug)]
pub struct TerminalActor;

impl Actor for TerminalActor {
    type Msg = TerminalMessage;
    type State = State;
    type Arguments = ActorArgs<TerminalMessage, TerminalSpec>;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: Self::Arguments) -> ActorResult<State> {
        let (timer, mailbox_metrics) = (args.timer(|| TerminalMessage::Tick), args.mailbox_metrics());
        let ActorArgs { birth: spec, spawner, .. } = args;
        let now = spawner.clock.now();
        let lines = spawner.settings.borrow().hub.monitor.lines;
        let mut state = State {
            watch: Watch::new(TerminalSize::default(), lines),
            echo: EchoStrainer::default(),
            ends: LineEnds::default(),
            recent: Recent::at(0),
            host: Host::default(),
            hosting: Hosting::default(),
            rest: SwapState::since(now),
            prompting: Prompting::default(),
            file: None,
            lost: None,
            look_at: None,
            write_at: Some(now),
            poll_at: spec.kind.follows_a_file().then_some(now),
            polled_at: now,
            tell_at: None,
            updated_at: now,
            unwritten: 0,
            stopped_at: None,
            began_at: 0,
            waiters: Vec::new(),
            started_at: now,
            spec,
            journal: spawner.journal,
            shelf: spawner.shelf,
            timer,
            settings: spawner.settings,
            clock: spawner.clock,
            mailbox_metrics,
            hub: spawner.hub,
        };
        state.restore(lines).await?;
        state.settle();
        Ok(state)
    }

    async fn handle(&self, myself: ActorRef<Self::Msg>, message: TerminalMessage, state: &mut State) -> ActorResult {
        state.mailbox_metrics.began();
        if state.needs_its_screen(&message) {
            state.wakes().await?;
        }
        match message {
            TerminalMessage::Print { output, reply } => {
                state.print(output).await;
                if let Some(reply) = reply {
                    let _ = reply.send(state.recent.end());
                }
            }
            TerminalMessage::Host { host } => state.hear(host).await,
            TerminalMessage::Typed => {
                let now = state.clock.now();
                state.watch.input();
                state.prompting.typed(state.recent.end());
                state.look_by(now + SETTLES);
            }
            TerminalMessage::Hosted { arrival, reply } => respond(reply, state.is_hosted(arrival)),
            TerminalMessage::HostLeft { connection, ended } => state.loses_its_host(&connection, ended).await,
            TerminalMessage::Type { order, reply } => state.type_in(*order, reply).await,
            TerminalMessage::WasOrdered { order, done } => state.was_ordered(*order, done).await,
            TerminalMessage::Detect { reply } => {
                state.poll_now().await?;
                let _ = reply.send(state.detect());
            }
            TerminalMessage::Read { since, most, reply } => {
                state.poll_now().await?;
                let _ = reply.send(state.read(since, most));
            }
            TerminalMessage::Await { since, reply } => state.waiters.push((since, reply)),
            TerminalMessage::Transcript { reply } => {
                state.poll_now().await?;
                let _ = reply.send(state.transcript());
            }
            TerminalMessage::Show { reply } => respond(reply, state.view()),
            TerminalMessage::Begin { by, request, reply } => respond(reply, state.begin(by, request).await),
            TerminalMessage::Flush { reply } => {
                state.poll_now().await?;
                state.flush().await;
                let _ = reply.send(());
            }
            TerminalMessage::Stop { by, request, reply } => {
                let stopped = state.stop(by, request).await;
                let ends = stopped.is_ok();
                let _ = reply.send(stopped);
                if ends {
                    state.timer.set(None);
                    myself.stop(None);
                    return Ok(());
                }
            }
            TerminalMessage::Tick => state.tick().await?,
            TerminalMessage::ActorView { reply } => respond(reply, state.actor_view()),
        }
        state.settle();
        Ok(())
    }

    async fn post_stop(&self, _: ActorRef<Self::Msg>, state: &mut State) -> ActorResult {
        if state.stopped_at.is_none() {
            state.flush().await;
        }
        Ok(())
    }
}

impl State {
    /// Ends every turn: readers are answered, the timer is set, and whether something needs a person is shown.
    fn settle(&mut self) {
        let end = self.recent.end();
        for (_, reply) in self.waiters.extract_if(.., |(since, _)| *since < end) {
            let _ = reply.send(());
        }
        self.waiters.retain(|(_, reply)| !reply.is_closed());
        self.look_for_notices();
        let deadlines = [
            (self.look_at, "look whether the program waits"),
            (self.poll_at, "look into the file"),
            (self.write_at, "write what was printed"),
            (self.hosting.due(), "the host did not come back"),
            (self.rests_at(), "give its memory back"),
            (self.tell_at, "look whether its agent has something to hear"),
        ];
        let armed = deadlines.into_iter().filter_map(|(at, reason)| Some(Deadline { at: at?, reason }));
        self.timer.set(armed.min_by_key(|deadline| deadline.at));
        self.mailbox_metrics.ended(self.prompting.shown().is_some());
    }

    async fn tick(&mut self) -> Result<()> {
        self.timer.rang();
        let now = self.clock.now();
        if self.poll_at.is_some_and(|at| at <= now) {
            self.poll().await?;
        }
        if self.hosting.due().is_some_and(|at| at <= now) {
            self.wakes().await?;
            self.gives_its_host_up().await;
        }
        if self.look_at.is_some_and(|at| at <= now) {
            self.look().await;
        }
        if self.write_at.is_some_and(|at| at <= now) {
            self.flush().await;
        }
        if self.rests_at().is_some_and(|at| at <= now) {
            self.rests().await;
        }
        if self.tell_at.is_some_and(|at| at <= now) {
            self.tell_agent().await;
        }
        Ok(())
    }
}
