//! What random lives are made of: names, terms, causes and what is handed in.

use std::sync::Arc;

use super::kit::{DAWN, MINUTE};
use crate::ids::{AgentId, NoticeId, PrincipalId, SessionId};
use crate::principal::{By, Surface};
use crate::review::Submission;
use crate::samples::{plain_task, plain_terms};
use crate::session::question::Answerer;
use crate::task::*;
use crate::time::Millis;

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
        session: (of == "ann").then(session_id),
        ..plain_terms()
    }
}

pub(super) fn first_task() -> TaskRecord {
    TaskRecord::Created {
        spec: Arc::new(plain_task("task0001", DAWN)),
        dependencies: std::collections::BTreeMap::new(),
    }
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
