//! From text to values, strictly: a YAML file becomes a tree whose nodes know their lines (`parse`), layers are laid
//! over each other (`node`), secrets are turned away (`secret`), and the tree is read into a type (`read`).
//!
//! Serde alone would stop at the first fault; `read` mends what it stumbled over and goes on, to report every fault.

mod deserialize;
pub(super) mod node;
pub(super) mod parse;
pub(super) mod read;
pub(super) mod secret;
#[cfg(test)]
mod tests;

use serde::de::DeserializeOwned;

use super::source_location::{ConfigFaults, Layer};

/// Reads one YAML text into `T`: unknown and duplicate keys, wrong types and secrets are faults, all at once.
pub fn read_yaml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ConfigFaults> {
    let mut faults = Vec::new();
    let mut tree = parse::parse(Layer::File, file, text, &mut faults)?;
    secret::refuse(&mut tree, &mut faults);
    let value = read::read(&mut tree, None, &mut faults);
    ConfigFaults::unless_empty(faults)?;
    value.ok_or_else(|| tree.place.fault("it holds no value").into())
}
