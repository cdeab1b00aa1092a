//! What a system prompt may name: typed ids and the operator's own words, never text of an agent or a task.

use minijinja::Value;

use crate::Settings;
use crate::domain::ids::AgentId;
use crate::domain::task::RightsSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptVars {
    /// `agent_id`: whom the prompt is for; none when it is for any agent of the role.
    pub agent_id: Option<AgentId>,
    /// `role`: the role's id.
    pub role: String,
    /// `display_name`: how people call it.
    pub display_name: String,
    /// `capabilities`: what it can do, in order.
    pub capabilities: Vec<String>,
    /// `can_delegate_to`: roles and agents; `everybody` for `*`; empty for nobody.
    pub can_delegate_to: Vec<String>,
    /// `reports_to`: roles and agents, in order.
    pub reports_to: Vec<String>,
}

impl PromptVars {
    pub fn for_role(role: &str) -> Self {
        Self {
            agent_id: None,
            role: role.to_owned(),
            display_name: role.to_owned(),
            capabilities: Vec::new(),
            can_delegate_to: Vec::new(),
            reports_to: Vec::new(),
        }
    }

    /// Variables of which none is empty, to try a template with.
    pub(super) fn sample() -> Self {
        let names = || vec!["one".to_owned(), "two".to_owned()];
        Self {
            agent_id: AgentId::parse("agent-1").ok(),
            capabilities: names(),
            can_delegate_to: names(),
            reports_to: names(),
            ..Self::for_role("some-role")
        }
    }

    pub(super) fn value(&self) -> Value {
        let list = |names: &[String]| names.iter().map(String::as_str).collect::<Value>();
        Value::from_pairs([
            ("agent_id", Value::from(self.agent_id.as_ref().map(AgentId::as_str))),
            ("role", Value::from(self.role.as_str())),
            ("display_name", Value::from(self.display_name.as_str())),
            ("capabilities", list(&self.capabilities)),
            ("can_delegate_to", list(&self.can_delegate_to)),
            ("reports_to", list(&self.reports_to)),
        ])
    }
}

impl Settings {
    /// The variables for a role, by id, alias or display name, and for one of its agents where one is meant.
    pub fn prompt_vars(&self, role: &str, agent: Option<&AgentId>) -> PromptVars {
        let own = agent.and_then(|id| self.roles.agents.get(id));
        let mut vars = match self.roles.find(role) {
            Some((id, config)) => PromptVars {
                display_name: config.display_name.clone(),
                capabilities: config.capabilities.iter().cloned().collect(),
                can_delegate_to: names(&config.can_delegate_to),
                reports_to: config.reports_to.iter().cloned().collect(),
                ..PromptVars::for_role(id.as_str())
            },
            None => PromptVars::for_role(role),
        };
        vars.agent_id = agent.cloned();
        if let Some(own) = own {
            vars.display_name = own.display_name.clone().unwrap_or(vars.display_name);
            vars.capabilities =
                own.capabilities.as_ref().map_or(vars.capabilities, |own| own.iter().cloned().collect());
            vars.can_delegate_to = own.can_delegate_to.as_ref().map_or(vars.can_delegate_to, names);
            vars.reports_to = own.reports_to.as_ref().map_or(vars.reports_to, |own| own.iter().cloned().collect());
        }
        vars
    }
}

fn names(rights: &RightsSet) -> Vec<String> {
    match rights {
        RightsSet::All => vec!["everybody".to_owned()],
        RightsSet::Only(names) => names.iter().cloned().collect(),
    }
}
