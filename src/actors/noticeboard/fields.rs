//! The fields of an event: which are shown whole, which as one line, and which as a length only.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::task::{Artifact, Comment, KeptText};
use crate::domain::text::cut;

/// A text of at most so many characters, without a line break, is a line.
const LINE: usize = 120;

/// The longest report or remark that an event shows whole, in bytes.
const LONGEST: usize = KeptText::INLINE_LIMIT;

/// What is filled in, field by field.
#[derive(Default)]
pub(super) struct Data(pub(super) Map<String, Value>);

impl Data {
    pub(super) fn fill(&mut self, fields: Map<String, Value>) -> &mut Self {
        self.0 = fields;
        self
    }

    pub(super) fn put(&mut self, key: &str, value: impl Serialize) -> &mut Self {
        match serde_json::to_value(value) {
            Ok(Value::Null) | Err(_) => {}
            Ok(value) => {
                self.0.insert(key.to_owned(), value);
            }
        }
        self
    }

    /// A report or a remark: whole, or its beginning where it is very long.
    pub(super) fn text(&mut self, key: &str, text: &str) -> &mut Self {
        self.beginning(key, text, text.len())
    }

    pub(super) fn beginning(&mut self, key: &str, text: &str, bytes: usize) -> &mut Self {
        let shown = cut(text, LONGEST);
        if shown.len() == bytes {
            return self.put(key, text);
        }
        self.put(key, format!("{shown}\n[{} of {bytes} bytes are shown here]", shown.len()));
        self.put(&format!("{key}Bytes"), bytes)
    }

    /// A text that is shown only where it is a line; else its length.
    pub(super) fn line(&mut self, key: &str, text: &str) -> &mut Self {
        if text.chars().count() <= LINE && !text.chars().any(char::is_control) {
            self.put(key, text)
        } else {
            self.put(&format!("{key}Bytes"), text.len())
        }
    }

    pub(super) fn kept(&mut self, key: &str, text: &KeptText) -> &mut Self {
        match text {
            KeptText::Inline { text, .. } => self.text(key, text),
            KeptText::Stored { head, bytes, .. } => {
                self.beginning(key, head, usize::try_from(*bytes).unwrap_or(usize::MAX))
            }
        }
    }

    pub(super) fn maybe_text(&mut self, key: &str, text: Option<&str>) -> &mut Self {
        if let Some(text) = text {
            self.text(key, text);
        }
        self
    }

    /// A report: what it says, how long its diff is, what came out of it.
    pub(super) fn report(&mut self, message: &KeptText, diff: Option<&KeptText>, artifacts: &[Artifact]) -> &mut Self {
        self.kept("message", message).put("diffBytes", diff.map(bytes)).artifacts(artifacts)
    }

    pub(super) fn artifacts(&mut self, artifacts: &[Artifact]) -> &mut Self {
        if artifacts.is_empty() {
            return self;
        }
        let brief: Vec<Value> = artifacts
            .iter()
            .map(|artifact| {
                let mut data = Self::default();
                data.put("kind", artifact.kind).put("url", &artifact.url).put("path", &artifact.path);
                data.maybe_text("title", artifact.title.as_deref());
                data.put("textBytes", artifact.text.as_ref().map(String::len));
                Value::Object(data.0)
            })
            .collect();
        self.put("artifacts", brief)
    }

    pub(super) fn comment(&mut self, comment: &Comment) -> &mut Self {
        self.put("commentId", &comment.id)
            .put("kind", comment.kind)
            .put("from", &comment.from.display_name)
            .text("text", &comment.text)
            .put("file", &comment.file)
            .put("line", comment.line)
            .put("replyTo", &comment.reply_to)
    }
}

fn bytes(text: &KeptText) -> u64 {
    match text {
        KeptText::Inline { text, .. } => u64::try_from(text.len()).unwrap_or(u64::MAX),
        KeptText::Stored { bytes, .. } => *bytes,
    }
}
