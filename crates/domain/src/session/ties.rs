//! What a session is tied to outside the hub: by these names it is found without a look at every session.

use std::collections::BTreeSet;

use super::state::Session;
use crate::ids::TaskId;
use crate::work_item::WorkItem;

/// A name that sessions are found by: of a work item, of a repository, or of a task that a pull request is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tie(String);

impl Tie {
    pub fn item(item: &WorkItem) -> Self {
        Self(format!("item:{}", item.as_str().to_ascii_lowercase()))
    }

    /// To a repository: `owner/repo`.
    pub fn repository(name: &str) -> Self {
        Self(format!("repository:{}", name.to_ascii_lowercase()))
    }

    /// To a task, by a pull request that was opened for its sake.
    pub fn task(task: &TaskId) -> Self {
        Self(format!("task:{task}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Session {
    pub fn ties(&self) -> BTreeSet<Tie> {
        let item = self.work_item.iter().map(Tie::item);
        let around = self.work_item.iter().filter_map(|item| item.repository().map(Tie::repository));
        let pulls = self.pulls.iter().flat_map(|pull| {
            let repository = Tie::repository(&pull.repository.to_string());
            std::iter::once(repository).chain(pull.task.as_ref().map(Tie::task))
        });
        item.chain(around).chain(pulls).collect()
    }
}
