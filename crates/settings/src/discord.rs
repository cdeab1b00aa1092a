//! `hub.yaml: discord` and `permissions.yaml`, as values.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error as _, Unexpected};
use serde::{Deserialize, Serialize};

use super::rights::{maybe_rights, rights};
use crate::domain::routing::Roster;
use crate::domain::task::RightsSet;

/// An id that Discord gave: written in quotes, since other readers of YAML round numbers of this size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Snowflake(pub u64);

impl Snowflake {
    pub fn parse(text: &str) -> Option<Self> {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse().ok().map(Self)).flatten()
    }
}

impl fmt::Display for Snowflake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Snowflake {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &"a Discord id, all digits"))
    }
}

impl JsonSchema for Snowflake {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Snowflake")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[0-9]{1,20}$"})
    }
}

/// `discord`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiscordSettings {
    pub guilds: Vec<Snowflake>,
    pub channels: ChannelSettings,
    pub message_content: bool,
    pub dm: DirectMessages,
    pub thread_per_task: bool,
    #[schemars(with = "BTreeMap<String, String>")]
    pub roles: BTreeMap<Snowflake, String>,
    pub default_agent: Option<String>,
    pub audit_channel: Option<Snowflake>,
    pub api_base: Option<String>,
    pub gateway_url: Option<String>,
    pub allow_foreign_hosts: bool,
}

/// `discord.channels`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChannelSettings {
    pub allow: Vec<Snowflake>,
    pub deny: Vec<Snowflake>,
}

/// Whether direct messages are heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DirectMessages {
    /// None is heard.
    Off,
    /// Those of the users that `permissions.yaml` lists.
    Listed,
}

/// `permissions.yaml`: who may do what from Discord.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Permissions {
    /// What a Discord role gives, by its id or its name.
    pub roles: BTreeMap<String, Grant>,
    /// What one user may, by id; replaces what the user's roles give.
    #[schemars(with = "BTreeMap<String, Grant>")]
    pub users: BTreeMap<Snowflake, Grant>,
}

impl Permissions {
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty() && self.users.is_empty()
    }

    /// Puts agent roles under their ids, whatever name they were written by.
    pub(super) fn settle(&mut self, roster: &Roster) {
        for grant in self.roles.values_mut().chain(self.users.values_mut()) {
            let lists = [
                Some(&mut grant.can_assign_to),
                grant.can_answer.as_mut(),
                grant.can_approve.as_mut(),
                grant.can_cancel.as_mut(),
                Some(&mut grant.deny),
            ];
            for rights in lists.into_iter().flatten() {
                if let RightsSet::Only(names) = rights {
                    *rights = RightsSet::named(names.iter(), roster);
                }
            }
        }
    }
}

/// What a Discord role or user may do.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Grant {
    /// The agents and roles that may be given work.
    #[serde(deserialize_with = "rights")]
    #[schemars(with = "BTreeSet<String>")]
    pub can_assign_to: RightsSet,
    /// The agents and roles whose questions may be answered; none: those of `canAssignTo`, and one's own tasks'.
    #[serde(default, deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_answer: Option<RightsSet>,
    /// The agents and roles whose work may be approved, or sent back; none: as `canAnswer`, where their `merge`
    /// needs no approval.
    #[serde(default, deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_approve: Option<RightsSet>,
    /// The agents and roles whose tasks may be cancelled; none: those of `canAssignTo`, and one's own.
    #[serde(default, deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_cancel: Option<RightsSet>,
    /// What is forbidden whatever else is said; `*` is everything.
    #[serde(default, deserialize_with = "rights")]
    #[schemars(with = "BTreeSet<String>")]
    pub deny: RightsSet,
}
