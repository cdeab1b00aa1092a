//! `permissions.yaml`, held against one act: allowed or not, and the rule that decided.
//!
//! An entry for the user replaces what the user's roles give; otherwise all roles count together. `deny` of any entry
//! that counts wins. Who matches nothing may do nothing.

use std::collections::BTreeSet;
use std::fmt;

use crate::permission::Whose;
use crate::routing::Roster;
use crate::task::RightsSet;

/// What somebody on Discord wants to do with an agent, or with a task of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Hand it work.
    Assign,
    /// Answer what it asks, or say something about its task.
    Answer,
    /// Approve its work. `given`: where merges need an approval, the right to give one has to be given by name.
    Approve {
        /// Whether it has to be.
        given: bool,
    },
    /// Call its task off, or put it back into the queue.
    Cancel,
}

/// What one entry of `permissions.yaml` gives.
#[derive(Debug, Clone, Copy)]
pub struct Grant<'a> {
    /// The entry, as `roles.developer`.
    pub entry: &'a str,
    /// `canAssignTo`.
    pub assign: &'a RightsSet,
    /// `canAnswer`; none: as `canAssignTo`.
    pub answer: Option<&'a RightsSet>,
    /// `canApprove`; none: as `canAnswer`, where the right need not be given by name.
    pub approve: Option<&'a RightsSet>,
    /// `canCancel`; none: as `canAssignTo`.
    pub cancel: Option<&'a RightsSet>,
    /// `deny`.
    pub deny: &'a RightsSet,
}

/// The entries that speak of one user.
#[derive(Debug, Clone)]
pub enum Grants<'a> {
    User(Grant<'a>),
    /// Those of the user's roles.
    Roles(Vec<Grant<'a>>),
}

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// Whether it may be done.
    pub allowed: bool,
    /// What decided, for the audit.
    pub rule: String,
}

impl Grants<'_> {
    /// Whether this act is allowed; `own` where it is about a task that the user asked for.
    pub fn decide(&self, act: Act, whose: &Whose, own: bool) -> Ruling {
        let entries = self.entries();
        if let Some(entry) = entries.iter().find(|entry| entry.deny.allows(whose.agent(), whose.role())) {
            return Ruling { allowed: false, rule: format!("{}.deny", entry.entry) };
        }
        if own && !matches!(act, Act::Assign | Act::Approve { given: true }) {
            return Ruling { allowed: true, rule: "the author of the task".to_owned() };
        }
        let rule = entries.iter().find_map(|entry| {
            let (list, key) = entry.list(act)?;
            list.allows(whose.agent(), whose.role()).then(|| format!("{}.{key}", entry.entry))
        });
        match rule {
            Some(rule) => Ruling { allowed: true, rule },
            None => Ruling { allowed: false, rule: "no entry allows it".to_owned() },
        }
    }

    /// Whom the user may hand work to, of everybody who can be named: what is denied is taken out.
    pub fn assignable(&self, roster: &Roster) -> RightsSet {
        let entries = self.entries();
        let all = entries.iter().any(|entry| *entry.assign == RightsSet::All);
        let named = |entry: &Grant<'_>| match entry.assign {
            RightsSet::All => BTreeSet::new(),
            RightsSet::Only(names) => names.clone(),
        };
        let given = if all { RightsSet::All } else { RightsSet::Only(entries.iter().flat_map(named).collect()) };
        entries.iter().fold(given, |given, entry| given.without(entry.deny, roster))
    }

    fn entries(&self) -> &[Grant<'_>] {
        match self {
            Self::User(grant) => std::slice::from_ref(grant),
            Self::Roles(grants) => grants,
        }
    }
}

impl Grant<'_> {
    /// The list that says so, with its key; none where none does.
    fn list(&self, act: Act) -> Option<(&RightsSet, &'static str)> {
        let by_default = (self.assign, "canAssignTo");
        match act {
            Act::Assign => Some(by_default),
            Act::Answer => Some(self.answer.map_or(by_default, |list| (list, "canAnswer"))),
            Act::Approve { given } => match self.approve {
                Some(list) => Some((list, "canApprove")),
                None if given => None,
                None => self.list(Act::Answer),
            },
            Act::Cancel => Some(self.cancel.map_or(by_default, |list| (list, "canCancel"))),
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Assign => "assign",
            Self::Answer => "answer",
            Self::Approve { .. } => "approve",
            Self::Cancel => "cancel",
        })
    }
}
