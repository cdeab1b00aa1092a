//! What is known of an agent's newest `callboard wake`, in a file of the agent's own below the data directory: each
//! writes itself into it as it begins, and ends when it finds another one there.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::ids::AgentId;
use crate::place::GlobalArgs;
use crate::private_file;

/// The newest `callboard wake` of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Record {
    pub(crate) pid: i32,
    /// The client that started it.
    pub(crate) parent: i32,
    /// How many of this agent have begun so far.
    pub(crate) begun: u64,
    /// How often this client was made to go on.
    pub(crate) blocks: u32,
    /// One more block could be the one that the client loses: this client waits in the call from now on.
    pub(crate) capped: bool,
    /// What the agent held and had queued when the last one ended at once with something for it.
    pub(crate) at_once: Option<String>,
}

impl Record {
    /// Where that of an agent lies; none where there is no data directory of this user's own.
    pub(crate) fn path(globals: &GlobalArgs, agent: &AgentId) -> Option<PathBuf> {
        Some(globals.own_data_dir().ok()?.join("wake").join(format!("{agent}.json")))
    }

    /// What stands there; nothing where that is no record.
    pub(crate) fn read(path: &Path) -> Self {
        let text = private_file::read_own(path).ok().flatten().unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Whether it could be written.
    pub(super) fn write(&self, path: &Path) -> bool {
        let Ok(text) = serde_json::to_vec(self) else { return false };
        let folder = path.parent().is_none_or(|folder| private_file::make_folder(folder).is_ok());
        folder && private_file::replace_unsynced(path, &text).is_ok()
    }

    /// That of the process `pid` of the client `parent`, which begins after this one; `cap` is how many blocks in a row
    /// that client takes, and the last of them is never used.
    pub(super) fn next(&self, pid: i32, parent: i32, cap: Option<u32>) -> Self {
        let same = self.parent == parent;
        let blocks = if same { self.blocks } else { 0 };
        let at_once = self.at_once.clone().filter(|_| same);
        let capped = cap.is_some_and(|cap| blocks + 1 >= cap);
        Self { pid, parent, begun: self.begun + 1, blocks, capped, at_once }
    }

    /// The one that has just made its client go on; `at_once`: without having waited, as the agent stood.
    pub(super) fn woke(self, at_once: Option<String>) -> Self {
        Self { blocks: self.blocks + 1, at_once, ..self }
    }
}
