//! A tree into a type, with every fault at once: what serde stumbles over is written down and mended (the default is
//! put in its place, or it is taken away), and serde starts again. Each round removes one fault, so it ends.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;

use super::deserialize::{About, ReadError};
use super::node::Node;
use crate::domain::text::nearest;
use crate::source_location::{ConfigFault, SourceLocation};

/// Reads `tree`; `defaults` is the tree of the layer below, whose values stand in for faulty ones. `None` when it
/// cannot be mended; then there is at least one fault.
pub(crate) fn read<T: DeserializeOwned>(
    tree: &mut Node,
    defaults: Option<&Node>,
    faults: &mut Vec<ConfigFault>,
) -> Option<T> {
    let mut gone: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut mended: BTreeSet<Vec<String>> = BTreeSet::new();
    loop {
        let error = match T::deserialize(&*tree) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let path: Vec<String> = error.reversed.iter().rev().cloned().collect();
        // A key is missing because it was taken away: that fault is known already.
        let known = matches!(&error.about, About::MissingKey(key) if gone.contains(&with(&path, key)));
        if !known {
            let (place, message) = describe(tree, &path, &error);
            faults.push(place.fault(message));
        }
        let standby = match &error.about {
            About::UnknownKey { .. } => None,
            About::MissingKey(_) | About::Value(_) => defaults.and_then(|defaults| defaults.at(&path)),
        };
        if let Some(standby) = standby
            && mended.insert(path.clone())
            && let Some(node) = tree.at_mut(&path)
        {
            *node = standby.clone();
        } else if tree.take_away(&path) {
            gone.insert(path);
        } else {
            return None;
        }
    }
}

fn with(path: &[String], key: &str) -> Vec<String> {
    path.iter().cloned().chain([key.to_owned()]).collect()
}

fn describe(tree: &Node, path: &[String], error: &ReadError) -> (SourceLocation, String) {
    let dotted = path.join(".");
    match &error.about {
        About::UnknownKey { known } => {
            let place = tree.key_place_of(path).unwrap_or_else(|| tree.place_of(path));
            let last = path.last().map_or("", String::as_str);
            let hint = match nearest(last, known.iter().copied()).first() {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("known here: {}", known.join(", ")),
            };
            (place, format!("unknown key `{dotted}`: {hint}"))
        }
        About::MissingKey(key) if dotted.is_empty() => (tree.place_of(path), format!("`{key}` is missing")),
        About::MissingKey(key) => (tree.place_of(path), format!("`{dotted}` lacks `{key}`")),
        About::Value(message) if dotted.is_empty() => (tree.place_of(path), message.clone()),
        About::Value(message) => (tree.place_of(path), format!("`{dotted}` {message}")),
    }
}
