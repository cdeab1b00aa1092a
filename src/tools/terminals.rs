//! What the verbs of terminals share: which one is meant, and may the caller look at it.
//!
//! An agent has the terminal of its own session, and the monitors that it started. Whoever may operate has all.
//! Somebody else's is answered as one that is not there.

use super::refusal::{Refusal, Result};
use super::verb::Call;
use super::{authorize, refuse};
use crate::actors::HubRef;
use crate::actors::terminal::{Output, TerminalRef};
use crate::domain::ids::{AgentId, SessionId, TerminalId};
use crate::domain::permission::{Deed, Whose};
use crate::domain::principal::{Principal, Scope};
use crate::domain::terminal::{SeenPrompt, TerminalKind};
use crate::domain::text::shown;
use crate::transcripts::Whose as TranscriptsOf;

/// A terminal that the caller may look at; none where nothing was printed yet. Fails with `SESSION_NOT_FOUND`.
pub async fn terminal(hub: &HubRef, caller: &Principal, given: &str) -> Result<Option<TerminalRef>> {
    let id = TerminalId::parse(given.trim()).map_err(|_| not_found(given))?;
    match hub.supervisor.terminal(&id).await.map_err(refuse::fault)? {
        Some(open) => {
            let view = open.view().await.map_err(refuse::fault)?;
            let theirs = match caller.agent() {
                Some(agent) => view.agent_id.as_ref() == Some(agent) || view.owner == caller.id,
                None => true,
            };
            if theirs { Ok(Some(open)) } else { Err(not_found(given)) }
        }
        None => own_session(hub, caller, given).await.map(|_| None),
    }
}

/// Draws what a program printed; how many bytes its terminal ever got. Fails as [`terminal`], or `NOT_PERMITTED`.
pub(super) async fn print(hub: &HubRef, caller: &Principal, given: &str, output: Output) -> Result<u64> {
    terminal_to_print(hub, caller, given).await?.print(output).await.map_err(refuse::fault)
}

/// The terminal of a session is opened with its first output.
async fn terminal_to_print(hub: &HubRef, caller: &Principal, given: &str) -> Result<TerminalRef> {
    if let Some(open) = terminal(hub, caller, given).await? {
        if authorize::is_narrowed(hub, caller) {
            may_change(hub, caller, open.view().await.map_err(refuse::fault)?.agent_id).await?;
        }
        return Ok(open);
    }
    let session = own_session(hub, caller, given).await?;
    authorize::in_session(hub, caller, &session, Deed::PrintInTerminal).await?;
    let opened = hub.session_terminal(&session, &caller.id, TerminalKind::Pushed).await.map_err(refuse::fault)?;
    opened.ok_or_else(|| not_found(given))
}

/// Passes who may change what is kept of this agent's terminals, or everybody's. Fails with `NOT_PERMITTED`.
pub(super) async fn may_change(hub: &HubRef, caller: &Principal, agent: Option<AgentId>) -> Result<()> {
    let whose = agent.map_or(Whose::Everybody, |agent| Whose::Agent { agent, role: None });
    authorize::person(hub, caller, Deed::PrintInTerminal, whose).await
}

/// The terminal of an agent's session, for its host: the session that is named, or its current one. An agent hosts its
/// own, an operator any. Fails with `SESSION_REQUIRED`, or `SESSION_NOT_FOUND`.
pub async fn terminal_to_host(
    hub: &HubRef,
    caller: &Principal,
    agent: &AgentId,
    named: Option<&str>,
) -> Result<(SessionId, TerminalRef)> {
    let theirs = caller.agent().map_or_else(|| caller.may(Scope::Operate), |own| own == agent);
    if !theirs {
        return Err(not_found(named.unwrap_or(agent.as_str())));
    }
    let session = match named {
        Some(named) => own_session(hub, caller, named).await?,
        None => current_session(hub, agent).await?,
    };
    let line = hub.supervisor.session(&session).await.map_err(refuse::fault)?.ok_or_else(refuse::session)?;
    if line.show().await.map_err(refuse::fault)?.0.agent != *agent {
        return Err(not_found(session.as_str()));
    }
    authorize::in_session(hub, caller, &session, Deed::PrintInTerminal).await?;
    let opened = hub.session_terminal(&session, &caller.id, TerminalKind::Hosted).await.map_err(refuse::fault)?;
    Ok((session, opened.ok_or_else(refuse::session)?))
}

pub fn hosted_already(session: &SessionId) -> Refusal {
    let what = format!("another `callboard run` hosts the terminal of session {session}");
    Refusal::new("TERMINAL_HOSTED", what)
}

async fn current_session(hub: &HubRef, agent: &AgentId) -> Result<SessionId> {
    let line = hub.agent(agent).await.map_err(refuse::fault)?.ok_or_else(refuse::session_required)?;
    let registration = line.show().await.map_err(refuse::fault)?.agent.registration;
    registration.map(|known| known.session).ok_or_else(refuse::session_required)
}

async fn own_session(hub: &HubRef, caller: &Principal, given: &str) -> Result<SessionId> {
    let id = SessionId::parse(given.trim()).map_err(|_| not_found(given))?;
    let line = hub.supervisor.session(&id).await.map_err(refuse::fault)?.ok_or_else(|| not_found(given))?;
    if let Some(agent) = caller.agent() {
        let (session, _) = line.show().await.map_err(refuse::fault)?;
        if session.agent != *agent {
            return Err(not_found(given));
        }
    }
    Ok(id)
}

/// No such session, or not the caller's. The id is shown as it came.
pub(super) fn not_found(given: &str) -> Refusal {
    Refusal::new("SESSION_NOT_FOUND", format!("Session {} not found", shown(given)))
}

impl Call {
    /// Whose terminals the caller may look through.
    pub(super) fn whose(&self) -> TranscriptsOf {
        match &self.agent {
            Some(agent) => TranscriptsOf::Of(agent.id.clone(), self.caller.principal.id.clone()),
            None => TranscriptsOf::All,
        }
    }

    /// The prompt of these words, if that terminal shows it now. Fails as [`Call::terminal`] does.
    pub(super) async fn shown(&self, session: &str, prompt_text: &str) -> Result<Option<SeenPrompt>> {
        let Some(terminal) = self.terminal(session).await? else { return Ok(None) };
        let shown = terminal.view().await.map_err(refuse::fault)?.input_prompt;
        Ok(shown.filter(|prompt| prompt.prompt_text == prompt_text))
    }

    /// The terminal that a verb is about. Fails with `SESSION_NOT_FOUND`.
    pub(super) async fn terminal(&self, given: &str) -> Result<Option<TerminalRef>> {
        terminal(&self.hub, &self.caller.principal, given).await
    }
}
