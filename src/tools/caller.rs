//! Who calls a verb, and through what.

use crate::domain::ids::SessionId;
use crate::domain::principal::{By, Principal, Surface};

/// Who calls. The principal comes from the credential; nothing here comes from a verb's arguments.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Who it is.
    pub principal: Principal,
    /// Through what.
    pub surface: Surface,
    /// The client program's declared name, as `claude-code`: decides how long a wait may be, and nothing else.
    pub client: Option<String>,
    /// Which connection speaks: an MCP session, a socket, a proxy. None where calls stand alone.
    pub instance: Option<String>,
    /// The session named by the header `Callboard-Session-Id`.
    pub session: Option<SessionId>,
    /// The id of this request.
    pub request: String,
}

impl Caller {
    /// Who and where, for records.
    #[must_use]
    pub fn by(&self) -> By {
        By { principal: self.principal.id.clone(), surface: self.surface }
    }
}
