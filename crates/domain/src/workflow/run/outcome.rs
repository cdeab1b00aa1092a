//! What a call came to, in one form, whoever called: the hub as a step of a plan, or a client that goes on with it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ids::PrincipalId;
use crate::text::cut;
use crate::time::Timestamp;

/// Results up to this size are kept whole, in bytes of JSON: they go into every row and record of the run.
const KEPT_WHOLE: usize = 64 * 1024;

/// How much is kept of a longer one.
const HEAD: usize = 4 * 1024;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub content: Content,
    pub is_error: bool,
    pub at: Timestamp,
    pub by: PrincipalId,
    pub matched_by: MatchedBy,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Structured(Value),
    Text(String),
    /// The beginning of something too long to keep.
    Cut {
        head: String,
        /// How long all of it was, in bytes.
        bytes: u64,
    },
}

/// How a call was found to belong to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchedBy {
    Plan,
    /// The client named the run.
    Id,
    /// It is the only run of the caller that has an open step for the tool.
    Implicit,
}

impl Content {
    /// A value, or its beginning where it is long.
    pub fn of(value: Value) -> Self {
        let written = match &value {
            Value::String(text) => text.clone(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
        };
        if written.len() > KEPT_WHOLE {
            let bytes = u64::try_from(written.len()).unwrap_or(u64::MAX);
            return Self::Cut { head: cut(&written, HEAD).to_owned(), bytes };
        }
        match value {
            Value::String(text) => Self::Text(text),
            value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                Self::Structured(value)
            }
        }
    }
}

impl Outcome {
    /// What later steps refer to; none where it was not kept whole, or is an error.
    pub fn value(&self) -> Option<Value> {
        match &self.content {
            Content::Structured(_) | Content::Text(_) if self.is_error => None,
            Content::Structured(value) => Some(value.clone()),
            Content::Text(text) => Some(Value::from(text.as_str())),
            Content::Cut { .. } => None,
        }
    }

    /// As a language model reads it.
    pub(super) fn shown(&self) -> String {
        match &self.content {
            Content::Structured(value) => serde_json::to_string_pretty(value).unwrap_or_default(),
            Content::Text(text) => text.clone(),
            Content::Cut { head, bytes } => format!("{head}\n[{} of {bytes} bytes are shown here]", head.len()),
        }
    }

    /// Why it failed, in a sentence without its full stop.
    pub fn error(&self) -> String {
        let text = match &self.content {
            Content::Structured(value) => {
                value.get("message").and_then(Value::as_str).map_or_else(|| value.to_string(), ToOwned::to_owned)
            }
            Content::Text(text) => text.clone(),
            Content::Cut { head, .. } => head.clone(),
        };
        cut(text.trim().trim_end_matches('.'), 500).to_owned()
    }

    /// As programs read it: `{structured | text, isError, at, by, matchedBy}`.
    pub fn view(&self) -> Value {
        let mut view = json!({"isError": self.is_error, "at": self.at, "by": self.by, "matchedBy": self.matched_by});
        match &self.content {
            Content::Structured(value) => view["structured"] = value.clone(),
            Content::Text(text) => view["text"] = json!(text),
            Content::Cut { head, bytes } => {
                view["text"] = json!(head);
                view["bytes"] = json!(bytes);
            }
        }
        view
    }
}
