//! Texts on their way in: held to their limit, cleaned, and kept apart when they are long.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::key::hex;
use super::refusal::{Refusal, Result};
use super::refuse;
use crate::actors::HubRef;
use crate::domain::task::KeptText;
use crate::domain::text::{check_link, clean, cut};
use crate::ids::Ids;
use crate::journal::{Blob, ReadError, Reader};

/// The longest prompt, question, answer or message, in bytes.
pub(super) const TEXT_LIMIT: usize = 64 * 1024;

/// The longest message to another agent, in bytes: it is told as a notice, beside whatever else an answer has.
pub(super) const NOTICE_LIMIT: usize = 16 * 1024;

/// The longest line, as a title or a reason, in bytes.
pub(crate) const LINE_LIMIT: usize = 4 * 1024;

/// The longest result, in bytes: message, diff and the texts of artifacts in all.
pub(super) const RESULT_LIMIT: usize = 8 * 1024 * 1024;

/// How much of a text that is kept apart stays with the state, in bytes.
const HEAD: usize = 1024;

/// A text within `limit` bytes, cleaned.
pub(super) fn text(verb: &'static str, field: &str, given: &str, limit: usize) -> Result<String> {
    if given.len() > limit {
        return Err(refuse::too_long(verb, field, given.len(), limit));
    }
    // Normalisation may lengthen a text: what was within its limit stays whole.
    Ok(clean(given, limit.saturating_mul(3)).text)
}

/// The same for a text that must say something.
pub(super) fn words(verb: &'static str, field: &str, given: &str, limit: usize) -> Result<String> {
    let text = text(verb, field, given, limit)?;
    if text.trim().is_empty() { Err(refuse::bad_argument(verb, field, "must not be empty")) } else { Ok(text) }
}

/// The same for a text that may be absent; an empty one is.
pub(super) fn maybe(verb: &'static str, field: &str, given: Option<&str>, limit: usize) -> Result<Option<String>> {
    let text = given.map(|given| text(verb, field, given, limit)).transpose()?;
    Ok(text.filter(|text| !text.trim().is_empty()))
}

/// The same for a link that somebody will click on: an absolute one of the web.
pub(super) fn link(verb: &'static str, field: &str, given: Option<&str>) -> Result<Option<String>> {
    let Some(text) = maybe(verb, field, given, LINE_LIMIT)? else { return Ok(None) };
    let text = text.trim();
    check_link(text)
        .map_err(|error| Refusal::new("LINK_INVALID", format!("{verb}: `{field}` {error}")).detail("field", field))?;
    Ok(Some(text.to_owned()))
}

/// A JSON value within `limit` bytes, as it would be written; what hides in its texts and names is dropped.
pub(super) fn value(verb: &'static str, field: &str, given: Option<Value>, limit: usize) -> Result<Option<Value>> {
    let bytes = given.as_ref().map_or(0, |value| value.to_string().len());
    if bytes > limit { Err(refuse::too_long(verb, field, bytes, limit)) } else { Ok(given.map(cleaned)) }
}

/// As deep as the parser let it be.
fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text, usize::MAX).text),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (clean(&name, usize::MAX).text, cleaned(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// A text whole, wherever it is kept; what is left of it if its blob is gone.
pub fn whole_text(reader: &dyn Reader, text: &KeptText) -> Result<String, ReadError> {
    match text {
        KeptText::Inline { text, .. } => Ok(text.clone()),
        KeptText::Stored { blob, head, .. } => Ok(reader.blob(blob)?.unwrap_or_else(|| head.clone())),
    }
}

/// The same from the hub's journal, which is read only for a text that is kept apart. Fails as [`whole_text`] does.
pub async fn read_whole_text(hub: &HubRef, text: &KeptText) -> Result<String, ReadError> {
    let text = text.clone();
    match text {
        KeptText::Inline { text, .. } => Ok(text),
        KeptText::Stored { .. } => hub.journal.read(move |reader| whole_text(reader, &text)).await,
    }
}

/// A text as the state keeps it; a long one goes into `blobs`.
pub(super) fn keep(ids: &Ids, text: String, blobs: &mut Vec<Blob>) -> KeptText {
    if text.len() <= KeptText::INLINE_LIMIT {
        return KeptText::inline(text);
    }
    keep_apart(ids, text, blobs)
}

/// A text that is kept apart however short it is: two states mention it, and neither holds it.
pub(super) fn keep_apart(ids: &Ids, text: String, blobs: &mut Vec<Blob>) -> KeptText {
    let id = ids.blob();
    let digest = hex(&Sha256::digest(text.as_bytes()));
    let kept = KeptText::Stored {
        blob: id.clone(),
        head: cut(&text, HEAD).to_owned(),
        bytes: u64::try_from(text.len()).unwrap_or(u64::MAX),
        digest,
        sanitized: None,
    };
    blobs.push(Blob { id, text });
    kept
}

#[cfg(test)]
mod tests;
