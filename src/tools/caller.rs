//! Who calls a verb, and through what.

use std::net::IpAddr;

use tokio::sync::mpsc;
use tracing::{Span, field};

use crate::actors::session::SessionOrder;
use crate::domain::agent::DeclaredClient;
use crate::domain::ids::SessionId;
use crate::domain::principal::{By, Principal, Surface};
use crate::domain::session::SessionCommand;
use crate::domain::task::{Origin, OriginKind};
use crate::domain::trace::Trace;

/// Who calls. The principal comes from the credential; nothing here comes from a verb's arguments.
#[derive(Debug, Clone)]
pub struct Caller {
    pub principal: Principal,
    pub surface: Surface,
    /// What the client program says of itself: decides how long a wait may be and the like, and no right.
    pub client: Option<DeclaredClient>,
    /// Which connection speaks: an MCP session, a socket, a proxy. None where calls stand alone.
    pub instance: Option<String>,
    /// The session named by the header `Callboard-Session-Id`.
    pub session: Option<SessionId>,
    pub request: String,
    pub trace: Trace,
    pub peer: Option<IpAddr>,
    /// Where a call that waits shows what is reported meanwhile; none where nobody follows it.
    pub reports: Option<Reports>,
    pub follows: Follows,
}

/// Which run of a workflow a call goes on with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Follows {
    /// Nothing was said: the only run of the caller with an open step for the tool, if there is one.
    #[default]
    Unsaid,
    /// This one, as the client named it.
    Named(String),
    Nothing,
}

/// What is reported while a call waits: a few are kept; one that does not fit is dropped here, and is in the answer.
#[derive(Debug, Clone)]
pub struct Reports(mpsc::Sender<String>);

impl Reports {
    /// The most that lie there unread.
    const MOST: usize = 16;

    pub fn channel() -> (Self, mpsc::Receiver<String>) {
        let (tell, told) = mpsc::channel(Self::MOST);
        (Self(tell), told)
    }

    pub(super) fn show(&self, report: String) {
        drop(self.0.try_send(report));
    }
}

impl Caller {
    /// The name that the client program declared.
    pub fn client_name(&self) -> Option<&str> {
        self.client.as_ref().map(|client| client.name.as_str())
    }

    /// Who and where, for records.
    pub fn by(&self) -> By {
        By { principal: self.principal.id.clone(), surface: self.surface }
    }

    /// How others see a caller that is no agent: `from` of a notice or a comment.
    pub fn origin(&self) -> Origin {
        let Principal { id, display_name, .. } = &self.principal;
        Origin { kind: OriginKind::of(self.surface), id: id.to_string(), display_name: display_name.clone() }
    }

    /// An order to a session, for a caller that is no agent.
    pub(super) fn session_order(&self, command: SessionCommand) -> SessionOrder {
        SessionOrder { request: Some(self.request.clone()), ..SessionOrder::new(command, self.by(), self.origin()) }
    }

    /// Where everything belongs that is logged of a call of this verb.
    pub(super) fn span(&self, verb: &'static str) -> Span {
        let Trace { id, parent, state, baggage } = &self.trace;
        tracing::info_span!(
            "call",
            tool = verb,
            request.id = %self.request,
            trace.id = %id,
            trace.parent = parent.map(field::display),
            trace.sampled = parent.map(|parent| parent.sampled),
            trace.state = state.as_deref(),
            trace.baggage = baggage.as_deref(),
        )
    }
}
