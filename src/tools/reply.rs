//! What a verb answers.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use super::delivery::Delivery;
use crate::domain::agent::Notice;

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
    /// What must be taken back when this answer cannot be written out.
    pub delivery: Option<Delivery>,
}

impl Reply {
    /// The whole structured result.
    #[must_use]
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
    #[must_use]
    pub fn structured(&self) -> Value {
        self.clone().into_structured()
    }

    /// The same for a client that shows only text: `message`, then `prompt`, then what else there is to know, each a
    /// text of its own, so that the words of others never follow the hub's within one.
    #[must_use]
    pub fn texts(&self) -> Vec<Cow<'_, str>> {
        let mut texts = vec![Cow::from(&self.message)];
        texts.extend(self.prompt.as_ref().map(Cow::from));
        if self.tells && !self.fields.is_empty() {
            // A tree of JSON has no way to fail.
            texts.push(serde_json::to_string(&self.fields).unwrap_or_default().into());
        }
        texts.extend(notices_as_text(&self.notices).map(Cow::from));
        texts
    }

    /// [`Self::texts`] as one text.
    #[must_use]
    pub fn text(&self) -> String {
        self.texts().join("\n\n")
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

/// The notices as a client that shows only text gets them: one line each, marked with who says it.
pub(super) fn notices_as_text(notices: &[Notice]) -> Option<String> {
    if notices.is_empty() {
        return None;
    }
    let lines = notices.iter().map(|notice| {
        let about = notice.task_id.as_ref().map(|task| format!(" about task {task}")).unwrap_or_default();
        let who = &notice.from;
        format!("- {} from {} ({}){about}: {}", notice.id, who.display_name, who.id, notice.text)
    });
    Some(format!("Notices:\n{}", lines.collect::<Vec<_>>().join("\n")))
}
