//! `agents.yaml`: roles and agents that are named must exist, and a name must mean one role.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::task::RightsSet;
use crate::domain::text::nearest;
use crate::roles::{Roles, in_capitals};
use crate::source::node::{Kind, Node};
use crate::source_location::ConfigFault;

/// Every name of a role or configured agent as it was written, in lower case, with its meaning, also of a faulty role.
#[derive(Debug)]
pub(super) struct Names {
    roles: BTreeMap<String, String>,
    agents: Vec<String>,
}

impl Names {
    pub(super) fn of(tree: &Node) -> Self {
        let mut roles = BTreeMap::new();
        for entry in tree.at(&["roles"]).map_or(&[][..], Node::entries) {
            let aliases = entry.node.at(&["aliases"]).map(texts).unwrap_or_default();
            let derived = in_capitals(&entry.key);
            let shown = entry.node.at(&["displayName"]).and_then(text).unwrap_or(&derived);
            for name in [entry.key.as_str(), shown].into_iter().chain(aliases) {
                roles.entry(name.to_lowercase()).or_insert_with(|| entry.key.clone());
            }
        }
        let agents = tree.at(&["agents"]).map_or(&[][..], Node::entries).iter().map(|e| e.key.clone()).collect();
        Self { roles, agents }
    }

    fn is_role(&self, name: &str) -> bool {
        self.roles.contains_key(&name.to_lowercase())
    }

    pub(super) fn is_known(&self, name: &str) -> bool {
        self.is_role(name) || self.agents.iter().any(|agent| agent == name)
    }

    /// Words for a name that means nothing.
    pub(super) fn hint(&self, name: &str) -> String {
        let names = self.roles.keys().chain(&self.agents).map(String::as_str);
        match nearest(name, names).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "it must be a role of `roles` or an agent of `agents`".to_owned(),
        }
    }
}

pub(super) fn check(roles: &Roles, tree: &Node, names: &Names, faults: &mut Vec<ConfigFault>) {
    check_aliases(tree, faults);
    for (id, role) in &roles.roles {
        let path = ["roles", id.as_str()];
        check_rights(&path, "canDelegateTo", &role.can_delegate_to, tree, names, faults);
        check_list(&path, "reportsTo", &role.reports_to, tree, names, faults);
        check_count(&path, Some(role.max_concurrent), tree, faults);
    }
    for (id, agent) in &roles.agents {
        let path = ["agents", id.as_str()];
        if !names.is_role(agent.role.as_str()) {
            let near = names.hint(agent.role.as_str());
            let place = tree.place_of(&[path[0], path[1], "role"]);
            faults.push(place.fault(format!("`agents.{id}.role` names the unknown role `{}`: {near}", agent.role)));
        }
        if let Some(rights) = &agent.can_delegate_to {
            check_rights(&path, "canDelegateTo", rights, tree, names, faults);
        }
        if let Some(reports_to) = &agent.reports_to {
            check_list(&path, "reportsTo", reports_to, tree, names, faults);
        }
        check_count(&path, agent.max_concurrent, tree, faults);
    }
}

fn check_rights(
    path: &[&str; 2],
    key: &str,
    rights: &RightsSet,
    tree: &Node,
    names: &Names,
    faults: &mut Vec<ConfigFault>,
) {
    match rights {
        RightsSet::All => {}
        RightsSet::Only(given) => check_list(path, key, given, tree, names, faults),
    }
}

fn check_list(
    path: &[&str; 2],
    key: &str,
    given: &BTreeSet<String>,
    tree: &Node,
    names: &Names,
    faults: &mut Vec<ConfigFault>,
) {
    let [group, id] = path;
    for name in given.iter().filter(|name| !names.is_known(name)) {
        let place = place_of_item(tree, &[group, id, key], name);
        let hint = names.hint(name);
        faults.push(place.fault(format!("`{group}.{id}.{key}` names `{name}`, which is unknown: {hint}")));
    }
}

/// Where an item of a list stands.
pub(super) fn place_of_item(tree: &Node, path: &[&str], item: &str) -> crate::source_location::SourceLocation {
    let list = tree.at(path);
    let found = list.and_then(|list| match &list.kind {
        Kind::List(items) => items.iter().find(|node| text(node) == Some(item)),
        Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Fraction(_) | Kind::Text(_) | Kind::Map(_) => None,
    });
    found.map_or_else(|| tree.place_of(path), |node| node.place.clone())
}

fn check_count(path: &[&str; 2], count: Option<u32>, tree: &Node, faults: &mut Vec<ConfigFault>) {
    let [group, id] = path;
    if count == Some(0) {
        let place = tree.place_of(&[group, id, "maxConcurrent"]);
        faults.push(place.fault(format!("`{group}.{id}.maxConcurrent` must be at least 1")));
    }
}

/// A name that two roles claim would mean one today and another tomorrow.
fn check_aliases(tree: &Node, faults: &mut Vec<ConfigFault>) {
    let mut claimed: BTreeMap<String, &str> = BTreeMap::new();
    let roles = tree.at(&["roles"]).map_or(&[][..], Node::entries);
    for entry in roles {
        claimed.insert(entry.key.to_lowercase(), &entry.key);
    }
    for entry in roles {
        let Some(Kind::List(aliases)) = entry.node.at(&["aliases"]).map(|node| &node.kind) else { continue };
        for alias in aliases {
            let Some(name) = text(alias) else { continue };
            match claimed.insert(name.to_lowercase(), &entry.key) {
                Some(other) if other != entry.key => {
                    let message = format!("`roles.{}.aliases` has `{name}`, which means `{other}` already", entry.key);
                    faults.push(alias.place.fault(message));
                }
                Some(_) | None => {}
            }
        }
    }
}

fn text(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Text(text) => Some(text),
        Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Fraction(_) | Kind::List(_) | Kind::Map(_) => None,
    }
}

fn texts(node: &Node) -> Vec<&str> {
    match &node.kind {
        Kind::List(items) => items.iter().filter_map(text).collect(),
        Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Fraction(_) | Kind::Text(_) | Kind::Map(_) => Vec::new(),
    }
}
