//! Which hosts are connected, how their slots stand, which runs live, and what accounts and roles used up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use crate::domain::ids::{AgentId, RoleId, RunId, TaskId};
use crate::domain::on_call::{Hello, SlotState, SlotView};
use crate::domain::task::{
    Allowance, Budget, BudgetLevel, BudgetNews, Limited, RunState, Spent, StopOrder, StopReason, Task, Usage,
};
use crate::domain::time::Timestamp;

/// How often a host hears that a run calls tools, at most.
const CALLED_EVERY: Duration = Duration::from_secs(5);

/// How long an account leaves rotation where its client does not say until when.
pub const UNKNOWN_LIMIT: Duration = Duration::from_secs(5 * 60);

/// How many orders may wait for a connection.
const ORDERS: usize = 1_024;

/// Of how many hosts the last number is remembered that was kept.
const REMEMBERED: usize = 256;

#[derive(Debug, Clone, Default)]
pub struct OnCall(Arc<watch::Sender<Register>>);

#[derive(Debug, Default)]
pub(super) struct Register {
    hosts: BTreeMap<String, Host>,
    runs: BTreeMap<RunId, LiveRun>,
    /// Until when which account takes no work.
    limits: BTreeMap<String, Timestamp>,
    /// What the processes of runs used that began today.
    used: BTreeMap<RunId, UsedByRun>,
    /// What people were asked of the budget of a role's day, the newest day of each.
    days: BTreeMap<RoleId, DayAsked>,
    /// The last number that was kept of each host.
    kept: BTreeMap<String, u64>,
    connections: u64,
    /// Whether the limits are known that were met before the hub started.
    recalled: bool,
}

#[derive(Debug)]
struct Host {
    hello: Hello,
    connection: u64,
    orders: mpsc::Sender<HostOrder>,
    slots: BTreeMap<AgentId, SlotState>,
    fresh: BTreeMap<AgentId, AgentId>,
}

#[derive(Debug, PartialEq)]
struct UsedByRun {
    role: Option<RoleId>,
    began: Timestamp,
    processes: Vec<Option<Usage>>,
}

/// A question whether a role goes on today.
#[derive(Debug, Clone, PartialEq)]
pub struct DayAsked {
    day: Timestamp,
    /// Of the task that has the question.
    run: RunId,
    /// How it stands: one of those of a day.
    pub level: BudgetNews,
}

#[derive(Debug)]
struct LiveRun {
    agent: AgentId,
    task: TaskId,
    /// When its host last heard that it called a tool.
    called_at: Option<Timestamp>,
    over: watch::Sender<()>,
}

#[derive(Debug)]
pub(super) enum HostOrder {
    Stop { run: RunId, why: StopReason },
    Called { run: RunId },
    Over { run: RunId },
}

#[derive(Debug, Clone)]
pub struct HostView {
    pub hello: Hello,
    pub slots: Vec<SlotView>,
}

#[derive(Debug, Clone)]
pub struct RunGuard {
    pub agent: AgentId,
    pub task: TaskId,
    over: watch::Receiver<()>,
}

impl RunGuard {
    pub async fn ended(&self) {
        let mut over = self.over.clone();
        while over.changed().await.is_ok() {}
    }
}

impl OnCall {
    pub fn run(&self, id: &RunId) -> Option<RunGuard> {
        let register = self.0.borrow();
        let run = register.runs.get(id)?;
        Some(RunGuard { agent: run.agent.clone(), task: run.task.clone(), over: run.over.subscribe() })
    }

    pub fn live(&self) -> Vec<(RunId, TaskId)> {
        self.0.borrow().runs.iter().map(|(id, run)| (id.clone(), run.task.clone())).collect()
    }

    pub fn hosts(&self, now: Timestamp) -> Vec<HostView> {
        let register = self.0.borrow();
        let view = |host: &Host| HostView {
            hello: host.hello.clone(),
            slots: host.slots.iter().map(|(agent, state)| register.slot_view(host, agent, state, now)).collect(),
        };
        register.hosts.values().map(view).collect()
    }

    pub fn slot(&self, agent: &AgentId, now: Timestamp) -> Option<SlotView> {
        let register = self.0.borrow();
        let host = register.host_of(agent)?;
        let slot = host.slot_of(agent)?;
        Some(register.slot_view(host, slot, host.slots.get(slot)?, now))
    }

    /// How the runs of a task stand after a change of it.
    pub fn follows(&self, task: &Task) {
        if task.runs.is_empty() {
            return;
        }
        let now = task.updated_at;
        self.0.send_if_modified(|register| {
            for run in &task.runs {
                if run.is_live() {
                    let new = || LiveRun {
                        agent: run.agent.clone(),
                        task: task.id().clone(),
                        called_at: None,
                        over: watch::Sender::new(()),
                    };
                    register.runs.entry(run.id.clone()).or_insert_with(new);
                } else if let Some(over) = register.runs.remove(&run.id) {
                    register.tell(&over.agent, HostOrder::Over { run: run.id.clone() });
                }
            }
            let limits = task.runs.iter().filter_map(|run| Some((run, run.limited.as_ref()?)));
            let mut limited = false;
            for (run, limit) in limits {
                limited |= limit.until.is_some() && register.limit((&run.client, &run.agent), limit, now);
            }
            let used = register.uses(task, now);
            register.hears_of_day(task, now) || used || limited
        });
    }

    /// What the runs of a role used of its budget today.
    pub fn spent(&self, role: &RoleId, per_day: Allowance, now: Timestamp) -> Spent {
        let register = self.0.borrow();
        let own = |run: &&UsedByRun| run.began >= now.day() && run.role.as_ref() == Some(role);
        per_day.spent(register.used.values().filter(own).flat_map(|run| run.processes.iter().copied()))
    }

    /// Until when no run of a role starts because its budget of the day is used up, and people did not let it go on.
    pub fn used_up(&self, role: &RoleId, budget: &Budget, now: Timestamp) -> Option<Timestamp> {
        let per_day = budget.per_day?;
        let used = per_day.level(self.spent(role, per_day, now)) == BudgetLevel::Used;
        let goes_on = self.asked_of_day(role, now).is_some_and(|asked| asked.level == BudgetNews::DayGoesOn);
        (used && !goes_on).then(|| now.next_day())
    }

    /// The same in words, with what people were asked.
    pub fn used_up_told(&self, role: &RoleId, budget: &Budget, now: Timestamp) -> Option<String> {
        let until = self.used_up(role, budget, now)?.near(now);
        let asked = match self.asked_of_day(role, now) {
            Some(DayAsked { level: BudgetNews::DayUsed, run, .. }) => {
                let task = run.task().map_or_else(String::new, |task| format!(" in task {task}"));
                format!("; people are asked{task} whether it goes on")
            }
            Some(_) => "; it was not let go on".to_owned(),
            None => String::new(),
        };
        Some(format!("budget of role {role} used up until {until}{asked}"))
    }

    /// What people were asked of the budget of this day; none before a task asks.
    pub fn asked_of_day(&self, role: &RoleId, now: Timestamp) -> Option<DayAsked> {
        self.0.borrow().days.get(role).filter(|asked| asked.day == now.day()).cloned()
    }

    /// Whether it is for that run to ask them: nobody else did today.
    pub(super) fn may_ask_of_day(&self, role: &RoleId, run: &RunId, now: Timestamp) -> bool {
        let mut may = false;
        self.notes(|register| {
            may = register.days.get(role).is_none_or(|asked| asked.day != now.day());
            if may {
                let asked = DayAsked { day: now.day(), run: run.clone(), level: BudgetNews::DayUsed };
                register.days.insert(role.clone(), asked);
            }
        });
        may
    }

    /// It could not ask them: another may.
    pub(super) fn did_not_ask(&self, role: &RoleId, run: &RunId) {
        self.0.send_if_modified(|register| register.asks_no_more(role, run));
    }

    pub fn account(&self, slot: &AgentId) -> Option<String> {
        self.0.borrow().host_of(slot)?.hello.account.clone()
    }

    pub fn called(&self, id: &RunId, now: Timestamp) {
        self.notes(|register| {
            let Some(run) = register.runs.get_mut(id) else { return };
            if run.called_at.is_none_or(|before| now.since(before) >= CALLED_EVERY) {
                run.called_at = Some(now);
                let agent = run.agent.clone();
                register.tell(&agent, HostOrder::Called { run: id.clone() });
            }
        });
    }

    /// The host of that run is to end its process. A host that is away hears it when it is back.
    pub fn stop(&self, order: StopOrder) {
        let StopOrder { run, agent, why, .. } = order;
        self.notes(|register| register.tell(&agent, HostOrder::Stop { run, why }));
    }

    /// Whether limits of earlier are to be read still: their tasks may be closed, and so have no actor that tells them.
    pub(super) fn has_to_recall(&self) -> bool {
        !self.0.borrow().recalled
    }

    /// Limits that runs of these tasks met before the hub started, and what they used.
    pub(super) fn recalls(&self, tasks: &[Task], now: Timestamp) {
        self.notes(|register| {
            register.recalled = true;
            for task in tasks {
                register.uses(task, now);
                register.hears_of_day(task, now);
            }
            for run in tasks.iter().flat_map(|task| &task.runs) {
                let Some(limit) = &run.limited else { continue };
                let met = if let RunState::Ended { at, .. } = run.state { at } else { run.started_at };
                let until = Some(limit.until.unwrap_or(met + UNKNOWN_LIMIT));
                register.limit((&run.client, &run.agent), &Limited { until, ..limit.clone() }, now);
            }
        });
    }

    /// The account of that client and slot met a limit.
    pub(super) fn limited(&self, of: (&str, &AgentId), limit: &Limited, now: Timestamp) {
        self.0.send_if_modified(|register| register.limit(of, limit, now));
    }

    /// A host is connected, in the place of the one that had its prefix. None where another host is connected with it.
    pub(super) fn arrives(&self, hello: &Hello, slots: BTreeSet<AgentId>) -> Option<(u64, mpsc::Receiver<HostOrder>)> {
        let (orders, heard) = mpsc::channel(ORDERS);
        let mut number = None;
        self.0.send_if_modified(|register| {
            let taken = |(prefix, host): (&String, &Host)| {
                host.hello.host != hello.host
                    && (*prefix == hello.prefix || host.slots.keys().any(|slot| slots.contains(slot)))
            };
            if register.hosts.iter().any(taken) {
                return false;
            }
            register.connections += 1;
            number = Some(register.connections);
            let slots = slots.into_iter().map(|slot| (slot, SlotState::Away)).collect();
            let (hello, connection, fresh) = (hello.clone(), register.connections, BTreeMap::new());
            let host = Host { hello, connection, orders, slots, fresh };
            register.hosts.insert(host.hello.prefix.clone(), host);
            false
        });
        Some((number?, heard))
    }

    /// A connection ended; whether its host has no newer one.
    pub(super) fn leaves(&self, prefix: &str, connection: u64) -> bool {
        let mut gone = None;
        self.notes(|register| {
            let newest = register.hosts.get(prefix).filter(|host| host.connection == connection);
            gone = newest.is_some().then(|| register.hosts.remove(prefix));
        });
        gone.is_some()
    }

    /// How a slot stands, and which agent has its task where that is not its own.
    pub(super) fn shows(
        &self,
        (prefix, connection): (&str, u64),
        slot: &AgentId,
        fresh: Option<AgentId>,
        state: SlotState,
    ) {
        self.notes(|register| {
            let host = register.hosts.get_mut(prefix).filter(|host| host.connection == connection);
            if let Some(host) = host.filter(|host| host.slots.contains_key(slot)) {
                host.slots.insert(slot.clone(), state);
                host.fresh.retain(|_, known| known != slot);
                host.fresh.extend(fresh.map(|fresh| (fresh, slot.clone())));
            }
        });
    }

    /// Until when the account of that host takes no work.
    pub(super) fn limited_until(&self, hello: &Hello, now: Timestamp) -> Option<Timestamp> {
        self.0.borrow().limits.get(&account_of(hello)).copied().filter(|until| *until > now)
    }

    /// Whether what the host says under this number was kept before.
    pub(super) fn was_kept(&self, host: &str, number: u64) -> bool {
        self.0.borrow().kept.get(host).is_some_and(|last| number <= *last)
    }

    pub(super) fn keeps(&self, host: &str, number: u64) {
        self.notes(|register| {
            if register.kept.len() >= REMEMBERED && !register.kept.contains_key(host) {
                register.kept.pop_first();
            }
            register.kept.insert(host.to_owned(), number);
        });
    }

    /// Changes what no connection waits to hear of.
    fn notes(&self, change: impl FnOnce(&mut Register)) {
        self.0.send_if_modified(|register| {
            change(register);
            false
        });
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<Register> {
        self.0.subscribe()
    }
}

impl Host {
    fn slot_of(&self, agent: &AgentId) -> Option<&AgentId> {
        self.slots.get_key_value(agent).map(|(slot, _)| slot).or_else(|| self.fresh.get(agent))
    }
}

impl Register {
    fn host_of(&self, agent: &AgentId) -> Option<&Host> {
        self.hosts.values().find(|host| host.slot_of(agent).is_some())
    }

    fn slot_view(&self, host: &Host, agent: &AgentId, state: &SlotState, now: Timestamp) -> SlotView {
        SlotView {
            agent_id: agent.to_string(),
            client: host.hello.client.clone(),
            host: host.hello.host.clone(),
            account: host.hello.account.clone(),
            limited_until: self.limits.get(&account_of(&host.hello)).copied().filter(|until| *until > now),
            slot: state.clone(),
        }
    }

    /// A connection that does not take its orders is dropped with them: its host comes back and hears how things are.
    fn tell(&mut self, agent: &AgentId, order: HostOrder) {
        let Some(host) = self.host_of(agent) else { return };
        if host.orders.try_send(order).is_err() {
            let prefix = host.hello.prefix.clone();
            self.hosts.remove(&prefix);
        }
    }

    /// Whether one of these runs used something today that was not known. What runs of an earlier day used is dropped.
    fn uses(&mut self, task: &Task, now: Timestamp) -> bool {
        let mut news = false;
        for run in task.runs.iter().filter(|run| run.started_at >= now.day() && !run.exits.is_empty()) {
            let processes = run.exits.iter().map(|exit| exit.usage).collect();
            let used = UsedByRun { role: task.role_of(run).cloned(), began: run.started_at, processes };
            if self.used.get(&run.id) != Some(&used) {
                self.used.retain(|_, known| known.began >= now.day());
                self.used.insert(run.id.clone(), used);
                news = true;
            }
        }
        news
    }

    /// Whether what people were asked of a role's day stands otherwise than was known. Who asks in vain, since the
    /// task went another way, leaves it to the next.
    fn hears_of_day(&mut self, task: &Task, now: Timestamp) -> bool {
        let asks = task.asks_of_day().map(|run| &run.id);
        let mut news = false;
        for run in task.runs.iter().filter(|run| run.started_at >= now.day()) {
            let (Some(level), Some(role)) = (run.day, &run.role) else { continue };
            if level == BudgetNews::DayUsed && asks != Some(&run.id) {
                news |= self.asks_no_more(role, &run.id);
                continue;
            }
            let asked = DayAsked { day: run.started_at.day(), run: run.id.clone(), level };
            news |= self.days.insert(role.clone(), asked.clone()) != Some(asked);
        }
        news
    }

    fn asks_no_more(&mut self, role: &RoleId, run: &RunId) -> bool {
        let asks = |asked: &DayAsked| asked.level == BudgetNews::DayUsed && asked.run == *run;
        self.days.get(role).is_some_and(asks) && self.days.remove(role).is_some()
    }

    /// Whether that is news.
    fn limit(&mut self, (client, agent): (&str, &AgentId), limit: &Limited, now: Timestamp) -> bool {
        let prefix = agent.as_str().rsplit_once('-').map_or(agent.as_str(), |(prefix, _)| prefix);
        let account = limit.account.clone().unwrap_or_else(|| unnamed(client, prefix));
        let until = limit.until.unwrap_or(now + UNKNOWN_LIMIT);
        // An older run of the account may be looked at after a newer one.
        if until <= now || self.limits.get(&account).is_some_and(|known| *known >= until) {
            return false;
        }
        self.limits.insert(account, until);
        true
    }
}

/// Whose limits the runs of this host use up: a client without a named account has one of its own for each prefix.
fn account_of(hello: &Hello) -> String {
    hello.account.clone().unwrap_or_else(|| unnamed(&hello.client, &hello.prefix))
}

fn unnamed(client: &str, prefix: &str) -> String {
    format!("{client}@{prefix}")
}
