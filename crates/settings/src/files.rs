//! The files that settings are read from, with the defaults that are compiled in.

use super::source::node::Node;
use super::source::parse::parse;
use super::source_location::{ConfigFault, Layer};

#[derive(Debug)]
pub(super) struct SettingsFile {
    pub(super) name: &'static str,
    /// What `config show` puts before its paths.
    pub(super) prefix: &'static str,
    pub(super) defaults: &'static str,
    /// The maps whose keys are the operator's own; `null` there removes an entry of the layer below.
    pub(super) open: &'static [&'static [&'static str]],
}

/// A file of `config/`, its prefix, and its open maps.
macro_rules! file {
    ($name:literal, $prefix:literal, $open:expr) => {
        SettingsFile {
            name: $name,
            prefix: $prefix,
            defaults: include_str!(concat!("../../../config/", $name)),
            open: $open,
        }
    };
}

pub(super) const HUB: SettingsFile =
    file!("hub.yaml", "", &[&["webhooks", "in"], &["webhooks", "out"], &["discord", "roles"]]);
pub(super) const AGENTS: SettingsFile = file!("agents.yaml", "", &[&["roles"], &["agents"]]);
pub(super) const PERMISSIONS: SettingsFile = file!("permissions.yaml", "permissions", &[&["roles"], &["users"]]);
pub(super) const PEOPLE: SettingsFile = file!("people.yaml", "", &[&["people"]]);
pub(super) const PATTERNS: SettingsFile = file!("patterns.yaml", "patterns", &[&["prompts"]]);
pub(super) const CLIENTS: SettingsFile = file!("clients.yaml", "", &[&["clients"]]);
pub(super) const SCHEDULES: SettingsFile = file!("schedules.yaml", "", &[]);

pub(super) const ALL: [SettingsFile; 7] = [HUB, AGENTS, PERMISSIONS, PEOPLE, CLIENTS, PATTERNS, SCHEDULES];

/// What else may lie in the folder and is read by other rooms.
pub(super) const OTHERS: [&str; 5] =
    ["upstreams.yaml", super::on_call::ON_CALL, "workflows", "system-prompts", "clients"];

#[derive(Debug, Clone)]
pub(super) struct Trees {
    pub(super) hub: Node,
    pub(super) agents: Node,
    pub(super) permissions: Node,
    pub(super) people: Node,
    pub(super) clients: Node,
    pub(super) patterns: Node,
    pub(super) schedules: Node,
}

impl Trees {
    pub(super) fn defaults() -> Result<Self, ConfigFault> {
        let mut duplicates = Vec::new();
        let mut read = |file: &SettingsFile| parse(Layer::Defaults, file.name, file.defaults, &mut duplicates);
        let trees = Self {
            hub: read(&HUB)?,
            agents: read(&AGENTS)?,
            permissions: read(&PERMISSIONS)?,
            people: read(&PEOPLE)?,
            clients: read(&CLIENTS)?,
            patterns: read(&PATTERNS)?,
            schedules: read(&SCHEDULES)?,
        };
        duplicates.into_iter().next().map_or(Ok(trees), Err)
    }

    pub(super) fn each(&mut self) -> [(&'static SettingsFile, &mut Node); 7] {
        [
            (&HUB, &mut self.hub),
            (&AGENTS, &mut self.agents),
            (&PERMISSIONS, &mut self.permissions),
            (&PEOPLE, &mut self.people),
            (&CLIENTS, &mut self.clients),
            (&PATTERNS, &mut self.patterns),
            (&SCHEDULES, &mut self.schedules),
        ]
    }

    /// Takes away what a layer removed with `null`.
    pub(super) fn drop_nulls(&mut self) {
        for (file, tree) in self.each() {
            for path in file.open {
                tree.drop_nulls(path);
            }
        }
    }
}
