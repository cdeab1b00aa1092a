//! What may be asked of an agent's journaled half.

use std::collections::BTreeSet;

use super::client::DeclaredClient;
use super::state::{Eviction, Notice, TypingStage};
use crate::ids::{NoticeId, RoleId, SessionId};
use crate::task::{RightsSet, Workspace};
use crate::text::Sanitized;

#[derive(Debug, Clone)]
pub enum AgentCommand {
    /// Take up the work; the claim is bounded by configuration before it comes here.
    Register(Claim),
    /// Something for it to hear.
    Post(Notice),
    /// These have arrived.
    Hear(BTreeSet<NoticeId>),
    /// Give up what nobody can hear any more.
    GiveUp,
    /// Have one of them typed into its terminal.
    Type {
        id: NoticeId,
        order_id: String,
        /// Whether all of it is in the line.
        whole: bool,
    },
    /// What came of an order to type.
    EndTyping { id: NoticeId, order_id: String, stage: TypingStage },
    /// Send it away.
    Evict(Eviction),
    /// It has heard that it was sent away.
    HearEviction,
}

/// What an agent says of itself, after `agents.yaml` has bounded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Its role, by the id of the configured role where there is one.
    pub role: RoleId,
    pub display_name: String,
    pub capabilities: BTreeSet<String>,
    pub can_delegate_to: RightsSet,
    pub reports_to: BTreeSet<String>,
    pub workspace: Option<Workspace>,
    pub client: Option<DeclaredClient>,
    /// Which connection speaks.
    pub instance: Option<String>,
    /// A session to open if it has none.
    pub new_session: SessionId,
    /// What was dropped from what it says of itself; none when nothing was.
    pub sanitized: Option<Sanitized>,
}
