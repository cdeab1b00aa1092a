//! What happened to an agent, as the journal keeps it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::state::{Eviction, Notice, Registration, TypingStage};
use crate::ids::NoticeId;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AgentRecord {
    /// It took up the work, for the first time or again.
    Registered { registration: Registration },
    /// Something waits for it to be heard.
    NoticePosted { notice: Notice },
    /// Its next call showed that these arrived.
    NoticesHeard { ids: BTreeSet<NoticeId> },
    /// It will not hear these, for nobody can speak for it any more.
    NoticesUndeliverable { ids: BTreeSet<NoticeId> },
    /// One of them moved on its way into the terminal that it works in.
    NoticeMoved {
        id: NoticeId,
        order_id: String,
        /// Whether all of it is in the line; otherwise that only says that there is something to hear.
        whole: bool,
        now: TypingStage,
    },
    /// It was sent away, and is told with its next wait.
    Evicted { eviction: Eviction },
    /// A wait has told it so.
    EvictionHeard,
}
