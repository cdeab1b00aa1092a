//! What needs a person, gathered from the store and from those agents and terminals that may have something.
//!
//! Tasks and questions are read from their rows. What only actors know is asked of them: each says in its
//! [`MailboxMetrics`] whether it may have something, so a GET asks those alone, those with a message waiting, and
//! agents that an item names. No copy of their answers is kept: a task tells an agent of a notice before it answers who
//! caused it, so that person's next GET reaches the agent behind the notice; a copy could be behind it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::HubRef;
use super::agent::{AgentStanding, HeldState};
use super::common::{Fault, MailboxMetrics, Result};
use super::dispatcher::QueueCounts;
use super::terminal::TerminalView;
use crate::domain::agent::{Availability, Departure};
use crate::domain::ids::{AgentId, RoleId, SessionId, TaskId};
use crate::domain::inbox::{
    Behind, InboxItem, needs_somebody, of_abandoned, of_budget, of_delivery, of_limited, of_question, of_slot,
    of_starving, of_task, of_terminal, of_unheard, of_workflow, order, waited_for_by,
};
use crate::domain::on_call::SlotView;
use crate::domain::outbox::{Delivery, DeliveryStateName};
use crate::domain::session::Session;
use crate::domain::session::question::Question;
use crate::domain::task::{Task, TaskStateName};
use crate::domain::time::Timestamp;
use crate::domain::workflow::run::WorkflowRun;
use crate::journal::{DeliveryFilter, PageRequest, QuestionFilter, ReadError, Reader, TaskFilter};

/// The most tasks of one state, questions and deliveries that are looked at, the newest of them.
const OF_EACH: usize = 2_000;

/// A dead letter that nobody touched for so long is in the list of tasks alone.
const DEAD_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The states in which a task may need a person.
const STATES: [TaskStateName; 4] =
    [TaskStateName::Blocked, TaskStateName::InReview, TaskStateName::Timeout, TaskStateName::DeadLetter];

impl HubRef {
    pub async fn inbox(&self) -> Result<Vec<InboxItem>> {
        self.inbox_of(MailboxMetrics::may_need_a_person).await
    }

    /// The same from agents and terminals of which `asked` is true, and from agents that others' items name.
    pub(super) async fn inbox_of(&self, asked: fn(&MailboxMetrics) -> bool) -> Result<Vec<InboxItem>> {
        let now = self.clock.now();
        let (may, others): (Vec<_>, Vec<_>) =
            self.dispatcher.agents().await?.into_iter().partition(|line| asked(line.agent.mailbox_metrics()));
        let mut standings = Self::standings_of(may.iter()).await;
        let left = left_alone(&standings);
        let runs = self.open_steps.for_people();
        let (starving, queued) = (self.dispatcher.starving().await?, self.dispatcher.counts().await?);
        let read = self.journal.read(move |reader| {
            let left = left.iter().map(|(task, departure)| Ok((reader.task(task)?, *departure)));
            let left = left.collect::<Result<Vec<_>, ReadError>>()?;
            let runs =
                runs.iter().take(OF_EACH).map(|id| reader.workflow(id)).collect::<Result<Vec<_>, ReadError>>()?;
            let starving = starving.iter().take(OF_EACH).map(|(task, could)| Ok((reader.task(task)?, *could)));
            let starving = starving.collect::<Result<Vec<_>, ReadError>>()?;
            Ok((tasks(reader)?, questions(reader)?, left, dead_letters(reader)?, runs, starving))
        });
        let (mut tasks, questions, left, undelivered, runs, starving) =
            read.await.map_err(|error| Fault::Unavailable(error.to_string()))?;
        let terminals = self.terminal_views(asked).await?;
        let named = named(&tasks, &questions, &terminals);
        standings.extend(Self::standings_of(others.iter().filter(|line| named.contains(&line.id))).await);
        let behind = Behind::of(&tasks);
        tasks.retain(|task| task.is_open() || now.since(task.updated_at) < DEAD_FOR);
        let known: BTreeMap<&AgentId, &AgentStanding> = standings.iter().map(|it| (&it.agent.id, it)).collect();
        let role = |id: &AgentId| known.get(id).and_then(|it| Some(&it.agent.registration.as_ref()?.role));
        let runs: Vec<WorkflowRun> = runs.into_iter().flatten().collect();
        let of_questions = questions.iter().filter_map(|(question, session, task)| {
            let role = role(&question.spec.agent_id);
            let mut item = of_question(question, session.as_ref(), task.as_ref(), role, &behind)?;
            runs.iter().for_each(|run| waited_for_by(&mut item, run));
            Some(item)
        });
        let gone = |id: &AgentId| known.get(id).is_some_and(|standing| is_gone(standing));
        let of_tasks = tasks.iter().filter_map(|task| of_task(task, &behind, gone));
        let of_left = left.iter().filter_map(|(task, departure)| of_abandoned(task.as_ref()?, &behind, departure, now));
        let of_starving = starving.iter().filter_map(|(task, could)| of_starving(task.as_ref()?, &behind, *could));
        let of_terminals = terminals.iter().filter_map(|terminal| {
            let (agent, prompt) = (terminal.agent_id.as_ref()?, terminal.input_prompt.as_ref()?);
            let (standing, since) = (known.get(agent)?, terminal.waits_since?);
            let (availability, has_task) = (standing.view.availability, !standing.held.is_empty());
            let needs = needs_somebody(availability, has_task, terminal.holds_up);
            let item = || of_terminal(&terminal.session_id, agent, role(agent), prompt, since, terminal.takes_answer);
            needs.then(item)
        });
        let of_unheard = standings.iter().filter(|it| is_gone(it)).filter_map(|it| of_unheard(&it.agent));
        let of_outbox = undelivered.iter().filter_map(of_delivery);
        let of_slots = self.of_slots(&queued, now);
        let settings = self.settings();
        let of_budgets = settings.roles.roles.iter().filter_map(|(role, config)| {
            let per_day = config.budget.per_day?;
            let asked = self.on_call.asked_of_day(role, now).map(|asked| asked.level);
            of_budget(role, per_day, self.on_call.spent(role, per_day, now), asked, now)
        });
        let mut items: Vec<InboxItem> = of_questions
            .chain(of_tasks)
            .chain(of_left)
            .chain(of_starving)
            .chain(of_terminals)
            .chain(of_unheard)
            .chain(of_outbox)
            .chain(runs.iter().filter_map(of_workflow))
            .chain(of_slots)
            .chain(of_budgets)
            .collect();
        order(now, &mut items);
        Ok(items)
    }
}

impl HubRef {
    /// The slots that a host has paused, and roles that are at their limit with all of theirs.
    fn of_slots(&self, queued: &QueueCounts, now: Timestamp) -> Vec<InboxItem> {
        let hosts = self.on_call.hosts(now);
        let mut slots: BTreeMap<&RoleId, Vec<&SlotView>> = BTreeMap::new();
        hosts.iter().for_each(|host| slots.entry(&host.hello.role).or_default().extend(&host.slots));
        let of_role = |(role, slots): (&&RoleId, &Vec<&SlotView>)| {
            let queued = queued.by_target.get(&format!("role:{role}")).copied().unwrap_or_default();
            let paused: Vec<_> = slots.iter().filter_map(|slot| of_slot(slot, role, now)).collect();
            paused.into_iter().chain(of_limited(role, slots, queued, now))
        };
        slots.iter().flat_map(of_role).collect()
    }
}

/// Agents of whom an item tells role or presence: who asked, who is to merge, who works in a terminal that waits.
fn named(tasks: &[Task], questions: &[OpenQuestion], terminals: &[TerminalView]) -> BTreeSet<AgentId> {
    let askers = questions.iter().map(|(question, ..)| &question.spec.agent_id);
    let holders = tasks.iter().filter_map(Task::holder);
    let users = terminals.iter().filter(|it| it.input_prompt.is_some()).filter_map(|it| it.agent_id.as_ref());
    askers.chain(holders).chain(users).cloned().collect()
}

fn is_gone(standing: &AgentStanding) -> bool {
    match standing.view.availability {
        Availability::Offline | Availability::Evicted => true,
        Availability::Waiting | Availability::Working => false,
    }
}

/// What agents work on whose clients went away.
fn left_alone(standings: &[AgentStanding]) -> Vec<(TaskId, Departure)> {
    let departed = standings.iter().filter_map(|standing| Some((standing, standing.departed?)));
    let of_one = |(standing, departure): (&AgentStanding, Departure)| {
        standing
            .held
            .iter()
            .filter(|held| held.state == HeldState::InProgress)
            .map(move |held| (held.id.clone(), departure))
            .collect::<Vec<_>>()
    };
    departed.flat_map(of_one).collect()
}

fn tasks(reader: &dyn Reader) -> Result<Vec<Task>, ReadError> {
    let mut found = Vec::new();
    for state in STATES {
        let filter = TaskFilter { states: vec![state], ..TaskFilter::default() };
        let (mut cursor, mut seen) = (None, 0);
        loop {
            let page = reader.tasks(&filter, &PageRequest { limit: PageRequest::MOST, cursor })?;
            seen += page.items.len();
            found.extend(page.items);
            cursor = page.next_cursor;
            if cursor.is_none() || seen >= OF_EACH {
                break;
            }
        }
    }
    Ok(found)
}

/// Deliveries that cannot be delivered, the newest of them.
fn dead_letters(reader: &dyn Reader) -> Result<Vec<Delivery>, ReadError> {
    let filter = DeliveryFilter { states: vec![DeliveryStateName::DeadLetter], ..DeliveryFilter::default() };
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = reader.deliveries(&filter, &PageRequest { limit: PageRequest::MOST, cursor })?;
        found.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() || found.len() >= OF_EACH {
            return Ok(found);
        }
    }
}

/// A question with the session that asks it, and the task for whose sake it does.
type OpenQuestion = (Question, Option<Session>, Option<Task>);

fn questions(reader: &dyn Reader) -> Result<Vec<OpenQuestion>, ReadError> {
    let filter = QuestionFilter { open: Some(true), ..QuestionFilter::default() };
    let mut sessions: BTreeMap<SessionId, Option<Session>> = BTreeMap::new();
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = reader.questions(&filter, &PageRequest { limit: PageRequest::MOST, cursor })?;
        for question in page.items {
            let task = question.spec.task_id.as_ref().map(|task| reader.task(task)).transpose()?.flatten();
            let id = &question.spec.session_id;
            let session = match sessions.get(id) {
                Some(known) => known.clone(),
                None => sessions.entry(id.clone()).or_insert(reader.session(id)?).clone(),
            };
            found.push((question, session, task));
        }
        cursor = page.next_cursor;
        if cursor.is_none() || found.len() >= OF_EACH {
            return Ok(found);
        }
    }
}
