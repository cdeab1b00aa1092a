//! Settings that are read and checked before what they are for is built: whoever sets one hears that nothing uses it.

use crate::settings::place::{ConfigFault, Layer};
use crate::settings::source::node::Node;

/// The sections of `hub.yaml`, and what this version does not have yet.
const SECTIONS: [(&str, &str); 4] = [
    ("discord", "this version does not speak to Discord"),
    ("webhooks", "this version neither takes nor sends webhooks"),
    ("forge", "this version speaks to no forge"),
    ("tracker", "this version speaks to no tracker"),
];

/// One warning for each section that somebody set, at the first value of it.
pub(super) fn check(hub: &Node, permissions: &Node, warnings: &mut Vec<ConfigFault>) {
    for (section, why) in SECTIONS {
        warnings.extend(hub.child(section).and_then(|tree| warning(tree, section, why)));
    }
    warnings.extend(warning(permissions, "permissions.yaml", SECTIONS[0].1));
}

fn warning(tree: &Node, section: &str, why: &str) -> Option<ConfigFault> {
    let mut leaves = Vec::new();
    tree.leaves(section, &mut leaves);
    let (_, _, place) = leaves.into_iter().find(|(_, _, place)| place.layer != Layer::Defaults)?;
    Some(place.fault(format!("`{section}` is checked, and nothing uses it yet: {why}")))
}
