//! Files of the folder that this version does not use yet: checked all the same, so that a broken one is not found only
//! by the version that reads it, and reported as unused.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::place::{ConfigFault, Layer, Place};
use super::source::node::{Kind, Node};
use super::source::parse::parse;
use super::text_file::read_text;

const WORKFLOWS: &str = "workflows";
const UPSTREAMS: &str = "upstreams.yaml";

/// Adds what is broken to `faults`, and that nothing uses the rest to `warnings`.
pub(super) fn check(folder: &Path, faults: &mut Vec<ConfigFault>, warnings: &mut Vec<ConfigFault>) {
    let unused = |name: &str, why: &str| {
        Place::whole(Layer::File, name).fault(format!("`{name}` is checked, and nothing uses it yet: {why}"))
    };
    if read(folder, UPSTREAMS, faults).is_some() {
        warnings.push(unused(UPSTREAMS, "this version calls no other server"));
    }
    let found = files(folder, faults);
    for name in &found {
        if let Some(tree) = read(folder, name, faults) {
            check_workflow(&tree, faults);
        }
    }
    if !found.is_empty() {
        warnings.push(unused(WORKFLOWS, "this version offers no workflows"));
    }
}

/// The files of `workflows`, in order.
fn files(folder: &Path, faults: &mut Vec<ConfigFault>) -> Vec<String> {
    let entries = match fs::read_dir(folder.join(WORKFLOWS)) {
        Ok(entries) => entries,
        Err(error) => {
            if error.kind() != ErrorKind::NotFound {
                let place = Place::whole(Layer::File, WORKFLOWS);
                faults.push(place.fault(format!("must be a folder of `.yaml` files that can be read: {error}")));
            }
            return Vec::new();
        }
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let yaml = names.filter(|name| name.ends_with(".yaml") || name.ends_with(".yml"));
    let mut found: Vec<String> = yaml.map(|name| format!("{WORKFLOWS}/{name}")).collect();
    found.sort();
    found
}

/// A file as a tree; `None` when it is not there, or is broken.
fn read(folder: &Path, name: &str, faults: &mut Vec<ConfigFault>) -> Option<Node> {
    match read_text(&folder.join(name)) {
        Ok(text) => match parse(Layer::File, name, &text?, faults) {
            Ok(tree) => return Some(tree),
            Err(fault) => faults.push(fault),
        },
        Err(error) => {
            faults.push(Place::whole(Layer::File, name).fault(format!("failed to read it: {error}")));
        }
    }
    None
}

/// A workflow has a name, and steps that each have one.
fn check_workflow(tree: &Node, faults: &mut Vec<ConfigFault>) {
    if !is_text(tree.child("name")) {
        faults.push(tree.place_of(&["name"]).fault("`name` must be the name of the workflow"));
    }
    let Some(Kind::List(steps)) = tree.child("steps").map(|steps| &steps.kind) else {
        faults.push(tree.place_of(&["steps"]).fault("`steps` must be a list of steps"));
        return;
    };
    for (number, step) in steps.iter().enumerate() {
        if !is_text(step.child("name")) {
            faults.push(step.place.fault(format!("`steps.{number}` must have a `name`")));
        }
        if !is_text(step.child("tool")) && !is_text(step.child("resource")) {
            faults.push(step.place.fault(format!("`steps.{number}` must have a `tool` or a `resource`")));
        }
    }
}

fn is_text(node: Option<&Node>) -> bool {
    node.is_some_and(|node| matches!(&node.kind, Kind::Text(text) if !text.trim().is_empty()))
}
