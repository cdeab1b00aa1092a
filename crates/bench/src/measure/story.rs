//! Tasks of a hub that has been at work for long, made by the machine itself: what a start has to read, and what the
//! micro-measurements in `benches/` decide and apply.

use std::collections::{BTreeMap, BTreeSet};

use callboard::domain::ids::{AgentId, LeaseEpoch, PrincipalId, RoleId, TaskId};
use callboard::domain::principal::{By, Surface};
use callboard::domain::task::{
    Cause, KeptText, LeaseTerms, OnTimeout, Origin, OriginKind, Priority, Report, ReportKind, RightsSet, Target,
    TargetWho, Task, TaskCommand, TaskRecord, TaskSpec,
};
use callboard::domain::time::{Millis, Timestamp};

/// How far a task's life goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It waits in its queue.
    Queued,
    /// Somebody works on it.
    InProgress,
    /// It is done.
    Completed,
}

/// Names that every story uses.
#[derive(Debug, Clone)]
pub struct Cast {
    agent: AgentId,
    terms: LeaseTerms,
    spec: TaskSpec,
    cause: Cause,
}

impl Cast {
    /// Whoever is in it, and none of the agents that are measured; none if a name were no name.
    #[must_use]
    pub fn gather() -> Option<Self> {
        let role = RoleId::parse("scribe").ok()?;
        let asker = PrincipalId::parse("operator").ok()?;
        let from = Origin { kind: OriginKind::Cli, id: "operator".to_owned(), display_name: "Operator".to_owned() };
        let terms = LeaseTerms {
            ttl: Millis(30 * 60 * 1000),
            ack_within: Millis(5 * 60 * 1000),
            max_attempts: 3,
            last_holder_hold: Millis(30_000),
            on_timeout: OnTimeout::Retry,
            escalate_to: None,
            worktree: false,
            role: role.clone(),
            session: None,
        };
        let spec = TaskSpec {
            id: TaskId::parse("task0000").ok()?,
            title: Some("Login".to_owned()),
            prompt: "Implement the login page: a form, errors beside the fields, and tests. ".repeat(5),
            context: None,
            spec: None,
            target: Target { who: TargetWho::Role(role), capabilities: BTreeSet::new() },
            priority: Priority::Normal,
            from: from.clone(),
            asker: asker.clone(),
            via: Vec::new(),
            parent: None,
            depth: 0,
            rights: RightsSet::All,
            excluded: BTreeSet::new(),
            dependencies: Vec::new(),
            workspace: None,
            ttl: None,
            worktree: None,
            created_at: Timestamp(0),
            sanitized: None,
        };
        let cause = Cause { by: By { principal: asker, surface: Surface::Cli }, who: from, notices: Vec::new() };
        Some(Self { agent: AgentId::parse("scribe-0").ok()?, terms, spec, cause })
    }

    /// Who caused it.
    #[must_use]
    pub fn by(&self) -> By {
        self.cause.by.clone()
    }

    /// The agent that works.
    #[must_use]
    pub const fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// The life of one task: every record, and what they come to. None if the machine refused a step.
    #[must_use]
    pub fn lives(&self, id: TaskId, at: Timestamp, end: End) -> Option<(Vec<TaskRecord>, Task)> {
        let spec = std::sync::Arc::new(TaskSpec { id, created_at: at, ..self.spec.clone() });
        let begin = TaskCommand::Create { spec, dependencies: BTreeMap::new(), first_offer: None };
        let mut records = Task::begin(at, &begin, &self.cause).ok()?.records;
        let mut task = Task::from_created(at, records.first()?)?;
        for command in self.commands(end) {
            for record in task.decide(at, &command, &self.cause).ok()?.records {
                task.apply(at, &record);
                records.push(record);
            }
        }
        Some((records, task))
    }

    fn commands(&self, end: End) -> Vec<TaskCommand> {
        let agent = || self.agent.clone();
        let offer = TaskCommand::Offer { agent: agent(), terms: self.terms.clone() };
        let acknowledge = TaskCommand::Acknowledge { agent: agent(), epoch: Some(LeaseEpoch::default().next()) };
        let message = KeptText::inline("The login page is there, with tests.");
        let report = Report {
            kind: ReportKind::Completed,
            message,
            diff: None,
            artifacts: Vec::new(),
            evidence: None,
            posted_to: None,
        };
        match end {
            End::Queued => Vec::new(),
            End::InProgress => vec![offer, acknowledge],
            End::Completed => vec![offer, acknowledge, TaskCommand::Report { agent: agent(), epoch: None, report }],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callboard::domain::task::TaskStateName;
    use callboard::ids::Ids;

    #[test]
    fn a_story_ends_where_it_was_to_end() {
        let (cast, ids) = (Cast::gather().unwrap(), Ids::seeded(1));
        let ends = [
            (End::Queued, TaskStateName::Queued, 1),
            (End::InProgress, TaskStateName::InProgress, 3),
            (End::Completed, TaskStateName::Completed, 4),
        ];
        for (end, state, count) in ends {
            let (records, task) = cast.lives(ids.task(), Timestamp(1000), end).unwrap();
            assert_eq!((task.state.name(), records.len()), (state, count));
        }
    }
}
