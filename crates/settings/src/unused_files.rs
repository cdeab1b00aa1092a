//! Files of the folder that this version does not use yet: checked all the same, so that a broken one is not found only
//! by the version that reads it, and reported as unused.

use std::path::Path;

use super::on_call::{ON_CALL, OnCallFile};
use super::source::node::Node;
use super::source::parse::parse;
use super::source::read::read as source_read;
use super::source_location::{ConfigFault, Layer, SourceLocation};
use super::text_file::read_text;

pub(super) const UPSTREAMS: &str = "upstreams.yaml";

/// Adds what is broken to `faults`, and that nothing uses the rest to `warnings`.
pub(super) fn check(folder: &Path, faults: &mut Vec<ConfigFault>, warnings: &mut Vec<ConfigFault>) {
    let unused = |name: &str, why: &str| {
        SourceLocation::whole(Layer::File, name).fault(format!("`{name}` is checked, and nothing uses it yet: {why}"))
    };
    if read(folder, UPSTREAMS, faults).is_some() {
        warnings.push(unused(UPSTREAMS, "this version calls no other server"));
    }
    // Read by `callboard oncall`, and checked with the others.
    if let Some(mut hosts) = read(folder, ON_CALL, faults) {
        let _checked: Option<OnCallFile> = source_read(&mut hosts, None, faults);
    }
}

/// A file as a tree; `None` when it is not there, or is broken.
fn read(folder: &Path, name: &str, faults: &mut Vec<ConfigFault>) -> Option<Node> {
    match read_text(&folder.join(name)) {
        Ok(text) => match parse(Layer::File, name, &text?, faults) {
            Ok(tree) => return Some(tree),
            Err(fault) => faults.push(fault),
        },
        Err(error) => {
            faults.push(SourceLocation::whole(Layer::File, name).fault(format!("failed to read it: {error}")));
        }
    }
    None
}
