//! What a client of the era with a handshake said of itself. The era without one says it in each request; here it is
//! written into the request, so that what handles it needs to know of one era only.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ErrorData, Implementation, InitializeRequestParams, InitializeResult, ProtocolVersion,
    RequestMetaObject,
};
use rmcp::service::{Peer, RunningService, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use super::super::result::written;
use super::super::service::Door;

/// What the client said, and the version that was agreed on.
#[derive(Debug)]
pub(super) struct Introduced {
    version: ProtocolVersion,
    client: Implementation,
    capabilities: ClientCapabilities,
}

impl Introduced {
    /// A peer whose `initialize` fits. Fails when no version fits.
    pub(super) fn by(door: &Door, params: InitializeRequestParams) -> Result<(Box<Self>, InitializeResult), ErrorData> {
        let result = door.shakes_hands(&params)?;
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

/// A peer whose messages are heard here: what listens for long speaks by it.
pub(super) struct Speaker {
    running: RunningService<RoleServer, Door>,
    said: mpsc::Receiver<Bytes>,
}

impl Speaker {
    /// One for one request.
    pub(super) fn of(door: &Door) -> Self {
        let (says, said) = mpsc::channel(SAID);
        Self { running: serve_directly(door.clone(), Relay(says), None), said }
    }

    pub(super) fn peer(&self) -> Peer<RoleServer> {
        self.running.peer().clone()
    }

    pub(super) fn poll_said(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.said.poll_recv(cx)
    }
}

/// How many messages of a speaker wait to be written.
const SAID: usize = 16;

/// A transport that hears nothing, and whose words go to whoever holds the other end.
struct Relay(mpsc::Sender<Bytes>);

impl Transport<RoleServer> for Relay {
    type Error = Infallible;

    fn send(&mut self, said: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = Result<(), Infallible>> + 'static {
        let says = self.0.clone();
        async move {
            // Nobody at the other end means that the request is over, and this with it.
            let _ = says.send(written(&said)).await;
            Ok(())
        }
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> {
        std::future::pending()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Infallible>> {
        std::future::ready(Ok(()))
    }
}

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
