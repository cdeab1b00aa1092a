//! What a verb answers.

use serde_json::{Map, Value};

/// A verb's answer: `success`, `message`, `prompt?` and the verb's own fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What happened, in a sentence.
    pub message: String,
    /// The hub's next instruction. Written by the hub alone, from templates whose variables are typed ids; only the
    /// text of a task in `wait_for_prompt` comes from elsewhere.
    pub prompt: Option<String>,
    /// The verb's own fields, as its output type writes them.
    pub fields: Map<String, Value>,
}

impl Reply {
    /// The whole structured result.
    #[must_use]
    pub fn structured(&self) -> Value {
        let mut object = Map::new();
        object.insert("success".to_owned(), Value::Bool(true));
        object.insert("message".to_owned(), Value::String(self.message.clone()));
        if let Some(prompt) = &self.prompt {
            object.insert("prompt".to_owned(), Value::String(prompt.clone()));
        }
        object.extend(self.fields.clone());
        Value::Object(object)
    }

    /// The same for a client that shows only text: `message`, then `prompt`.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.prompt {
            Some(prompt) => format!("{}\n\n{prompt}", self.message),
            None => self.message.clone(),
        }
    }
}
