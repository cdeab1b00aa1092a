//! The dispatcher's shell.

use std::collections::BTreeMap;
use std::sync::Arc;

use ractor::{Actor, ActorRef};
use tracing::Instrument as _;

use super::message::DispatcherMessage;
use super::state::{AgentAvailability, State, Watch};
use crate::actors::agent::AgentMessage;
use crate::actors::common::{ActorResult, Refusals, respond};
use crate::actors::spawner::ActorArgs;
use crate::domain::invariants;
use crate::domain::routing::matching::Matching;
use crate::domain::time::{Deadline, Timestamp};

#[derive(Debug)]
pub struct DispatcherActor;

impl Actor for DispatcherActor {
    type Msg = DispatcherMessage;
    type State = State;
    type Arguments = ActorArgs<DispatcherMessage>;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: Self::Arguments) -> ActorResult<State> {
        let (timer, mailbox_metrics) = (args.timer(|| DispatcherMessage::Tick), args.mailbox_metrics());
        let spawner = args.spawner;
        let (aging_after, offline_after) = {
            let leases = &spawner.settings.borrow().hub.leases;
            (leases.aging_after, leases.offline_after)
        };
        Ok(State {
            matching: Matching::new(aging_after, offline_after),
            journal: spawner.journal.clone(),
            timer,
            settings: spawner.settings.clone(),
            started_at: spawner.clock.now(),
            clock: spawner.clock.clone(),
            ids: spawner.ids.clone(),
            mailbox_metrics,
            hub: spawner.hub.clone(),
            spawner,
            agents: BTreeMap::new(),
            tasks: BTreeMap::new(),
            roster: None,
            dependents: BTreeMap::new(),
            starving: Watch::default(),
            draining: false,
            refusals: Refusals::default(),
        })
    }

    async fn handle(&self, _: ActorRef<Self::Msg>, message: DispatcherMessage, state: &mut State) -> ActorResult {
        state.mailbox_metrics.began();
        state.hear_settings();
        match message {
            DispatcherMessage::Assign { request, dependencies, span, reply } => {
                state.assign(*request, dependencies, reply).instrument(span).await;
            }
            DispatcherMessage::Agent { id, reply } => state.agent_line(&id, reply),
            DispatcherMessage::Hire { agent, reply } => state.hire(*agent, reply).await,
            DispatcherMessage::Task { id, reply } => state.task_line(&id, reply),
            DispatcherMessage::Reopen { task, reply } => state.reopen(task, reply).await,
            DispatcherMessage::Agents { reply } => state.agent_lines(reply),
            DispatcherMessage::Holdings { reply } => drop(reply.send(state.holdings())),
            DispatcherMessage::Roster { reply } => drop(reply.send(state.roster())),
            DispatcherMessage::Starving { reply } => drop(reply.send(state.starving())),
            DispatcherMessage::Why { id, reply } => state.answer_why(&id, reply),
            DispatcherMessage::Counts { reply } => respond(reply, state.counts()),
            DispatcherMessage::Overview { reply } => respond(reply, state.overview(state.clock.now())),
            DispatcherMessage::Retarget { id, target, rights, reply } => {
                respond(reply, state.retarget(&id, &target, &rights));
            }
            DispatcherMessage::TaskMoved { summary, task, offered, notices } => {
                state.task_moved(*summary, task, offered, notices);
            }
            DispatcherMessage::TaskGone { id } => state.task_gone(&id),
            DispatcherMessage::AgentMoved {
                profile,
                id,
                waiting_since,
                only,
                held,
                last_seen,
                evicted,
                departed,
                nudged,
            } => {
                let standing = AgentAvailability { waiting_since, only, held, last_seen, evicted, departed, nudged };
                state.agent_moved(&id, profile, standing);
            }
            DispatcherMessage::Notice { agent, notice } => state.tell_agent(&agent, AgentMessage::Noticed { notice }),
            DispatcherMessage::Progressed { agent, task, notice } => {
                state.tell_agent(&agent, AgentMessage::Progressed { task, notice });
            }
            DispatcherMessage::Reoffer { agent, task } => state.reoffer(&agent, &task),
            DispatcherMessage::AgentBuilt { id, agent } => state.agent_built(id, agent),
            DispatcherMessage::Adopt { agents, tasks } => state.adopt(agents, tasks),
            DispatcherMessage::Reloaded => state.reloaded(),
            DispatcherMessage::Drain => state.drain(),
            DispatcherMessage::Tick => state.tick(),
            DispatcherMessage::ActorView { reply } => respond(reply, state.actor_view()),
        }
        state.settle();
        state.mailbox_metrics.ended(false);
        Ok(())
    }
}

impl State {
    /// Ends every turn: tasks whose hold for a last holder is over are matched, A2 is checked, the timer is set.
    fn settle(&mut self) {
        let now = self.clock.now();
        for task in self.matching.end_holds(now) {
            self.match_task(&task);
        }
        debug_assert_eq!(self.a2_holds(now), Ok(()));
        let held = self.matching.next_hold_end().map(|at| (at, "a task is kept for its last holder no longer"));
        let starved = self.starving.next().map(|at| (at, "a queued task that nobody took is told of"));
        let next = held.into_iter().chain(starved).min_by_key(|(at, _)| *at);
        self.timer.set(next.map(|(at, reason)| Deadline { at, reason }));
    }

    /// Looked at in tests and debug builds only, and not over a crowd: it asks for every pair.
    fn a2_holds(&self, now: Timestamp) -> Result<(), invariants::Broken> {
        if self.draining || self.tasks.len() > 64 {
            return Ok(());
        }
        let pairs = self.matching.unmatched_pairs(now);
        invariants::a2_woken(pairs.first().map(|(task, agent)| (task, agent)))
    }

    fn tick(&mut self) {
        self.timer.rang();
        self.report_starving();
    }

    fn hear_settings(&mut self) {
        if self.settings.has_changed().unwrap_or(false) {
            let settings = Arc::clone(&self.settings.borrow_and_update());
            self.roster = None;
            self.matching.retime(settings.hub.leases.aging_after, settings.hub.leases.offline_after);
        }
    }

    /// How much each agent may hold may have changed: each says anew whether it would take work.
    fn reloaded(&self) {
        for entry in self.agents.values() {
            entry.line.send(AgentMessage::Announce);
        }
    }

    /// Nobody is offered anything any more, and every open wait ends.
    fn drain(&mut self) {
        self.draining = true;
        for entry in self.agents.values() {
            entry.line.send(AgentMessage::Drain);
        }
    }
}
