//! Terminals, for whoever holds the hub: that of a session is opened when the first output for it comes.

use super::HubRef;
use super::common::{MailboxMetrics, Result};
use super::terminal::{TerminalRef, TerminalView};
use crate::domain::ids::{PrincipalId, SessionId, TerminalId};
use crate::domain::terminal::{TerminalKind, TerminalSpec};

impl HubRef {
    /// A line to a session's terminal, opened if it is not there; none when there is no such session.
    pub async fn session_terminal(
        &self,
        session: &SessionId,
        owner: &PrincipalId,
        kind: TerminalKind,
    ) -> Result<Option<TerminalRef>> {
        let id = TerminalId::from(session);
        if let Some(open) = self.supervisor.terminal(&id).await? {
            return Ok(Some(open));
        }
        let Some(line) = self.supervisor.session(session).await? else { return Ok(None) };
        let (session, _) = line.show().await?;
        let spec = TerminalSpec {
            id,
            owner: owner.clone(),
            workspace: self.workspace_of(&session.agent).await?,
            agent: Some(session.agent),
            kind,
            log_file: None,
            metadata: std::collections::BTreeMap::new(),
            started_at: self.clock.now(),
        };
        Ok(Some(self.supervisor.open_terminal(spec).await?.0))
    }

    /// The repository that an agent works on, as it said when it registered.
    pub async fn workspace_of(&self, agent: &crate::domain::ids::AgentId) -> Result<Option<String>> {
        let Some(line) = self.agent(agent).await? else { return Ok(None) };
        let registration = line.show().await?.agent.registration;
        Ok(registration.and_then(|known| known.workspace).map(|workspace| workspace.repo))
    }

    /// Every open terminal of which `asked` is true, as it stands.
    pub async fn terminal_views(&self, asked: fn(&MailboxMetrics) -> bool) -> Result<Vec<TerminalView>> {
        let lines = self.supervisor.terminals().await?;
        // Who is being built anew just now is left out rather than shown wrongly.
        let views = lines.iter().filter(|line| asked(line.mailbox_metrics())).map(async |line| line.view().await.ok());
        Ok(futures_util::future::join_all(views).await.into_iter().flatten().collect())
    }
}
