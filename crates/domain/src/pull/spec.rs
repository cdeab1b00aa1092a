//! What is asked for, and where a pull request may stand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::names::{Branch, Repository};
use crate::ids::RoleId;
use crate::names::names;
use crate::work_item::WorkItem;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullSpec {
    pub repository: Repository,
    pub head: Branch,
    /// What it is to be merged into; the repository's own default when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Branch>,
    pub title: String,
    pub body: String,
    pub draft: bool,
    /// The work item that the session was linked to when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item: Option<WorkItem>,
    /// The role of the agent that asked: its terms hold for a merge, whatever role the agent registers in later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<RoleId>,
}

/// Where a pull request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PullState {
    /// The forge is being asked.
    Opening,
    /// It stands there.
    Open,
    /// It is part of its base.
    Merged,
    /// It was closed without that.
    Closed,
    /// The forge refused it.
    Failed,
}

names!(PullState { Opening = "opening", Open = "open", Merged = "merged", Closed = "closed", Failed = "failed" });
