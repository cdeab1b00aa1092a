//! `people.yaml`, as values: one person's identities on the surfaces, and whose work they may answer for.
//!
//! A credential's scope says what a caller may do at all; an entry here narrows it to agents and roles.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;

use super::discord::Snowflake;
use super::rights::{maybe_rights, rights};
use crate::domain::ids::PrincipalId;
use crate::domain::permission::{Deed, Denied, PersonRights, Whose};
use crate::domain::routing::Roster;
use crate::domain::task::RightsSet;

/// The keys that have a place of their own.
pub(super) const GITHUB: &str = "github";
pub(super) const TRACKER: &str = "tracker";
/// The keys of a person; under any other stands the login at the source of that name.
pub(super) const KEYS: [&str; 11] = [
    "displayName", "discord", GITHUB, TRACKER, "logins", "principal", "canAssignTo", "canAnswer", "canApprove",
    "canOperate", "deny",
];

/// `people.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct People {
    /// Each by a name of the operator's choice.
    pub people: BTreeMap<String, Person>,
}

/// One human being.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Person {
    /// How others read the name; without it the key of the entry.
    pub display_name: Option<String>,
    /// The id of the Discord user.
    pub discord: Option<Snowflake>,
    /// The login at the source `github` of `webhooks.in`; where none is called so, at the only one of that scheme.
    pub github: Option<String>,
    /// The name at the source `tracker` of `webhooks.in`; where none is called so, at the only one of the scheme
    /// `standard`.
    pub tracker: Option<String>,
    /// The login at each other source of `webhooks.in`, by the source's name; a key of that name beside the others
    /// means the same.
    pub logins: BTreeMap<String, String>,
    /// The principal that the person's tokens name.
    pub principal: Option<PrincipalId>,
    /// The agents and roles that they may hand work to; without it: all of them.
    #[serde(deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_assign_to: Option<RightsSet>,
    /// The agents and roles whose questions and blocked tasks they may answer; without it: all of them.
    #[serde(deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_answer: Option<RightsSet>,
    /// The agents and roles whose work they may approve, or send back; without it: those of `canAnswer`. Where the
    /// role's `merge` needs an approval, approving needs this list.
    #[serde(deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_approve: Option<RightsSet>,
    /// The agents and roles whose tasks they may retry, requeue, reassign and cancel, in whose sessions they may speak,
    /// whom they may send away; without it: all of them.
    #[serde(deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_operate: Option<RightsSet>,
    /// The agents and roles with which they have nothing to do, whatever else is said; `*` is everybody.
    #[serde(deserialize_with = "rights")]
    #[schemars(with = "BTreeSet<String>")]
    pub deny: RightsSet,
}

impl People {
    pub fn by_discord(&self, user: Snowflake) -> Option<(&str, &Person)> {
        self.find(|person| person.discord == Some(user))
    }

    pub fn by_principal(&self, principal: &PrincipalId) -> Option<(&str, &Person)> {
        self.find(|person| person.principal.as_ref() == Some(principal))
    }

    /// The person who is called so by a source of webhooks, whatever the case.
    pub(super) fn by_login(&self, key: &str, login: &str) -> Option<(&str, &Person)> {
        self.find(|person| person.login(key).is_some_and(|known| known.eq_ignore_ascii_case(login)))
    }

    pub fn all_called<'a>(&'a self, login: &'a str) -> impl Iterator<Item = &'a Person> {
        let is_called = |person: &&Person| person.all_logins().any(|(_, known)| known.eq_ignore_ascii_case(login));
        self.people.values().filter(is_called)
    }

    /// Passes whoever may do that, as far as is said here. Who is not listed may.
    pub fn decide(&self, who: &PrincipalId, deed: Deed, whose: &Whose) -> Result<(), Denied> {
        self.by_principal(who).map_or(Ok(()), |(_, person)| person.rights().decide(deed, whose))
    }

    /// How others read the name of whoever has this principal.
    pub fn display_name(&self, who: &PrincipalId) -> Option<&str> {
        self.by_principal(who).map(|(key, person)| person.display_name.as_deref().unwrap_or(key))
    }

    /// Puts roles under their ids, whatever name they were written by.
    pub(super) fn settle(&mut self, roster: &Roster) {
        for person in self.people.values_mut() {
            let lists = [
                person.can_assign_to.as_mut(),
                person.can_answer.as_mut(),
                person.can_approve.as_mut(),
                person.can_operate.as_mut(),
                Some(&mut person.deny),
            ];
            for rights in lists.into_iter().flatten() {
                if let RightsSet::Only(names) = rights {
                    *rights = RightsSet::named(names.iter(), roster);
                }
            }
        }
    }

    fn find(&self, is: impl Fn(&Person) -> bool) -> Option<(&str, &Person)> {
        self.people.iter().find(|(_, person)| is(person)).map(|(name, person)| (name.as_str(), person))
    }
}

impl Person {
    pub(super) fn login(&self, key: &str) -> Option<&str> {
        let own = match key {
            GITHUB => self.github.as_deref(),
            TRACKER => self.tracker.as_deref(),
            _ => None,
        };
        own.or_else(|| self.logins.get(key).map(String::as_str))
    }

    /// What they are called, by the key that says so.
    pub(super) fn all_logins(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = [(GITHUB, self.github.as_deref()), (TRACKER, self.tracker.as_deref())];
        let own = own.into_iter().filter_map(|(key, login)| Some((key, login?)));
        own.chain(self.logins.iter().map(|(key, login)| (key.as_str(), login.as_str())))
    }

    pub const fn rights(&self) -> PersonRights<'_> {
        PersonRights {
            assign: self.can_assign_to.as_ref(),
            answer: self.can_answer.as_ref(),
            approve: self.can_approve.as_ref(),
            operate: self.can_operate.as_ref(),
            deny: &self.deny,
        }
    }
}
