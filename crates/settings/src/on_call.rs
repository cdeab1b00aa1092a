//! `oncall.yaml`, as values: the hosts that `callboard oncall` is on this machine. The hub does not read it.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

pub const ON_CALL: &str = "oncall.yaml";

/// The whole file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OnCallFile {
    #[serde(default)]
    pub hosts: Vec<OnCallHost>,
    /// What is put in front of each run's command, as `[bwrap, --dev-bind, /, /]`.
    #[serde(default)]
    pub wrap: Vec<String>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OnCallHost {
    /// A preset: claude, codex, copilot, gemini, opencode, qwen. Left out where there is a `command`.
    #[serde(default)]
    pub client: Option<String>,
    /// Any other program with its arguments.
    #[serde(default)]
    pub command: Vec<String>,
    /// Whose tasks it takes.
    pub role: String,
    /// How many runs there may be at a time.
    #[serde(default = "two")]
    pub max: u16,
    /// The folder in which the runs work; the one in which the host was started when it is left out.
    #[serde(default)]
    pub workspace: Option<PathBuf>,
    /// What the ids of its agents begin with; `ROLE-CLIENT` when it is left out.
    #[serde(default)]
    pub agent: Option<String>,
    /// Whether each task has an agent id of its own.
    #[serde(default)]
    pub fresh: bool,
    /// Whose limits the runs use up.
    #[serde(default)]
    pub account: Option<String>,
    /// What is added to the client's arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables of the host's environment that a run is given beside those of its preset.
    #[serde(default)]
    pub environment: Vec<String>,
    /// Instead of the `wrap` of the file.
    #[serde(default)]
    pub wrap: Option<Vec<String>>,
}

const fn two() -> u16 {
    2
}

#[cfg(test)]
mod tests;
