//! `people.yaml`, as values: one person's identities on the surfaces.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::discord::Snowflake;
use crate::domain::ids::PrincipalId;

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
    /// The principal that the person's tokens name.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub principal: Option<PrincipalId>,
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

    fn find(&self, is: impl Fn(&Person) -> bool) -> Option<(&str, &Person)> {
        self.people.iter().find(|(_, person)| is(person)).map(|(name, person)| (name.as_str(), person))
    }
}
