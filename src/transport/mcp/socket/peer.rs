//! What a client of the era with a handshake said of itself. The era without one says it in each request; here it is
//! written into the request, so that what handles it needs to know of one era only.

use std::convert::Infallible;
use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ErrorData, Implementation, InitializeRequestParams, InitializeResult, ProtocolVersion,
    RequestMetaObject,
};
use rmcp::service::{Peer, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServerHandler as _};

use super::super::service::Door;

/// What the client said, and the version that was agreed on.
#[derive(Debug)]
pub(super) struct Introduced {
    version: ProtocolVersion,
    client: Implementation,
    capabilities: ClientCapabilities,
}

impl Introduced {
    /// Shakes hands.
    ///
    /// # Errors
    /// When no version fits.
    pub(super) fn by(door: &Door, params: InitializeRequestParams) -> Result<(Box<Self>, InitializeResult), ErrorData> {
        let result = door.negotiate_initialize(&params)?;
        let version = result.protocol_version.clone();
        let InitializeRequestParams { capabilities, client_info: client, .. } = params;
        Ok((Box::new(Self { version, client, capabilities }), result))
    }

    /// Writes it into a request that says nothing of itself.
    pub(super) fn put_into(&self, meta: &mut RequestMetaObject) {
        meta.set_protocol_version(self.version.clone());
        meta.set_client_info(self.client.clone());
        meta.set_client_capabilities(self.capabilities.clone());
    }
}

/// A peer of the library whom nobody can reach: its contexts want one, and nothing is ever sent by it.
#[derive(Clone)]
pub(super) struct Nobody(Arc<Peer<RoleServer>>);

impl Nobody {
    /// One for all connections: a peer holds two queues.
    pub(super) fn of(door: &Door) -> Self {
        Self(Arc::new(serve_directly(door.clone(), Gone, None).peer().clone()))
    }

    pub(super) fn peer(&self) -> Peer<RoleServer> {
        Peer::clone(&self.0)
    }
}

/// A transport that has ended.
struct Gone;

impl Transport<RoleServer> for Gone {
    type Error = Infallible;

    fn send(&mut self, _: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = Result<(), Infallible>> + 'static {
        std::future::ready(Ok(()))
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> {
        std::future::ready(None)
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Infallible>> {
        std::future::ready(Ok(()))
    }
}
