//! A comment in the payload of a tracker that nobody here knows: its settings say where each thing stands.

use serde_json::Value;

use super::not_taken::NotTaken;
use crate::domain::hook::{HookEvent, ItemComment};
use crate::domain::text::clean;
use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;
use crate::settings::HookFields;

/// The longest text that is kept of a comment, in bytes.
pub(super) const LONGEST: usize = 64 * 1024;
/// The longest name of an author that is kept, in bytes.
const LONGEST_NAME: usize = 200;

/// The comment; none where the payload is about something else.
pub(super) fn heard(fields: &HookFields, payload: &Value) -> Result<Option<HookEvent>, NotTaken> {
    if find(payload, &fields.kind).and_then(Value::as_str) != Some(fields.comment.as_str()) {
        return Ok(None);
    }
    // A number is an id, too.
    let number = |path: &str| find(payload, path).and_then(Value::as_u64).map(|number| number.to_string());
    let item = match number(&fields.item) {
        Some(number) => number,
        None => said(payload, &fields.item)?.to_owned(),
    };
    let at = if fields.at.is_empty() { None } else { find(payload, &fields.at) };
    let id = number(&fields.id).or_else(|| find(payload, &fields.id)?.as_str().map(str::to_owned));
    let comment = ItemComment {
        item: item_of(&fields.item, &item)?,
        id: id.filter(|id| (1..=LONGEST_NAME).contains(&id.len())),
        edited: false,
        author: author(&fields.author, said(payload, &fields.author)?)?,
        by_program: false,
        text: comment_text(said(payload, &fields.text)?),
        at: at.and_then(Value::as_str).and_then(Timestamp::parse),
    };
    Ok(Some(HookEvent::Comment { comment: Box::new(comment) }))
}

/// A text at a path. Fails when there is none.
pub(super) fn said<'a>(payload: &'a Value, path: &str) -> Result<&'a str, NotTaken> {
    let wrong = |what: &str| NotTaken::Field { field: path.to_owned(), what: what.to_owned() };
    let found = find(payload, path).ok_or_else(|| wrong("is missing"))?;
    found.as_str().filter(|text| !text.trim().is_empty()).ok_or_else(|| wrong("must be a text, and not empty"))
}

pub(super) fn find<'a>(payload: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(payload, |inside, key| inside.get(key))
}

pub(super) fn item_of(field: &str, name: &str) -> Result<WorkItem, NotTaken> {
    WorkItem::parse(name).map_err(|error| NotTaken::Field { field: field.to_owned(), what: error.to_string() })
}

pub(crate) fn comment_text(given: &str) -> String {
    clean(given.trim(), LONGEST).text
}

/// An author's name as it is compared and kept: whole, in one line.
pub(super) fn author(field: &str, given: &str) -> Result<String, NotTaken> {
    let name = clean(given.trim(), LONGEST_NAME);
    if name.text.is_empty() || !name.is_untouched() || name.text.chars().any(char::is_control) {
        let what = "must be a name of at most 200 bytes in one line".to_owned();
        return Err(NotTaken::Field { field: field.to_owned(), what });
    }
    Ok(name.text)
}
