//! What needs a person, gathered from the store and from who is there.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::HubRef;
use super::agent::{AgentStanding, Held, HeldState};
use super::common::Fault;
use crate::domain::agent::{Availability, Departure};
use crate::domain::ids::{AgentId, RoleId, SessionId, TaskId};
use crate::domain::inbox::{
    Behind, InboxCost, InboxItem, InboxKind, needs_somebody, of_abandoned, of_question, of_task, of_terminal, order,
};
use crate::domain::session::Session;
use crate::domain::session::question::Question;
use crate::domain::task::{Priority, Task, TaskStateName};
use crate::domain::text::shorten;
use crate::domain::time::Timestamp;
use crate::journal::{PageRequest, QuestionFilter, ReadError, Reader, TaskFilter};

/// The most tasks of one state that are looked at, the newest of them.
const OF_EACH: usize = 2_000;

/// A dead letter that nobody touched for so long is in the list of tasks alone.
const DEAD_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The longest line, in characters.
const LINE: usize = 200;

/// The states in which a task may need a person.
const STATES: [TaskStateName; 4] =
    [TaskStateName::Blocked, TaskStateName::InReview, TaskStateName::Timeout, TaskStateName::DeadLetter];

impl HubRef {
    /// Everything that needs a person, in the order in which it should be looked at.
    ///
    /// # Errors
    /// When the journal cannot be read, or the dispatcher is busy.
    pub async fn inbox(&self) -> Result<Vec<InboxItem>, Fault> {
        let now = self.clock.now();
        let standings = self.agent_standings().await?;
        let gone: BTreeSet<AgentId> = standings.iter().filter(|it| is_gone(it)).map(|it| it.agent.id.clone()).collect();
        let left = left_alone(&standings);
        let read = self.journal.read(move |reader| {
            let left = left.iter().map(|(task, departure)| Ok((reader.task(task)?, *departure)));
            Ok((tasks(reader)?, questions(reader)?, left.collect::<Result<Vec<_>, ReadError>>()?))
        });
        let (tasks, questions, left) = read.await.map_err(|error| Fault::Unavailable(error.to_string()))?;
        let behind = Behind::of(&tasks);
        let roles: BTreeMap<&AgentId, &RoleId> =
            standings.iter().filter_map(|it| Some((&it.agent.id, &it.agent.registration.as_ref()?.role))).collect();
        let of_questions = questions.iter().filter_map(|(question, session, task)| {
            let role = roles.get(&question.spec.agent_id).copied();
            of_question(question, session.as_ref(), task.as_ref(), role, &behind)
        });
        let recent = |task: &&Task| task.is_open() || now.since(task.updated_at) < DEAD_FOR;
        let of_tasks = tasks.iter().filter(recent).filter_map(|task| of_task(task, &behind, |id| gone.contains(id)));
        let of_left = left.iter().filter_map(|(task, departure)| of_abandoned(task.as_ref()?, &behind, departure, now));
        let known: BTreeMap<&AgentId, &AgentStanding> = standings.iter().map(|it| (&it.agent.id, it)).collect();
        let terminals = self.terminal_views().await?;
        let of_terminals = terminals.iter().filter_map(|terminal| {
            let (agent, prompt) = (terminal.agent_id.as_ref()?, terminal.input_prompt.as_ref()?);
            let (standing, since) = (known.get(agent)?, terminal.waits_since?);
            let (availability, has_task) = (standing.view.availability, !standing.held.is_empty());
            if !needs_somebody(availability, has_task, terminal.holds_up) {
                return None;
            }
            let (session, role) = (&terminal.session_id, roles.get(agent).copied());
            Some(of_terminal(session, agent, role, prompt, since, terminal.takes_answer))
        });
        let unheard = standings.iter().filter(|it| is_gone(it)).filter_map(undelivered);
        let mut items: Vec<InboxItem> =
            of_questions.chain(of_tasks).chain(of_left).chain(of_terminals).chain(unheard).collect();
        order(now, &mut items);
        Ok(items)
    }
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
    let in_progress = |held: &&Held| held.state == HeldState::InProgress;
    let of_one = |(standing, departure): (&AgentStanding, Departure)| {
        standing.held.iter().filter(in_progress).map(move |held| (held.id.clone(), departure)).collect::<Vec<_>>()
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

/// A question with the session that asks it, and the task for whose sake it does.
type Asked = (Question, Option<Session>, Option<Task>);

/// Every open question.
fn questions(reader: &dyn Reader) -> Result<Vec<Asked>, ReadError> {
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

/// What an agent that is not there would hear.
fn undelivered(standing: &AgentStanding) -> Option<InboxItem> {
    // What stands in its terminal has reached it.
    let unheard: Vec<_> = standing.agent.notices.values().filter(|it| !standing.agent.was_typed(&it.id)).collect();
    let oldest: Timestamp = unheard.iter().map(|notice| notice.at).min()?;
    let id = &standing.agent.id;
    let newest = unheard.last().map(|notice| notice.text.as_str()).unwrap_or_default();
    let title = match unheard.len() {
        1 => format!("1 notice for `{id}`"),
        many => format!("{many} notices for `{id}`"),
    };
    Some(InboxItem {
        id: format!("{}:{id}", InboxKind::Undelivered.as_str()),
        kind: InboxKind::Undelivered,
        title,
        reason: shorten(&format!("`{id}` is not there to hear: {newest}"), LINE),
        task_id: None,
        agent_id: Some(id.to_string()),
        session_id: standing.view.session_id.clone(),
        role: standing.agent.registration.as_ref().map(|known| known.role.clone()),
        since: oldest,
        deadline: None,
        then: None,
        options: Vec::new(),
        dangerous: false,
        priority: Priority::Normal,
        cost: InboxCost::default(),
        actions: Vec::new(),
    })
}
