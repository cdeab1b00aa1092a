//! Where this program knows no database, there is one hub, and it is no node.

use std::sync::Arc;

use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::{HubError, Owned};
use crate::domain::node::NodeView;
use crate::settings::Settings;

/// There is no life of a node, either.
#[derive(Debug, Clone, Copy)]
pub enum Holder {}

/// There is no node where this program knows no database.
#[derive(Debug)]
pub enum NodeProcess {}

#[expect(clippy::unused_async, reason = "as those of a node")]
impl NodeProcess {
    pub async fn begin(_: &Settings, _: Option<&SecretString>) -> Result<Option<Self>, HubError> {
        Ok(None)
    }

    pub fn nodes(&self) -> watch::Receiver<Vec<NodeView>> {
        match *self {}
    }

    pub async fn owns(&self, _: Option<Arc<TcpListener>>) -> Owned {
        match *self {}
    }

    pub async fn lost(&self) -> String {
        match *self {}
    }

    pub async fn leave(self) {
        match self {}
    }
}
