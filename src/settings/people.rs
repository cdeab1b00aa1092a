//! `people.yaml`, as values: one person's identities on the surfaces, and whose work they may answer for.
//!
//! A credential's scope says what a caller may do at all; an entry here narrows it to agents and roles. Who is not
//! listed has what the scope gives.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;

use super::discord::Snowflake;
use super::rights::maybe_rights;
use crate::domain::ids::{AgentId, PrincipalId, RoleId};
use crate::domain::routing::Roster;
use crate::domain::task::RightsSet;

/// `people.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct People {
    /// Each by a name of the operator's choice.
    #[serde(default)]
    pub people: BTreeMap<String, Person>,
}

/// One human being.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Person {
    /// How others read the name; without it the key of the entry.
    #[serde(default)]
    pub display_name: Option<String>,
    /// The id of the Discord user.
    #[serde(default)]
    pub discord: Option<Snowflake>,
    /// The login on GitHub or another forge.
    #[serde(default)]
    pub github: Option<String>,
    /// The name in the tracker of work items, where that is another.
    #[serde(default)]
    pub tracker: Option<String>,
    /// The principal that the person's tokens name.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub principal: Option<PrincipalId>,
    /// The agents and roles whose questions and blocked tasks they may answer; without it: all of them.
    #[serde(default, deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_answer: Option<RightsSet>,
    /// The agents and roles whose work they may approve, or send back; without it: all of them.
    #[serde(default, deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_approve: Option<RightsSet>,
    /// The agents and roles whose tasks they may retry, requeue, reassign and cancel; without it: all of them.
    #[serde(default, deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_operate: Option<RightsSet>,
}

/// Something that a person does for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// Answer its question, or its blocked task.
    Answer,
    /// Approve its work, or ask for changes.
    Approve,
    /// Retry, requeue, reassign or cancel its task.
    Operate,
}

impl Right {
    /// As a sentence says it: `ada may not approve the work of …`.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Approve => "judge the work of",
            Self::Operate => "act on the tasks of",
        }
    }

    /// The key of `people.yaml` that says so.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Answer => "canAnswer",
            Self::Approve => "canApprove",
            Self::Operate => "canOperate",
        }
    }
}

impl People {
    /// The person of a Discord user.
    #[must_use]
    pub fn by_discord(&self, user: Snowflake) -> Option<(&str, &Person)> {
        self.find(|person| person.discord == Some(user))
    }

    /// The person of a forge login, whatever the case.
    #[must_use]
    pub fn by_github(&self, login: &str) -> Option<(&str, &Person)> {
        self.find(|person| person.github.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(login)))
    }

    /// The person of a principal.
    #[must_use]
    pub fn by_principal(&self, principal: &PrincipalId) -> Option<(&str, &Person)> {
        self.find(|person| person.principal.as_ref() == Some(principal))
    }

    /// The person of a name in the tracker, whatever the case; a login on the forge is one too.
    #[must_use]
    pub fn by_tracker(&self, name: &str) -> Option<(&str, &Person)> {
        self.find(|person| person.tracker.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(name)))
            .or_else(|| self.by_github(name))
    }

    /// Whether whoever has this principal may do that for this agent, as far as is said here. Who is not listed may.
    #[must_use]
    pub fn may(&self, who: &PrincipalId, right: Right, agent: Option<&AgentId>, role: Option<&RoleId>) -> bool {
        self.by_principal(who).is_none_or(|(_, person)| person.may(right, agent, role))
    }

    /// How others read the name of whoever has this principal.
    #[must_use]
    pub fn display_name(&self, who: &PrincipalId) -> Option<&str> {
        self.by_principal(who).map(|(key, person)| person.display_name.as_deref().unwrap_or(key))
    }

    /// Puts roles under their ids, whatever name they were written by.
    pub(super) fn settle(&mut self, roster: &Roster) {
        for person in self.people.values_mut() {
            for rights in [&mut person.can_answer, &mut person.can_approve, &mut person.can_operate] {
                if let Some(RightsSet::Only(names)) = rights {
                    *rights = Some(RightsSet::named(names.iter(), roster));
                }
            }
        }
    }

    fn find(&self, is: impl Fn(&Person) -> bool) -> Option<(&str, &Person)> {
        self.people.iter().find(|(_, person)| is(person)).map(|(name, person)| (name.as_str(), person))
    }
}

impl Person {
    /// Whether they may do that for this agent.
    #[must_use]
    pub fn may(&self, right: Right, agent: Option<&AgentId>, role: Option<&RoleId>) -> bool {
        let rights = match right {
            Right::Answer => &self.can_answer,
            Right::Approve => &self.can_approve,
            Right::Operate => &self.can_operate,
        };
        rights.as_ref().is_none_or(|rights| rights.allows(agent, role))
    }
}
