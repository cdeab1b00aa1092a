//! Who speaks on a connection, as the guard established it when it was opened, and by which connection.

use std::sync::Arc;

use axum::extract::Request;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::super::caller::{INSTANCE, SESSION, TOOLS};
use super::super::changes::Ear;
use super::super::verbs::sets_in;
use super::super::workarounds::parked::Exit;
use crate::actors::HubRef;
use crate::domain::ids::AgentId;
use crate::domain::principal::Principal;
use crate::transport::web::{ApiError, ApiResult, Pass, RequestInfo, Slot};

#[derive(Debug)]
pub(super) struct SocketCaller {
    principal: Principal,
    opened: RequestInfo,
    /// Those of the upgrade's headers that say more of the caller.
    headers: HeaderMap,
    pub(super) pass: Pass,
}

impl SocketCaller {
    /// Who opens this connection. Without a name it gets one: a second connection of an agent is another instance of
    /// it. Fails with `UNAUTHENTICATED` when the guard let somebody through without a principal.
    pub(super) fn of(hub: &HubRef, request: &Request) -> ApiResult<Self> {
        let extensions = request.extensions();
        let (Some(principal), Some(opened), Some(pass)) =
            (extensions.get::<Principal>(), extensions.get::<RequestInfo>(), extensions.get::<Pass>())
        else {
            return Err(ApiError::new("UNAUTHENTICATED", "a credential is needed"));
        };
        let mut headers = HeaderMap::new();
        if let Some(session) = request.headers().get(SESSION) {
            headers.insert(SESSION, session.clone());
        }
        let sets = sets_in(request.uri(), request.headers()).and_then(|sets| HeaderValue::try_from(sets).ok());
        headers.extend(sets.map(|sets| (HeaderName::from_static(TOOLS), sets)));
        let instance = request.headers().get(INSTANCE).cloned();
        let instance = instance.or_else(|| HeaderValue::try_from(format!("ws-{}", hub.ids.request())).ok());
        if let Some(instance) = instance {
            headers.insert(INSTANCE, instance);
        }
        Ok(Self { principal: principal.clone(), opened: opened.clone(), headers, pass: pass.clone() })
    }

    /// One of its messages, as a request that an HTTP client could have sent.
    pub(super) fn parts(&self, hub: &HubRef, slot: &Slot, exit: &Exit, ear: &Arc<Ear>) -> Parts {
        let (mut parts, ()) = http::Request::new(()).into_parts();
        parts.headers = self.headers.clone();
        let peer = self.opened.peer;
        let info = RequestInfo { peer, ..RequestInfo::of(&hub.ids, self.opened.surface, &parts.headers) };
        info.tell_where_from(&hub.audit, &self.principal);
        parts.extensions.insert(self.principal.clone());
        parts.extensions.insert(info);
        parts.extensions.insert(slot.clone());
        parts.extensions.insert(exit.clone());
        parts.extensions.insert(Arc::clone(ear));
        parts
    }

    pub(super) const fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The agent that speaks, if it is one, and by which connection.
    pub(super) fn agent(&self) -> Option<(AgentId, Option<String>)> {
        let instance = self.headers.get(INSTANCE).and_then(|instance| instance.to_str().ok());
        Some((self.principal.agent()?.clone(), instance.map(str::to_owned)))
    }
}
