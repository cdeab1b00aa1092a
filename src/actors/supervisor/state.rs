//! The state of the supervisor: every actor that it builds anew, by name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ractor::ActorId;
use tokio::sync::watch;

use super::child::{ChildKind, ChildSlot, Held};
use super::kinds::SessionKind;
use crate::actors::HubRef;
use crate::actors::Spawner;
use crate::actors::common::MailboxMetrics;
use crate::actors::session::SessionRef;
use crate::domain::ids::SessionId;
use crate::domain::time::Timestamp;

/// The state of the supervisor. Nothing of it is on disk: it is built from the journal at the start.
pub struct State {
    pub(super) hub: HubRef,
    pub(super) spawner: Spawner,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) started_at: Timestamp,
    pub(super) fatal: watch::Sender<Option<String>>,
    pub(super) children: BTreeMap<String, Held>,
    pub(super) names: BTreeMap<ActorId, String>,
    /// Actors that ended before they were announced as built, with the reason; an empty one where nothing failed.
    pub(super) early: BTreeMap<ActorId, String>,
    pub(super) ending: bool,
}

impl State {
    /// A child, where it is of this kind.
    pub(super) fn slot<K: ChildKind>(&self, name: &str) -> Option<&ChildSlot<K>> {
        self.children.get(name)?.child.as_kind()
    }

    pub(super) fn slots<K: ChildKind>(&self) -> impl Iterator<Item = &ChildSlot<K>> {
        self.children.values().filter_map(|held| held.child.as_kind())
    }

    /// A handle to a session that has an actor.
    pub(super) fn session_line(&self, id: &SessionId) -> Option<SessionRef> {
        Some(SessionRef::new(self.slot::<SessionKind>(&format!("session:{id}"))?.line.clone()))
    }

    pub(super) fn sessions(&self) -> Vec<SessionRef> {
        self.slots().map(|slot: &ChildSlot<SessionKind>| SessionRef::new(slot.line.clone())).collect()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("children", &self.children.len()).finish_non_exhaustive()
    }
}
