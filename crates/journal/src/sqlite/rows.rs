//! Rows as they are written: what the records of an append come to, beside them in the same transaction.

use rusqlite::{Transaction, params};

use super::keyed::{PATTERNS, SCHEDULES, TICKETS, WEBHOOKS};
use crate::codec;
use crate::domain::agent::{Agent, AgentRecord};
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::review::{Review, ReviewRecord};
use crate::domain::session::Session;
use crate::domain::task::Task;
use crate::domain::ticket::Ticket;
use crate::domain::time::Timestamp;
use crate::entry::Row;
use crate::fold::{self, rank};
use crate::store::WriteError;

/// The whole state of a machine.
pub(super) fn write_row(transaction: &Transaction<'_>, row: &Row) -> Result<(), WriteError> {
    match row {
        Row::Task(task) => write_task(transaction, task),
        Row::Review(review) => write_review(transaction, review),
        Row::Agent(agent) => write_agent(transaction, agent),
        Row::Pattern(kept) => PATTERNS.put(transaction, kept.id.as_str(), kept),
        Row::Forgotten(id) => PATTERNS.forget(transaction, id.as_str()),
        Row::Ticket(ticket, answer) => write_ticket(transaction, ticket, answer.as_deref()),
        Row::Workflow(run) => super::workflows::put(transaction, run),
        Row::TicketGone(id) => TICKETS.forget(transaction, id.as_str()),
        Row::Webhook(webhook) => WEBHOOKS.put(transaction, &webhook.name, webhook),
        Row::Schedule(schedule) => SCHEDULES.put(transaction, &schedule.spec.name, schedule),
        Row::ScheduleGone(name) => SCHEDULES.forget(transaction, name),
        Row::WebhookGone(name) => WEBHOOKS.forget(transaction, name),
        Row::Delivery(delivery) => super::deliveries::put(transaction, delivery),
        // It has its name from its append, which puts it itself.
        Row::Outgoing(_) => Ok(()),
    }
}

pub(super) fn write_task(transaction: &Transaction<'_>, task: &Task) -> Result<(), WriteError> {
    // Most steps leave target and age alone, and with them the indexes over them: SQLite writes an index anew for each
    // column that is named here, whether its value changes or not.
    let mut step = transaction.prepare_cached(
        "UPDATE tasks SET state = ?2, open = ?3, holder = ?4, priority = ?5, updated_at = ?6, body = ?7,
             ended_at = ?10
         WHERE id = ?1 AND target = ?8 AND created_at = ?9",
    )?;
    let state = task.state.name();
    let (id, target, body) = (task.spec.id.as_str(), task.spec.target.to_string(), codec::text(task)?);
    let holder = task.holder().map(AgentId::as_str);
    let stepped = step.execute(params![
        id,
        state.as_str(),
        !state.is_closed(),
        holder,
        rank(task.spec.priority),
        task.updated_at,
        body,
        target,
        task.spec.created_at,
        task.ended_at(),
    ])?;
    if stepped > 0 {
        return Ok(());
    }
    let mut put = transaction.prepare_cached(
        "INSERT INTO tasks (id, state, open, target, holder, priority, created_at, updated_at, body, ended_at, parent)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT (id) DO UPDATE SET state = ?2, open = ?3, target = ?4, holder = ?5, priority = ?6,
             created_at = ?7, updated_at = ?8, body = ?9, ended_at = ?10, parent = ?11",
    )?;
    put.execute(params![
        id,
        state.as_str(),
        !state.is_closed(),
        target,
        holder,
        rank(task.spec.priority),
        task.spec.created_at,
        task.updated_at,
        body,
        task.ended_at(),
        task.spec.parent.as_ref().map(TaskId::as_str),
    ])?;
    Ok(())
}

pub(super) fn write_session(transaction: &Transaction<'_>, session: &Session) -> Result<(), WriteError> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO sessions (id, agent, body, version) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (id) DO UPDATE SET agent = ?2, body = ?3, version = ?4",
    )?;
    let version = i64::try_from(session.version).unwrap_or(i64::MAX);
    put.execute(params![session.id.as_str(), session.agent.as_str(), codec::text(session)?, version])?;
    let mut tie = transaction.prepare_cached("INSERT OR IGNORE INTO session_ties (tie, session) VALUES (?1, ?2)")?;
    for name in session.ties() {
        tie.execute(params![name.as_str(), session.id.as_str()])?;
    }
    Ok(())
}

fn write_ticket(transaction: &Transaction<'_>, ticket: &Ticket, answer: Option<&str>) -> Result<(), WriteError> {
    TICKETS.put(transaction, ticket.id.as_str(), ticket)?;
    if answer.is_some() {
        let mut put = transaction.prepare_cached("UPDATE tickets SET answer = ?2 WHERE id = ?1")?;
        put.execute(params![ticket.id.as_str(), answer])?;
    }
    Ok(())
}

fn write_review(transaction: &Transaction<'_>, review: &Review) -> Result<(), WriteError> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO reviews (task, state, agent, opened_at, body) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (task) DO UPDATE SET state = ?2, agent = ?3, opened_at = ?4, body = ?5",
    )?;
    put.execute(params![
        review.task.as_str(),
        review.state.as_str(),
        review.agent().map(AgentId::as_str),
        review.opened_at,
        serde_json::to_string(review)?,
    ])?;
    Ok(())
}

/// Where each comment stands: who settles one names nothing else.
pub(super) fn write_comments(
    transaction: &Transaction<'_>,
    task: &TaskId,
    record: &ReviewRecord,
) -> Result<(), WriteError> {
    let mut put = transaction.prepare_cached("INSERT OR IGNORE INTO review_comments (id, task) VALUES (?1, ?2)")?;
    for known in fold::comments(record) {
        put.execute(params![known.comment.id.as_str(), task.as_str()])?;
    }
    Ok(())
}

fn write_agent(transaction: &Transaction<'_>, agent: &Agent) -> Result<(), WriteError> {
    let body = Agent { notices: std::collections::BTreeMap::new(), ..agent.clone() };
    let mut put = transaction.prepare_cached(
        "INSERT INTO agents (id, updated_at, body) VALUES (?1, ?2, ?3)
         ON CONFLICT (id) DO UPDATE SET updated_at = ?2, body = ?3",
    )?;
    put.execute(params![agent.id.as_str(), agent.updated_at, serde_json::to_string(&body)?])?;
    Ok(())
}

/// Notices are kept one by one: an agent with many unheard ones would otherwise rewrite them all with each.
pub(super) fn write_notices(
    transaction: &Transaction<'_>,
    agent: &AgentId,
    at: Timestamp,
    record: &AgentRecord,
) -> Result<(), WriteError> {
    let touched = transaction
        .prepare_cached("UPDATE agents SET updated_at = ?2 WHERE id = ?1")?
        .execute(params![agent.as_str(), at])?;
    if touched == 0 {
        write_agent(transaction, &Agent { updated_at: at, ..Agent::unknown(agent.clone()) })?;
    }
    match record {
        AgentRecord::NoticePosted { notice } => {
            let mut post = transaction.prepare_cached(
                "INSERT INTO notices (agent, id, body) VALUES (?1, ?2, ?3)
                 ON CONFLICT (agent, id) DO UPDATE SET body = ?3",
            )?;
            post.execute(params![agent.as_str(), notice.id.as_str(), serde_json::to_string(notice)?])?;
        }
        AgentRecord::NoticesHeard { ids } | AgentRecord::NoticesUndeliverable { ids } => {
            let mut hear = transaction.prepare_cached("DELETE FROM notices WHERE agent = ?1 AND id = ?2")?;
            for id in ids {
                hear.execute(params![agent.as_str(), id.as_str()])?;
            }
        }
        AgentRecord::Registered { .. }
        | AgentRecord::NoticeMoved { .. }
        | AgentRecord::Evicted { .. }
        | AgentRecord::EvictionHeard => {}
    }
    Ok(())
}
