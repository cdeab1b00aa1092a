//! What no type can say: names that must exist, values that must fit together. Each fault stands at the value's place.

mod agents;
mod hub;
mod patterns;
mod people;

use super::files::Trees;
use super::in_force::Settings;
use super::source_location::ConfigFault;
pub(super) use patterns::check_patterns;

/// Adds what is wrong to `faults`, and what is odd to `warnings`.
pub(super) fn check(
    settings: &Settings,
    trees: &Trees,
    faults: &mut Vec<ConfigFault>,
    warnings: &mut Vec<ConfigFault>,
) {
    hub::check(&settings.hub, &trees.hub, faults);
    let names = agents::Names::of(&trees.agents);
    hub::check_repositories(&settings.hub, &trees.hub, warnings);
    hub::check_callees(&settings.hub.discord, &trees.hub, &names, warnings);
    agents::check(&settings.roles, &trees.agents, &names, faults);
    people::check_permissions(&settings.permissions, &trees.permissions, &names, faults, warnings);
    people::check_people(&settings.people, &trees.people, &names, faults, warnings);
    people::check_sources(settings, &trees.people, warnings);
    people::check_clients(&settings.clients, &trees.clients, faults);
}
