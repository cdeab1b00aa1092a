//! What a verb answers.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value, json};

use super::rendering::{Rendering, Words};
use crate::actors::agent::AnswerGuard;
use crate::domain::agent::Notice;

/// The field that says in which form an answer is: in that of this house, or as hooks of clients read it.
pub(super) const FORM: &str = "form";

/// The names of the latter: of hooks that wait, and of clients that ask leave.
const HOOK: &str = "hook";
const PERMISSION: &str = "permission";
/// And of a wait that only tells that there is something.
pub(super) const NUDGE: &str = "nudge";

/// A verb's answer: `success`, `message`, `prompt?`, `notices?` and the verb's own fields.
#[derive(Debug, Clone)]
pub struct Reply {
    /// What happened, in a sentence.
    pub message: String,
    /// The hub's next instruction. Written by the hub alone, from templates whose variables are typed ids; only the
    /// text of a task in `wait_for_prompt` comes from elsewhere.
    pub prompt: Option<String>,
    /// The verb's own fields, as its output type writes them.
    pub fields: Map<String, Value>,
    /// What the agent has not heard yet.
    pub notices: Vec<Notice>,
    /// Whether the fields are the answer itself, and a client that shows only text needs them too.
    pub tells: bool,
    /// Whose words `prompt` begins with, where they are not the hub's.
    pub words: Option<Words>,
    /// Of an answer that carries something: kept by the door until it is known to have been read.
    pub guard: Option<Arc<AnswerGuard>>,
    /// What a client is told of the workflow that the call went on with, beside the answer.
    pub workflow: Option<Box<Value>>,
}

impl Reply {
    /// In the form that was asked for. A hook's is `{"decision": "block", "reason": TEXT}` where there is something for
    /// the model, which is given TEXT and nothing else, and `{}` where there is nothing.
    #[must_use]
    pub(super) fn in_its_form(mut self) -> Self {
        if self.fields.get(FORM).is_some_and(|form| form == NUDGE) {
            // Whatever there is stays where it is, and so do its words.
            self.fields.retain(|name, _| matches!(name.as_str(), "status" | FORM));
            "Call wait_for_prompt.".clone_into(&mut self.message);
            return Self { prompt: None, words: None, tells: false, ..self };
        }
        if self.fields.get(FORM).is_none_or(|form| form != HOOK) {
            return self;
        }
        let Some(form) = self.fields.remove(FORM) else { return self };
        let nothing = ["IDLE", "SUPERSEDED"].iter().any(|status| self.fields.get("status") == Some(&json!(status)));
        let text = (!nothing || !self.notices.is_empty()).then(|| self.text());
        self.fields.retain(|name, _| matches!(name.as_str(), "status" | "taskId" | "leaseEpoch"));
        if let Some(text) = text {
            self.fields.extend([("decision".to_owned(), json!("block")), ("reason".to_owned(), json!(text))]);
        }
        self.fields.insert(FORM.to_owned(), form);
        self.prompt = None;
        self
    }

    /// The whole structured result.
    pub fn into_structured(self) -> Value {
        let mut object = self.fields;
        let mut put = |name: &str, value| {
            // The verb's own fields go first.
            object.entry(name).or_insert(value);
        };
        put("success", Value::Bool(true));
        put("message", Value::String(self.message));
        if let Some(prompt) = self.prompt {
            put("prompt", Value::String(prompt));
        }
        put_notices(&mut object, &self.notices);
        Value::Object(object)
    }

    /// The same of a reply that is still needed.
    pub fn structured(&self) -> Value {
        self.clone().into_structured()
    }

    /// The same as one text, for a client that shows only that.
    pub fn text(&self) -> String {
        if self.fields.get(FORM).is_some_and(|form| form == HOOK) {
            let given = |name: &str| Some((name.to_owned(), self.fields.get(name)?.clone()));
            return Value::Object(["decision", "reason"].into_iter().filter_map(given).collect()).to_string();
        }
        if self.is_text_alone() {
            return self.leave().to_string();
        }
        let rendering = Rendering::of("Result", &self.message);
        let rendering = if self.tells { rendering.values(&self.fields) } else { rendering };
        rendering.notices(&self.notices).prompt(self.prompt.as_deref(), self.words.as_ref())
    }
}

impl Reply {
    /// Whether it is its text alone: Claude Code 2.1.331 refuses a result about leave with `structuredContent`.
    pub fn is_text_alone(&self) -> bool {
        self.fields.get(FORM).is_some_and(|form| form == PERMISSION)
    }

    /// `{"behavior": "allow", "updatedInput": …}` or `{"behavior": "deny", "message": …}`, and nothing else.
    fn leave(&self) -> Value {
        let given = |name: &str| Some((name.to_owned(), self.fields.get(name)?.clone()));
        let mut object: Map<String, Value> = ["behavior", "updatedInput"].into_iter().filter_map(given).collect();
        if !object.contains_key("updatedInput") {
            object.insert("message".to_owned(), json!(self.message));
        }
        Value::Object(object)
    }
}

/// [`Reply::into_structured`] as it is written, without the tree.
#[derive(Debug, Clone, Copy)]
pub struct Structured<'a>(pub &'a Reply);

impl Serialize for Structured<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Reply { message, prompt, fields, notices, .. } = self.0;
        let mut object = serializer.serialize_map(None)?;
        for (name, value) in fields {
            if notices.is_empty() || name != "notices" {
                object.serialize_entry(name, value)?;
            }
        }
        let left = |name: &str| !fields.contains_key(name);
        if left("success") {
            object.serialize_entry("success", &true)?;
        }
        if left("message") {
            object.serialize_entry("message", message)?;
        }
        if let Some(prompt) = prompt.as_ref().filter(|_| left("prompt")) {
            object.serialize_entry("prompt", prompt)?;
        }
        if !notices.is_empty() {
            object.serialize_entry("notices", notices)?;
        }
        object.end()
    }
}

/// Puts `notices` into a structured result; none when there are none.
pub(super) fn put_notices(object: &mut Map<String, Value>, notices: &[Notice]) {
    if !notices.is_empty()
        && let Ok(value) = serde_json::to_value(notices)
    {
        object.insert("notices".to_owned(), value);
    }
}
