//! What a verb answers when it says no.

use serde_json::{Map, Value};
use thiserror::Error;

/// A verb's no: what is wrong, under which stable code, and what to do instead.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{message}")]
pub struct Refusal {
    /// The stable code, as `TASK_NOT_FOUND`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do instead: the hub's words, never another's.
    pub prompt: Option<String>,
    /// More for programs, as `{"nearest": [...]}`.
    pub details: Map<String, Value>,
    /// What plain HTTP answers with.
    pub status: u16,
}

impl Refusal {
    /// The whole structured result.
    #[must_use]
    pub fn structured(&self) -> Value {
        let mut object = Map::new();
        object.insert("success".to_owned(), Value::Bool(false));
        object.insert("code".to_owned(), Value::String(self.code.to_owned()));
        object.insert("message".to_owned(), Value::String(self.message.clone()));
        if let Some(prompt) = &self.prompt {
            object.insert("prompt".to_owned(), Value::String(prompt.clone()));
        }
        if !self.details.is_empty() {
            object.insert("details".to_owned(), Value::Object(self.details.clone()));
        }
        Value::Object(object)
    }
}
