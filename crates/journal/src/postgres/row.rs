//! Rows: what records come to, all kinds in one table, so that one statement writes whatever an append changes.
//!
//! | kind | id | state | open | holder | scope | parent | rank | begun | moved | ended |
//! |---|---|---|---|---|---|---|---|---|---|---|
//! | task | its id | state | not closed | holder | target | parent | priority | created | updated | ended |
//! | review | task | state | | agent | | | | opened | | |
//! | comment | its id | | | | | task | | | | |
//! | agent | its id | | | | | | | | updated | |
//! | notice | agent/id | | | | question | agent | | | | |
//! | session | its id | | | agent | | | | | | |
//! | tie | session/tie | | | | tie | session | | | | |
//! | question | its id | | open | agent | session | task | last record | | | |
//! | workflow | its id | status | working | owner | name | | | started | updated | |
//! | delivery | number, padded | state | pending | lane | destination | | | | | settled |
//! | key | principal, key | digest | | | | | | used | | |
//!
//! The others (pattern, ticket, answer, webhook, schedule, base, file) have an id and a body alone. Only `body` is read
//! back; the columns are there to be searched by. Files come from no record: see [`super::vault`].

use crate::codec;
use crate::domain::agent::{Agent, Notice};
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::outbox::{Delivery, DeliveryId};
use crate::domain::review::Review;
use crate::domain::session::Session;
use crate::domain::session::question::Question;
use crate::domain::task::Task;
use crate::domain::workflow::run::WorkflowRun;
use crate::entry::Seq;
use crate::fold::rank;

/// A kind of rows, by its name in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowKind(&'static str);

impl RowKind {
    pub(super) const TASK: Self = Self("task");
    pub(super) const REVIEW: Self = Self("review");
    pub(super) const COMMENT: Self = Self("comment");
    pub(super) const AGENT: Self = Self("agent");
    pub(super) const NOTICE: Self = Self("notice");
    pub(super) const SESSION: Self = Self("session");
    pub(super) const TIE: Self = Self("tie");
    pub(super) const QUESTION: Self = Self("question");
    pub(super) const PATTERN: Self = Self("pattern");
    pub(super) const TICKET: Self = Self("ticket");
    pub(super) const ANSWER: Self = Self("answer");
    pub(super) const WORKFLOW: Self = Self("workflow");
    pub(super) const WEBHOOK: Self = Self("webhook");
    pub(super) const SCHEDULE: Self = Self("schedule");
    pub(super) const DELIVERY: Self = Self("delivery");
    pub(super) const KEY: Self = Self("key");
    /// What pruned records had come to.
    pub(super) const BASE: Self = Self("base");
    /// A text that is kept beside the journal, by its name.
    pub(super) const FILE: Self = Self("file");

    pub(super) const fn as_str(self) -> &'static str {
        self.0
    }
}

/// The columns of a row beside its kind and id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StateRow {
    pub(super) state: Option<String>,
    pub(super) open: bool,
    pub(super) holder: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) rank: i64,
    /// Moments in milliseconds since 1970.
    pub(super) begun: i64,
    pub(super) moved: i64,
    pub(super) ended: Option<i64>,
    pub(super) body: String,
}

impl StateRow {
    pub(super) fn plain(body: String) -> Self {
        Self { body, ..Self::default() }
    }

    pub(super) fn of_task(task: &Task) -> serde_json::Result<Self> {
        let state = task.state.name();
        Ok(Self {
            state: Some(state.as_str().to_owned()),
            open: !state.is_closed(),
            holder: task.holder().map(|id| id.as_str().to_owned()),
            scope: Some(task.spec.target.to_string()),
            parent: task.spec.parent.as_ref().map(|id| id.as_str().to_owned()),
            rank: rank(task.spec.priority),
            begun: number(task.spec.created_at.0),
            moved: number(task.updated_at.0),
            ended: task.ended_at().map(|at| number(at.0)),
            body: codec::text(task)?,
        })
    }

    pub(super) fn of_review(review: &Review) -> serde_json::Result<Self> {
        Ok(Self {
            state: Some(review.state.as_str().to_owned()),
            holder: review.agent().map(|id| id.as_str().to_owned()),
            begun: number(review.opened_at.0),
            body: codec::text(review)?,
            ..Self::default()
        })
    }

    /// A comment's, whose body is nothing: it leads to its task.
    pub(super) fn of_comment(task: &TaskId) -> Self {
        Self { parent: Some(task.as_str().to_owned()), ..Self::default() }
    }

    pub(super) fn of_agent(agent: &Agent) -> serde_json::Result<Self> {
        let body = Agent { notices: std::collections::BTreeMap::new(), ..agent.clone() };
        Ok(Self { moved: number(agent.updated_at.0), body: codec::text(&body)?, ..Self::default() })
    }

    pub(super) fn of_notice(agent: &AgentId, notice: &Notice) -> serde_json::Result<Self> {
        Ok(Self {
            scope: notice.question_id.as_ref().map(|id| id.as_str().to_owned()),
            parent: Some(agent.as_str().to_owned()),
            body: codec::text(notice)?,
            ..Self::default()
        })
    }

    pub(super) fn of_session(session: &Session) -> serde_json::Result<Self> {
        Ok(Self { holder: Some(session.agent.as_str().to_owned()), body: codec::text(session)?, ..Self::default() })
    }

    pub(super) fn of_tie(session: &Session, tie: &str) -> Self {
        Self { scope: Some(tie.to_owned()), parent: Some(session.id.as_str().to_owned()), ..Self::default() }
    }

    /// `last` is the number of its last record.
    pub(super) fn of_question(question: &Question, last: Seq) -> serde_json::Result<Self> {
        let spec = &question.spec;
        Ok(Self {
            open: question.is_open(),
            holder: Some(spec.agent_id.as_str().to_owned()),
            scope: Some(spec.session_id.as_str().to_owned()),
            parent: spec.task_id.as_ref().map(|id| id.as_str().to_owned()),
            rank: number(last.0),
            body: codec::text(question)?,
            ..Self::default()
        })
    }

    pub(super) fn of_workflow(run: &WorkflowRun) -> serde_json::Result<Self> {
        Ok(Self {
            state: Some(run.status.as_str().to_owned()),
            open: run.is_working(),
            holder: Some(run.owner.as_str().to_owned()),
            scope: Some(run.plan.name.clone()),
            begun: number(run.started_at.0),
            moved: number(run.updated_at.0),
            body: codec::text(run)?,
            ..Self::default()
        })
    }

    pub(super) fn of_delivery(delivery: &Delivery) -> serde_json::Result<Self> {
        let state = delivery.state.name();
        Ok(Self {
            state: Some(state.as_str().to_owned()),
            open: state == crate::domain::outbox::DeliveryStateName::Pending,
            holder: Some(delivery.lane.clone()),
            scope: Some(delivery.destination.clone()),
            ended: delivery.settled_at().map(|at| number(at.0)),
            body: codec::text(delivery)?,
            ..Self::default()
        })
    }
}

/// The id of a delivery's row: its order as text is that of its numbers.
pub(super) fn delivery_id(id: DeliveryId) -> String {
    format!("{:020}/{:010}", id.seq, id.part)
}

/// The id of the row of the base that is there while an import is not done.
pub(super) const UNFINISHED: &str = "import";

/// The id of the row of the base that is there while the journal is in a file again; its body says in which.
pub(super) const WENT_HOME: &str = "home";

/// No principal holds it.
pub(super) const KEY_SEPARATOR: char = '\u{1f}';

/// The id of a key's row.
pub(super) fn key_id(principal: &str, key: &str) -> String {
    format!("{principal}{KEY_SEPARATOR}{key}")
}

/// Numbers are signed there; none of ours comes near the upper half.
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The other way.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// A text without the one character that PostgreSQL refuses, and so that no two texts become the same.
pub(super) fn storable(text: &str) -> String {
    if text.contains(['\0', '\u{1}']) {
        text.replace('\u{1}', "\u{1}1").replace('\0', "\u{1}0")
    } else {
        text.to_owned()
    }
}

/// The text that became this one.
pub(super) fn stored(text: &str) -> String {
    text.replace("\u{1}0", "\0").replace("\u{1}1", "\u{1}")
}
