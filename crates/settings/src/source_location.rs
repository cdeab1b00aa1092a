//! Where a value was written: the layer, the file, the line. Every value has one, and every fault names one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use thiserror::Error;

/// The layers in their order: a later one goes before an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The files of `config/`, compiled in.
    Defaults,
    /// A file of the operator's folder.
    File,
    /// A `CALLBOARD_*` variable.
    Environment,
    /// A flag of the command line.
    Flag,
}

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceLocation {
    pub layer: Layer,
    /// The file, the variable or the flag: `hub.yaml`, `CALLBOARD_LISTEN`, `--listen`.
    pub name: Arc<str>,
    /// The line, from 1; 0 where there are no lines.
    pub line: u32,
    /// The column in characters, from 1; 0 where there are no lines.
    pub column: u32,
}

impl SourceLocation {
    /// A place that has no lines: a variable or a flag, or a file as a whole.
    pub fn whole(layer: Layer, name: &str) -> Self {
        Self { layer, name: Arc::from(name), line: 0, column: 0 }
    }

    pub fn fault(&self, message: impl Into<String>) -> ConfigFault {
        let file = match self.layer {
            Layer::Defaults => format!("config/{}", self.name),
            Layer::File | Layer::Environment | Layer::Flag => self.name.to_string(),
        };
        ConfigFault { file, line: self.line, column: self.column, message: message.into() }
    }
}

impl fmt::Display for SourceLocation {
    /// As `config show --origin` prints it: `defaults`, `hub.yaml:12:9`, `CALLBOARD_LISTEN`, `--listen`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layer {
            Layer::Defaults => f.write_str("defaults"),
            Layer::File => write!(f, "{}:{}:{}", self.name, self.line, self.column),
            Layer::Environment | Layer::Flag => f.write_str(&self.name),
        }
    }
}

/// Where each value came from, by its dotted path: `leases.ttl`, `roles.designer.aliases`.
pub type Origins = BTreeMap<String, SourceLocation>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error, Serialize)]
pub struct ConfigFault {
    pub file: String,
    /// The line, from 1; 0 where there are no lines.
    pub line: u32,
    /// The column in characters, from 1; 0 where there are no lines.
    pub column: u32,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}: {}", self.file, self.message)
        } else {
            write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
        }
    }
}

/// Everything wrong in the settings, at once; never empty, ordered by file and line.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
pub struct ConfigFaults(Vec<ConfigFault>);

impl ConfigFaults {
    /// `Err` with them, ordered; `Ok` when there are none.
    pub fn unless_empty(mut faults: Vec<ConfigFault>) -> Result<(), Self> {
        faults.sort();
        faults.dedup();
        if faults.is_empty() { Ok(()) } else { Err(Self(faults)) }
    }

    pub fn list(&self) -> &[ConfigFault] {
        &self.0
    }

    pub fn into_list(self) -> Vec<ConfigFault> {
        self.0
    }
}

impl From<ConfigFault> for ConfigFaults {
    fn from(fault: ConfigFault) -> Self {
        Self(vec![fault])
    }
}

impl fmt::Display for ConfigFaults {
    /// One fault a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}
