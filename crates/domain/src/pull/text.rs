//! What stands on the forge beside an agent's own words.

use crate::ids::PullId;
use crate::text::{for_forge, quoted, shorten};
use crate::work_item::WorkItem;

/// The longest title, in characters: what the strictest of the forges takes.
const TITLE: usize = 255;
/// The longest work item, in characters: see [`WorkItem::parse`].
const ITEM: usize = 200;

/// What the text on the forge carries: who finds it there knows which pull request of the hub this is.
pub fn mark(id: &PullId) -> String {
    format!("<!-- callboard {id} -->")
}

/// A title that calls nobody and closes nothing on a forge.
pub fn quiet_title(title: &str) -> String {
    let quiet = for_forge(title);
    if quiet.len() == title.len() { quiet } else { shorten(&quiet, TITLE) }
}

/// A text with a line that names its work item, which forges show as a link. A text that has that line stays as it is.
///
/// The line closes nothing on a merge: whether the work is done is said by `complete_task`.
pub fn with_work_item(body: &str, item: Option<&WorkItem>) -> String {
    let Some(item) = item else { return body.to_owned() };
    let plain = |c: char| c.is_alphanumeric() || "._-/#".contains(c);
    let name = item.as_str();
    // Whatever else may stand in a tracker's id would call people or begin markup.
    let shown = if name.chars().all(plain) { name.to_owned() } else { quoted(name, ITEM) };
    let line = format!("Work item: {shown}");
    if body.lines().any(|known| known.trim() == line) {
        return body.to_owned();
    }
    let body = body.trim_end();
    if body.is_empty() { line } else { format!("{body}\n\n{line}") }
}
