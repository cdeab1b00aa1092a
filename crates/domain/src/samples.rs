//! What the tests of every machine begin with: a plain task and plain terms. Each test changes what it is about.

#![expect(clippy::unwrap_used, reason = "built for tests alone, and the texts are fixed")]

use std::collections::BTreeSet;

use super::ids::{PrincipalId, RoleId, TaskId};
use super::task::{LeaseTerms, OnTimeout, Origin, Priority, RightsSet, Target, TargetWho, TaskSpec};
use super::time::{Millis, Timestamp};

/// A task that anybody may take, asked for by `person:ada`.
pub fn plain_task(id: &str, at: Timestamp) -> TaskSpec {
    TaskSpec {
        id: TaskId::parse(id).unwrap(),
        title: None,
        prompt: "implement login".to_owned(),
        context: None,
        spec: None,
        target: Target { who: TargetWho::Any, capabilities: BTreeSet::new() },
        priority: Priority::Normal,
        from: Origin::hub(),
        asker: PrincipalId::parse("person:ada").unwrap(),
        via: Vec::new(),
        parent: None,
        depth: 0,
        rights: RightsSet::All,
        excluded: BTreeSet::new(),
        dependencies: Vec::new(),
        workspace: None,
        ttl: None,
        worktree: None,
        created_at: at,
        sanitized: None,
    }
}

/// Three attempts of a minute each.
pub fn plain_terms() -> LeaseTerms {
    LeaseTerms {
        ttl: Millis(60_000),
        ack_within: Millis(5_000),
        max_attempts: 3,
        last_holder_hold: Millis(3_000),
        on_timeout: OnTimeout::Retry,
        escalate_to: None,
        worktree: false,
        role: RoleId::parse("full-stack-engineer").unwrap(),
        session: None,
    }
}
