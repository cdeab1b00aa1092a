//! What was recorded of a program, and what a person says of it.

use callboard_detect::prompt::{PromptKind, Reader};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One scenario of a program, from its start to the last moment that has a label. This is a line of a pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recording {
    /// The program, as its folder was called when it was recorded.
    pub(crate) program: String,
    /// The scenario: unique for the program.
    pub(crate) name: String,
    /// What the program or its package says of its version.
    pub(crate) version: String,
    /// The command line that was started.
    pub(crate) command: String,
    /// The height of the terminal.
    pub(crate) rows: u16,
    /// The width of the terminal.
    pub(crate) cols: u16,
    /// In the order in which they were seen.
    pub(crate) moments: Vec<Moment>,
    /// All bytes that the program printed.
    #[serde(serialize_with = "write_output", deserialize_with = "read_output")]
    pub(crate) output: Vec<u8>,
}

/// A moment at which somebody looked at the screen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moment {
    /// How many bytes had been printed.
    pub(crate) at: usize,
    /// Milliseconds since the last of them.
    pub(crate) quiet_ms: u64,
    /// Whether something was typed since the last of them.
    pub(crate) answered: bool,
    /// What the kernel said of the terminal.
    pub(crate) host: Observed,
    /// Stands in the group's file of labels, not in its pack.
    #[serde(skip)]
    pub(crate) label: Label,
}

/// What the kernel said of a terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Observed {
    pub(crate) reader: Reader,
    /// Whether what is typed is shown. Absent once the program has ended, as is `canonical`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) echo: Option<bool>,
    /// Whether whole lines are handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) canonical: Option<bool>,
}

/// What a person who knows the program says of the screen, by the rules of `LABELS.md`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Label {
    /// What the program waits for: the best answer first, then others that are as good. Empty: it does not wait.
    pub(crate) kinds: Vec<PromptKind>,
    /// Whether the answer that says yes does harm.
    pub(crate) dangerous: bool,
    /// A remark of whoever labelled it; mostly why a program does not wait.
    pub(crate) note: Option<String>,
}

impl Label {
    pub(crate) const fn waits(&self) -> bool {
        !self.kinds.is_empty()
    }
}

impl Recording {
    /// `program/name`: unique in the whole corpus.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.program, self.name)
    }
}

/// Output that is valid UTF-8 is a string, any other an array of its bytes.
fn write_output<S: Serializer>(output: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(output) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => serializer.collect_seq(output),
    }
}

fn read_output<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let output = serde_json::Value::deserialize(deserializer)?;
    match output.as_str() {
        Some(text) => Ok(text.as_bytes().to_vec()),
        None => serde_json::from_value(output).map_err(D::Error::custom),
    }
}
