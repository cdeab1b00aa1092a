//! Rights to tokens, and what a token means for its agent. `transport::tokens` keeps them, and asks here first.

use super::prelude::*;
use crate::actors::agent::AgentError;
use crate::actors::common::Fault;
use crate::domain::agent::{AgentRefusal, Eviction, EvictionAction};
use crate::domain::ids::AgentId;

/// Whom a token speaks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenOf {
    Agent(AgentId),
    Person,
    Service,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenDeed {
    Make,
    Rotate,
    Revoke,
}

/// Passes who may do that to a token; `own`: it is the caller's, who needs no further right.
///
/// Fails with `INSUFFICIENT_SCOPE`, `NOT_PERMITTED`, and `NOT_A_HUMAN` for a program that would speak as a person.
pub async fn may_manage(call: &PersonCall, deed: TokenDeed, of: &TokenOf, own: bool) -> Result<()> {
    call.require(Scope::Admin)?;
    let tells_secret = matches!(deed, TokenDeed::Make | TokenDeed::Rotate);
    if tells_secret && *of == TokenOf::Person && !call.who().is_person() {
        let said = format!("`{}` is a program: only people make or rotate the token of a person", call.who().id);
        let advice = "Ask a person to do it, or make a token with `agent`, or with `service: true`.";
        return Err(Refusal::new("NOT_A_HUMAN", said).advise(advice));
    }
    if own {
        return Ok(());
    }
    let whose = match of {
        TokenOf::Agent(agent) => Whose::Agent { agent: agent.clone(), role: None },
        TokenOf::Person | TokenOf::Service => Whose::Everybody,
    };
    authorize::person(&call.hub, call.who(), Deed::ManageToken, whose).await
}

/// An agent has a token: from now on work may wait for it by name. If the hub is too busy to note that, a restart does.
pub async fn agent_has_token(call: &PersonCall, agent: &AgentId) {
    if let Err(fault) = call.hub.dispatcher.hire(agent).await {
        tracing::warn!(agent.id = %agent, "agent `{agent}` is not known by name yet: {fault}");
    }
}

/// What it holds goes back at once. Fails when the hub is busy; then it goes back as its leases end.
pub async fn agent_lost_last_token(call: &PersonCall, agent: &AgentId) -> Result<(), Fault> {
    let Some(line) = call.hub.agent(agent).await? else { return Ok(()) };
    let reason = "its token was revoked".to_owned();
    let eviction = Eviction { action: EvictionAction::Shutdown, reason, for_good: true };
    match line.evict(eviction, call.caller.by()).await {
        Ok(()) | Err(AgentError::Repeated(_) | AgentError::KeyReused) => Ok(()),
        // It has gone already, and holds nothing.
        Err(AgentError::Refused(
            AgentRefusal::NotRegistered { .. }
            | AgentRefusal::Superseded { .. }
            | AgentRefusal::Evicted { .. }
            | AgentRefusal::NoticesFull { .. },
        )) => Ok(()),
        Err(AgentError::Fault(fault)) => Err(fault),
    }
}
