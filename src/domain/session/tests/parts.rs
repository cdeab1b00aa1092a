//! What random lives are made of: names, terms, causes and what is handed in.

use std::collections::BTreeSet;

use super::kit::{DAWN, MINUTE};
use crate::domain::ids::{AgentId, NoticeId, PrincipalId, RoleId, SessionId, TaskId};
use crate::domain::principal::{By, Surface};
use crate::domain::review::Submission;
use crate::domain::session::question::Answerer;
use crate::domain::task::*;
use crate::domain::time::Millis;

pub(super) fn agent(name: &str) -> AgentId {
    AgentId::parse(name).unwrap()
}

pub(super) fn session_id() -> SessionId {
    SessionId::parse("s_00000001").unwrap()
}

pub(super) fn terms(of: &str) -> LeaseTerms {
    LeaseTerms {
        ttl: Millis(30 * MINUTE),
        ack_within: Millis(5 * MINUTE),
        max_attempts: 99,
        last_holder_hold: Millis(MINUTE),
        on_timeout: OnTimeout::Retry,
        escalate_to: None,
        worktree: false,
        role: RoleId::parse("full-stack-engineer").unwrap(),
        session: (of == "ann").then(session_id),
    }
}

pub(super) fn first_task() -> TaskRecord {
    let target = Target { who: TargetWho::Any, capabilities: BTreeSet::new() };
    let spec = TaskSpec {
        id: TaskId::parse("task0001").unwrap(),
        title: None,
        prompt: "implement login".to_owned(),
        context: None,
        spec: None,
        target,
        priority: Priority::Normal,
        from: Origin::hub(),
        asker: PrincipalId::parse("person:ada").unwrap(),
        via: Vec::new(),
        depth: 0,
        rights: RightsSet::All,
        excluded: BTreeSet::new(),
        dependencies: Vec::new(),
        workspace: None,
        ttl: None,
        worktree: None,
        created_at: DAWN,
    };
    TaskRecord::Created { spec: Box::new(spec), dependencies: std::collections::BTreeMap::new() }
}

pub(super) fn who(name: &str) -> Origin {
    let kind = if matches!(name, "ann" | "bob") { OriginKind::Agent } else { OriginKind::Page };
    Origin { kind, id: name.to_owned(), display_name: name.to_owned() }
}

pub(super) fn cause(name: &str) -> Cause {
    let (principal, surface) = match name {
        "ann" | "bob" => (format!("agent:{name}"), Surface::Agent),
        "hub" => ("hub".to_owned(), Surface::Hub),
        person => (format!("person:{person}"), Surface::Page),
    };
    let by = By { principal: PrincipalId::parse(&principal).unwrap(), surface };
    let notices = (1..=Cause::NOTICES).map(|n| NoticeId::parse(&format!("n_9999000{n}")).unwrap()).collect();
    Cause { by, who: who(name), notices }
}

pub(super) fn signed(principal: &str, surface: Surface) -> Answerer {
    let principal = PrincipalId::parse(principal).unwrap();
    Answerer { display_name: principal.to_string(), principal, surface }
}

pub(super) fn submission(message: &str) -> TaskCommand {
    TaskCommand::SubmitForReview {
        agent: agent("ann"),
        epoch: None,
        message: KeptText::inline(message),
        diff: None,
        artifacts: Vec::new(),
        submission: Box::new(Submission { session: Some(session_id()), ..Submission::default() }),
    }
}
