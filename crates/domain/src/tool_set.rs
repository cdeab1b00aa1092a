//! The sets of tools that a list may show. Every tool can be called whether it is listed or not.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::names::names;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolSet {
    /// What an agent needs to take work, report, ask and delegate.
    Core,
    /// `core`, and the tools of sessions, reviews, pull requests and messages.
    Work,
    /// The tools that open, change and merge pull requests.
    Forge,
    /// The tools of terminal sessions.
    Terminals,
    /// What a client asks before it calls a tool of its own; no model calls it.
    Permissions,
    /// All tools there are.
    All,
}

names!(ToolSet {
    Core = "core", Work = "work", Forge = "forge", Terminals = "terminals", Permissions = "permissions", All = "all",
});

/// Several sets, shown together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSets(BTreeSet<ToolSet>);

/// No set of that name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is no set of tools: the sets are core, work, forge, terminals, permissions and all")]
pub struct UnknownToolSet(String);

impl ToolSets {
    pub fn of(sets: impl IntoIterator<Item = ToolSet>) -> Self {
        Self(sets.into_iter().collect())
    }

    /// Whether a tool is shown that belongs to this set.
    pub fn show(&self, set: ToolSet) -> bool {
        let has = |one| self.0.contains(&one);
        has(ToolSet::All) || has(set) || (set == ToolSet::Core && has(ToolSet::Work))
    }
}

impl FromStr for ToolSets {
    type Err = UnknownToolSet;

    /// Reads names with commas between them, as `core,terminals`.
    fn from_str(text: &str) -> Result<Self, UnknownToolSet> {
        let named = text.split(',').map(str::trim).map(|name| {
            let known = ToolSet::ALL.into_iter().find(|set| set.as_str().eq_ignore_ascii_case(name));
            known.ok_or_else(|| UnknownToolSet(name.chars().filter(|c| !c.is_control()).take(64).collect()))
        });
        named.collect::<Result<BTreeSet<ToolSet>, UnknownToolSet>>().map(Self)
    }
}

impl fmt::Display for ToolSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|set| set.as_str()).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests;
