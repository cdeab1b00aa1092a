//! `permissions.yaml`, `people.yaml`, `clients.yaml`: who and what they name.

use std::collections::BTreeMap;

use super::agents::{Names, place_of_item};
use crate::clients::{ClientConfig, UNKNOWN};
use crate::discord::{Grant, Permissions};
use crate::domain::task::RightsSet;
use crate::in_force::Settings;
use crate::people::{People, Person};
use crate::source::node::Node;
use crate::source_location::ConfigFault;

/// The principal of the first credential, which the hub makes at its first start.
const OPERATOR: &str = "operator";

/// An unknown agent is a warning: it may register later under that name.
pub(super) fn check_permissions(
    permissions: &Permissions,
    tree: &Node,
    names: &Names,
    faults: &mut Vec<ConfigFault>,
    warnings: &mut Vec<ConfigFault>,
) {
    for (role, grant) in &permissions.roles {
        if role.starts_with('@') || role.trim().is_empty() {
            let place = tree.key_place_of(&["roles", role]).unwrap_or_else(|| tree.place_of(&["roles"]));
            faults.push(place.fault(format!("`roles.{role}` must be a role's id, or its name without `@`")));
        }
        check_grant("roles", role, grant, tree, names, warnings);
    }
    for (user, grant) in &permissions.users {
        check_grant("users", &user.to_string(), grant, tree, names, warnings);
    }
}

fn check_grant(group: &str, id: &str, grant: &Grant, tree: &Node, names: &Names, warnings: &mut Vec<ConfigFault>) {
    let lists = [
        ("canAssignTo", Some(&grant.can_assign_to)),
        ("canAnswer", grant.can_answer.as_ref()),
        ("canApprove", grant.can_approve.as_ref()),
        ("canCancel", grant.can_cancel.as_ref()),
        ("deny", Some(&grant.deny)),
    ];
    for (key, rights) in lists {
        let Some(RightsSet::Only(given)) = rights else { continue };
        for name in given.iter().filter(|name| !names.is_known(name)) {
            let place = place_of_item(tree, &[group, id, key], name);
            let hint = names.hint(name);
            warnings.push(place.fault(format!("`{group}.{id}.{key}` names `{name}`, which is unknown: {hint}")));
        }
    }
}

/// Two people with one identity are one too many: an answer would be somebody else's.
pub(super) fn check_people(
    people: &People,
    tree: &Node,
    names: &Names,
    faults: &mut Vec<ConfigFault>,
    warnings: &mut Vec<ConfigFault>,
) {
    let mut claimed: BTreeMap<String, &str> = BTreeMap::new();
    for (name, person) in &people.people {
        let own = [
            ("discord", person.discord.map(|id| id.to_string())),
            ("principal", person.principal.as_ref().map(ToString::to_string)),
        ];
        let own = own.into_iter().filter_map(|(key, identity)| Some((key, identity?)));
        let logins = person.all_logins().map(|(key, login)| (key, login.to_lowercase()));
        for (key, identity) in own.chain(logins) {
            if let Some(other) = claimed.insert(format!("{key} {identity}"), name) {
                let place = tree.place_of(&["people", name, key]);
                faults.push(place.fault(format!("`people.{name}.{key}` is `{other}`'s already: `{identity}`")));
            }
        }
        check_principal(name, person, tree, faults);
        check_person(name, person, tree, names, warnings);
    }
}

/// A login at a source that is none is nobody's, and without a login there nobody answers from a source.
pub(super) fn check_sources(settings: &Settings, tree: &Node, warnings: &mut Vec<ConfigFault>) {
    let inbound = &settings.hub.webhooks.inbound;
    for (name, person) in &settings.people.people {
        for source in person.logins.keys().filter(|source| !inbound.contains_key(*source)) {
            let place = tree.place_of(&["people", name, "logins", source]);
            warnings
                .push(place.fault(format!("`people.{name}.logins.{source}`: `webhooks.in` has no source `{source}`")));
        }
    }
    if settings.people.people.is_empty() {
        return;
    }
    for source in settings.sources_without_people() {
        let hint = format!("a person's login there stands under `{source}`");
        let message = format!("nobody has a login at the source `{source}` of `webhooks.in`: {hint}");
        warnings.push(tree.place_of(&["people"]).fault(message));
    }
}

/// A principal that no credential has would narrow nobody, and nobody would notice.
fn check_principal(name: &str, person: &Person, tree: &Node, faults: &mut Vec<ConfigFault>) {
    let Some(principal) = &person.principal else { return };
    let known = ["person:", "service:"].iter().any(|kind| principal.as_str().starts_with(kind));
    if !known && principal.as_str() != OPERATOR {
        let place = tree.place_of(&["people", name, "principal"]);
        let hint = format!("`{OPERATOR}`, or as `callboard token list` shows it, `person:{principal}`");
        faults.push(place.fault(format!("`people.{name}.principal` is nobody's: `{principal}`; write {hint}")));
    }
}

fn check_person(name: &str, person: &Person, tree: &Node, names: &Names, warnings: &mut Vec<ConfigFault>) {
    let lists = [
        ("canAssignTo", person.can_assign_to.as_ref()),
        ("canAnswer", person.can_answer.as_ref()),
        ("canApprove", person.can_approve.as_ref()),
        ("canOperate", person.can_operate.as_ref()),
        ("deny", Some(&person.deny)),
    ];
    for (key, rights) in lists {
        let Some(RightsSet::Only(given)) = rights else { continue };
        for unknown in given.iter().filter(|given| !names.is_known(given)) {
            let place = place_of_item(tree, &["people", name, key], unknown);
            let hint = names.hint(unknown);
            warnings.push(place.fault(format!("`people.{name}.{key}` names `{unknown}`, which is unknown: {hint}")));
        }
    }
    let nameless = person.discord.is_none() && person.all_logins().next().is_none();
    if nameless && person.principal.is_none() {
        let place = tree.key_place_of(&["people", name]).unwrap_or_else(|| tree.place_of(&["people"]));
        let hint = "name a `principal`, or what they are called on Discord, the forge or the tracker";
        warnings.push(place.fault(format!("`people.{name}` is nobody on any surface: {hint}")));
    }
}

pub(super) fn check_clients(clients: &BTreeMap<String, ClientConfig>, tree: &Node, faults: &mut Vec<ConfigFault>) {
    if !clients.contains_key(UNKNOWN) {
        faults.push(tree.place_of(&["clients"]).fault(format!("`clients.{UNKNOWN}` is missing: it is for all others")));
    }
    for (name, row) in clients {
        let mut fault = |key: &str, message: &str| {
            let place = tree.place_of(&["clients", name, key]);
            faults.push(place.fault(format!("`clients.{name}.{key}` {message}")));
        };
        let caps = [
            ("waitCap", Some(row.wait_cap)),
            ("waitCapHttp", row.wait_cap_http),
            ("waitCapWithoutTasks", row.wait_cap_without_tasks),
        ];
        for (key, _) in caps.iter().filter(|(_, cap)| cap.is_some_and(|cap| cap.is_zero())) {
            fault(key, "must be longer than nothing");
        }
        if humantime::parse_rfc3339_weak(&format!("{}T00:00:00Z", row.checked)).is_err() {
            fault("checked", "must be a day such as `2026-10-20`");
        }
        if row.source.trim().is_empty() {
            fault("source", "must say where the fact was found");
        }
        if row.measured.as_ref().is_some_and(|version| version.trim().is_empty()) {
            fault("measured", "must name the version that was measured");
        }
        if *name != name.to_lowercase() {
            let place = tree.key_place_of(&["clients", name]).unwrap_or_else(|| tree.place_of(&["clients"]));
            faults.push(place.fault(format!("`clients.{name}` must be in lower case, as names are compared")));
        }
    }
}
