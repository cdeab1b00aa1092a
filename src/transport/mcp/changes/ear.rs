//! What a session or a socket of the eras before 2026-07-28 is told: every list, and what it subscribed to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::Peer;
use serde_json::json;
use tokio::sync::watch;

use super::super::resources::{self, uri};
use super::listen::NAMES;
use super::{Changes, Lists, Wanted};
use crate::actors::HubRef;
use crate::domain::principal::Principal;
use crate::domain::tool_set::ToolSets;
use crate::settings::SystemPrompts;

/// The ear of one session or socket. Whoever tells it something stops when it is dropped.
#[derive(Debug)]
pub(in crate::transport::mcp) struct Ear {
    wants: watch::Sender<Wanted>,
    lists: Lists,
    begun: AtomicBool,
}

impl Ear {
    /// One that wants every list, knows those of now, and wants nothing else yet.
    pub(in crate::transport::mcp) fn new(lists: Lists) -> Self {
        let wants = Wanted { tools: true, prompts: true, resources: true, ..Wanted::default() };
        Self { wants: watch::Sender::new(wants), lists, begun: AtomicBool::new(false) }
    }

    /// Whether telling begins now: a client says once that it is ready, whatever it says twice.
    pub(in crate::transport::mcp) fn begins(&self) -> bool {
        !self.begun.swap(true, Ordering::Relaxed)
    }

    /// What is to be told to it.
    pub(in crate::transport::mcp) fn changes(
        &self,
        hub: HubRef,
        who: Principal,
        prompts: watch::Receiver<Arc<SystemPrompts>>,
    ) -> Changes {
        Changes::new(hub, who, prompts, self.lists.clone(), self.wants.subscribe())
    }

    /// It was shown these sets of tools.
    pub(in crate::transport::mcp) fn was_shown(&self, sets: ToolSets) {
        self.wants.send_modify(|wanted| wanted.shown = Some(sets));
    }

    /// Its agent registered: its list of tools may be another one now.
    pub(in crate::transport::mcp) fn has_registered(&self) {
        self.wants.send_modify(|_| {});
    }

    /// It wants to hear of that too. Fails when the name means nothing, or it hears of too many already.
    pub(in crate::transport::mcp) async fn subscribes(&self, hub: &HubRef, name: &str) -> Result<(), ErrorData> {
        let target = uri::target(name).ok_or_else(|| resources::nothing(name))?;
        let now = hub.journal.read(|reader| reader.position()).await;
        let now = now.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let mut full = false;
        self.wants.send_if_modified(|wanted| {
            full = wanted.targets.len() >= NAMES && !wanted.targets.contains_key(name);
            if full || wanted.targets.contains_key(name) {
                return false;
            }
            if wanted.targets.is_empty() {
                wanted.since = now;
            }
            wanted.targets.insert(name.to_owned(), target);
            true
        });
        if !full {
            return Ok(());
        }
        let said = format!("you are subscribed to {NAMES} resources already: unsubscribe from one first");
        Err(ErrorData::invalid_request(said, Some(json!({"code": "BUSY"}))))
    }

    /// It does not want to hear of that any more.
    pub(in crate::transport::mcp) fn unsubscribes(&self, name: &str) {
        self.wants.send_if_modified(|wanted| wanted.targets.remove(name).is_some());
    }
}

/// Tells a session what changes, until its ear or the hub is gone.
pub(in crate::transport::mcp) async fn tell(peer: Peer<RoleServer>, mut changes: Changes) {
    while let Some(change) = changes.next().await {
        if peer.send_notification(change.told()).await.is_err() {
            return;
        }
    }
}
