//! Who opens the connection, as the guard established it, and which session's terminal it is.

use axum::extract::Request;

use crate::actors::HubRef;
use crate::actors::terminal::TerminalRef;
use crate::domain::ids::{AgentId, SessionId};
use crate::domain::principal::{By, Principal};
use crate::tools::{Refusal, terminal_to_host};
use crate::transport::web::{ApiError, ApiResult, Pass, RequestInfo};

/// The authenticated caller of one connection.
#[derive(Debug)]
pub(super) struct TerminalCaller {
    principal: Principal,
    opened: RequestInfo,
    pub(super) pass: Pass,
}

impl TerminalCaller {
    /// Fails with `UNAUTHENTICATED` when the guard let somebody through without a principal.
    pub(super) fn of(request: &Request) -> ApiResult<Self> {
        let extensions = request.extensions();
        let (Some(principal), Some(opened), Some(pass)) =
            (extensions.get::<Principal>(), extensions.get::<RequestInfo>(), extensions.get::<Pass>())
        else {
            return Err(ApiError::new("UNAUTHENTICATED", "a credential is needed"));
        };
        Ok(Self { principal: principal.clone(), opened: opened.clone(), pass: pass.clone() })
    }

    /// Who and where, for records.
    pub(super) fn by(&self) -> By {
        By { principal: self.principal.id.clone(), surface: self.opened.surface }
    }

    /// The request that opened the connection, for logs and events.
    pub(super) fn request(&self) -> String {
        self.opened.id.clone()
    }

    /// The terminal that it hosts, as an agent's: its own, or any where it may operate.
    ///
    /// Fails with `SESSION_REQUIRED` when the agent has no session yet, `SESSION_NOT_FOUND` when it is not
    /// there or another's.
    pub(super) async fn terminal(
        &self,
        hub: &HubRef,
        agent: &AgentId,
        named: Option<&str>,
    ) -> Result<(SessionId, TerminalRef), Refusal> {
        terminal_to_host(hub, &self.principal, agent, named).await
    }
}
