//! `agents.yaml`, as values.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use super::rights::{maybe_rights, rights};
use super::span::{Span, maybe_span};
use crate::domain::ids::{AgentId, RoleId};
use crate::domain::permission::Whose;
use crate::domain::pull::{Green, MergeTerms};
use crate::domain::task::{Budget, EvidenceGrade, OnTimeout, RightsSet, Target, TargetWho};
use crate::domain::tool_rule::ToolRule;
use crate::domain::tool_set::ToolSet;

/// `agents.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Roles {
    /// Roles by id.
    pub roles: BTreeMap<RoleId, RoleConfig>,
    /// Agents that are configured by name.
    pub agents: BTreeMap<AgentId, AgentConfig>,
    /// What an agent may claim whose role is not in `roles`.
    pub unknown_roles: UnknownRoles,
}

/// What an agent may claim whose role is not configured. It delegates to nobody and reports to nobody in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnknownRoles {
    /// The capabilities that it gets, or may claim some of; with `*` whichever it claims. None by default.
    #[serde(default, deserialize_with = "rights")]
    #[schemars(with = "BTreeSet<String>")]
    pub capabilities: RightsSet,
}

/// A role of `agents.yaml`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleConfig {
    /// How people call the role; a Discord role of this name calls it. The role's id in capitals when left out: the
    /// role `data-scientist` is `DataScientist`.
    #[serde(default)]
    pub display_name: String,
    /// Other names that mean the role, in lower case.
    #[serde(default)]
    pub aliases: BTreeSet<String>,
    /// What agents of the role can do.
    #[serde(default)]
    pub capabilities: BTreeSet<String>,
    /// Roles and agents it may assign tasks to, by id.
    #[serde(default, deserialize_with = "rights")]
    #[schemars(with = "BTreeSet<String>")]
    pub can_delegate_to: RightsSet,
    /// Roles and agents that hear of it, by id; the first is where an escalation goes.
    #[serde(default)]
    pub reports_to: BTreeSet<String>,
    /// How long its tasks live without a sign of progress; none: `leases.ttl`.
    #[serde(default, deserialize_with = "maybe_span")]
    #[schemars(with = "Option<Span>")]
    pub ttl: Option<Duration>,
    /// How long an offer waits for its acknowledgement; none: `leases.ackWithin`.
    #[serde(default, deserialize_with = "maybe_span")]
    #[schemars(with = "Option<Span>")]
    pub ack_within: Option<Duration>,
    /// How many tasks one agent works on at once.
    #[serde(default = "one")]
    pub max_concurrent: u32,
    /// What it is reminded of.
    #[serde(default)]
    pub remind: BTreeSet<Remind>,
    /// The sets of tools that its agents are shown.
    #[serde(default = "work")]
    pub tools: BTreeSet<ToolSet>,
    /// Whether a task asks for a git worktree of its own unless it says otherwise.
    #[serde(default)]
    pub worktree: bool,
    /// What an approved review means.
    #[serde(default)]
    pub on_approve: OnApprove,
    /// Which defaults of its questions apply by themselves when nobody answers in time.
    #[serde(default)]
    pub defaults: DefaultsPolicy,
    /// What its clients may do with their own tools when they ask for leave: the first rule that matches decides, and
    /// without one people are asked.
    #[serde(default)]
    pub permissions: Vec<ToolRule>,
    /// What its runs on call may use.
    #[serde(default)]
    pub budget: Budget,
    /// What follows when a task's time is over.
    #[serde(default)]
    #[schemars(with = "OnTimeout")]
    pub on_timeout: OnTimeout,
    /// What a completion must bring.
    #[serde(default)]
    pub completion: CompletionPolicy,
    /// What `merge_pr` asks for.
    #[serde(default)]
    pub merge: MergePolicy,
}

/// What a role is reminded of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Remind {
    /// To wait again after an idle wait.
    Reconnect,
    /// To clean up its worktree after a completion.
    Cleanup,
}

/// What an approved review means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnApprove {
    /// The agent merges and completes.
    #[default]
    Merge,
    /// The task is completed at once.
    Complete,
}

/// Which defaults of a question apply by themselves, beside those that do not act, which always do. What is known to be
/// dangerous never does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DefaultsPolicy {
    /// Those that are known to be harmless.
    #[default]
    Cautious,
    /// All that are not known to be dangerous.
    Trusted,
}

/// What a completion must bring.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompletionPolicy {
    /// The least proof.
    pub min_evidence: EvidenceGrade,
}

/// What `merge_pr` asks for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergePolicy {
    /// Somebody who may approved the commit that is merged, for the base that it is merged into.
    #[serde(default = "yes")]
    pub require_approval: bool,
    /// Every check ended well (true), these did and must be there (a list of their names), or none needs to (false).
    #[serde(default, deserialize_with = "green")]
    #[schemars(with = "GreenSchema")]
    pub require_green: Green,
    /// An approval on the forge counts for later commits, too.
    #[serde(default)]
    pub stale_approvals: bool,
}

/// What [`green`] reads, for the schema.
enum GreenSchema {}

impl JsonSchema for GreenSchema {
    fn schema_name() -> Cow<'static, str> {
        "RequireGreen".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names =
            serde_json::json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": true});
        schemars::json_schema!({"anyOf": [{"type": "boolean"}, names]})
    }
}

/// Reads which checks must have ended well.
fn green<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Green, D::Error> {
    struct Reads;
    impl<'de> Visitor<'de> for Reads {
        type Value = Green;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("true, false, or a list of names of checks")
        }

        fn visit_bool<E>(self, all: bool) -> Result<Green, E> {
            Ok(if all { Green::ALL } else { Green::NOTHING })
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Green, A::Error> {
            let mut all = BTreeSet::new();
            while let Some(name) = names.next_element::<String>()? {
                all.insert(name);
            }
            if all.is_empty() || all.iter().any(|name| name.trim().is_empty()) {
                return Err(A::Error::custom("a list of checks names at least one, and each by its name"));
            }
            Ok(Green::of(all))
        }
    }
    deserializer.deserialize_any(Reads)
}

impl Default for MergePolicy {
    fn default() -> Self {
        Self { require_approval: true, require_green: Green::ALL, stale_approvals: false }
    }
}

impl MergePolicy {
    /// The same, as a merge is judged by it.
    pub fn terms(&self) -> MergeTerms {
        MergeTerms { approval: self.require_approval, green: self.require_green.clone(), stale: self.stale_approvals }
    }
}

/// An agent configured by name; what it says goes before its role.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentConfig {
    /// Its role, by id.
    pub role: RoleId,
    /// How people call it.
    #[serde(default)]
    pub display_name: Option<String>,
    /// What it can do.
    #[serde(default)]
    pub capabilities: Option<BTreeSet<String>>,
    /// Roles and agents it may assign tasks to, by id.
    #[serde(default, deserialize_with = "maybe_rights")]
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub can_delegate_to: Option<RightsSet>,
    /// Roles and agents that hear of it, by id.
    #[serde(default)]
    pub reports_to: Option<BTreeSet<String>>,
    /// How many tasks it works on at once.
    #[serde(default)]
    pub max_concurrent: Option<u32>,
    /// How long its tasks live without a sign of progress.
    #[serde(default, deserialize_with = "maybe_span")]
    #[schemars(with = "Option<Span>")]
    pub ttl: Option<Duration>,
    /// How long an offer waits for its acknowledgement.
    #[serde(default, deserialize_with = "maybe_span")]
    #[schemars(with = "Option<Span>")]
    pub ack_within: Option<Duration>,
    /// Whether a task asks for a git worktree of its own unless it says otherwise.
    #[serde(default)]
    pub worktree: Option<bool>,
}

impl Roles {
    /// The role that `name` means: its id, an alias or its display name, in any case, with or without `@`.
    pub fn find(&self, name: &str) -> Option<(&RoleId, &RoleConfig)> {
        let name = name.trim().trim_start_matches('@').to_lowercase();
        self.roles
            .iter()
            .find(|(id, _)| id.as_str() == name)
            .or_else(|| self.roles.iter().find(|(_, role)| role.aliases.contains(&name)))
            .or_else(|| self.roles.iter().find(|(_, role)| role.display_name.to_lowercase() == name))
    }

    /// Whether the right to approve this has to be given by name: merges of its role need an approval, or no role is
    /// known by that name.
    pub fn need_approval(&self, whose: &Whose) -> bool {
        let role = whose.role().and_then(|role| self.find(role.as_str()));
        role.is_none_or(|(_, role)| role.merge.require_approval)
    }

    /// The id of the role that `name` means, whatever the case; a role that nobody configured is its own name.
    pub fn id_of(&self, name: &str) -> String {
        self.find(name).map_or_else(|| name.trim().to_lowercase(), |(id, _)| id.to_string())
    }

    /// What a name of `reportsTo` means as the target of a task: a role or a configured agent.
    pub fn target(&self, name: &str) -> Option<Target> {
        let who = match self.find(name) {
            Some((role, _)) => TargetWho::Role(role.clone()),
            None => TargetWho::Agent(AgentId::parse(name).ok()?),
        };
        Some(Target { who, capabilities: BTreeSet::new() })
    }

    /// Replaces aliases by the ids of their roles and writes aliases in lower case, so that readers compare ids alone.
    pub(super) fn settle(&mut self) {
        for (id, role) in &mut self.roles {
            if role.display_name.is_empty() {
                role.display_name = in_capitals(id.as_str());
            }
            role.aliases = role.aliases.iter().map(|alias| alias.to_lowercase()).collect();
        }
        let known = self.clone();
        let id_of = |name: &String| match known.find(name) {
            Some((id, _)) => id.as_str().to_owned(),
            None => name.clone(),
        };
        let settle = |rights: &mut RightsSet| match rights {
            RightsSet::All => {}
            RightsSet::Only(names) => *names = names.iter().map(id_of).collect(),
        };
        for role in self.roles.values_mut() {
            settle(&mut role.can_delegate_to);
            role.reports_to = role.reports_to.iter().map(id_of).collect();
        }
        for agent in self.agents.values_mut() {
            if let Some((role, _)) = known.find(agent.role.as_str()) {
                agent.role = role.clone();
            }
            if let Some(rights) = &mut agent.can_delegate_to {
                settle(rights);
            }
            agent.reports_to = agent.reports_to.take().map(|names| names.iter().map(id_of).collect());
        }
    }
}

/// `data-scientist` as `DataScientist`.
pub(super) fn in_capitals(id: &str) -> String {
    let words = id.split(['-', '_', '.']).map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    });
    words.collect()
}

fn work() -> BTreeSet<ToolSet> {
    BTreeSet::from([ToolSet::Work])
}

const fn one() -> u32 {
    1
}

const fn yes() -> bool {
    true
}
