//! Settings that are read and checked before what they are for is built: whoever sets one hears that nothing uses it.

use crate::settings::files::Trees;
use crate::settings::place::{ConfigFault, Layer};
use crate::settings::source::node::Node;

/// One warning for each section that somebody set, at the first value of it.
pub(super) fn check(trees: &Trees, warnings: &mut Vec<ConfigFault>) {
    for role in trees.agents.child("roles").map_or(&[][..], Node::entries) {
        let path = |key: &str| format!("roles.{}.{key}", role.key);
        let merge = role.node.child("merge");
        warnings.extend(merge.and_then(|tree| warning(tree, &path("merge"), "this version merges no pull request")));
    }
}

fn warning(tree: &Node, section: &str, why: &str) -> Option<ConfigFault> {
    let mut leaves = Vec::new();
    tree.leaves(section, &mut leaves);
    let (_, _, place) = leaves.into_iter().find(|(_, _, place)| place.layer != Layer::Defaults)?;
    Some(place.fault(format!("`{section}` is checked, and nothing uses it yet: {why}")))
}
