//! How the hub of a schedule is set: in each role another policy, so that one schedule meets all of them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use callboard::domain::ids::{AgentId, RoleId};
use callboard::domain::task::{OnTimeout, RightsSet};
use callboard::settings::Settings;

use crate::script::{CAST, HubSetup};

/// Read once: reading them takes as long as a short schedule.
static SETTINGS: LazyLock<[Settings; 3]> = LazyLock::new(|| HubSetup::ALL.map(HubSetup::furnished));

impl HubSetup {
    const ALL: [Self; 3] = [Self::Plain, Self::Mixed, Self::Crowded];

    pub(crate) fn settings(self) -> &'static Settings {
        match self {
            Self::Plain => &SETTINGS[0],
            Self::Mixed => &SETTINGS[1],
            Self::Crowded => &SETTINGS[2],
        }
    }

    fn furnished(self) -> Settings {
        let mut settings = Settings::defaults();
        if self == Self::Plain {
            return settings;
        }
        settings.hub.leases.max_attempts = 2;
        for (name, policy, at_once) in [
            ("full-stack-engineer", OnTimeout::Retry, 2),
            ("test-engineer", OnTimeout::Escalate, 1),
            ("project-manager", OnTimeout::Hold, 1),
        ] {
            let role = settings.roles.roles.get_mut(&role(name)).unwrap();
            role.on_timeout = policy;
            role.max_concurrent = at_once;
        }
        if self == Self::Crowded {
            settings.hub.limits.mailbox = 24;
            settings.hub.limits.queue_per_agent = 2;
            settings.hub.limits.queue_total = 8;
        }
        settings
    }

    /// Whom an agent of the cast may delegate to.
    pub(crate) fn rights(self, agent: usize) -> RightsSet {
        match self {
            Self::Plain => RightsSet::All,
            Self::Mixed | Self::Crowded => self.settings().roles.roles[&role(CAST[agent].1)].can_delegate_to.clone(),
        }
    }

    /// How many tasks it works on at once.
    pub(crate) fn at_once(self, agent: usize) -> usize {
        self.settings().max_concurrent(&agent_id(agent), &role(CAST[agent].1)).try_into().unwrap()
    }

    pub(crate) fn capabilities(self, agent: usize) -> BTreeSet<String> {
        match self {
            Self::Plain => BTreeSet::new(),
            Self::Mixed | Self::Crowded => CAST[agent].2.iter().map(|name| (*name).to_owned()).collect(),
        }
    }
}

pub(crate) fn agent_id(agent: usize) -> AgentId {
    AgentId::parse(CAST[agent].0).unwrap()
}

pub(crate) fn role(name: &str) -> RoleId {
    RoleId::parse(name).unwrap()
}
