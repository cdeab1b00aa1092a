//! To leave what was changed since it was saved: `Buffer modified; kill anyway?`, `Quit without saving?`.

use super::super::clause::{Clause, clauses};
use crate::lists::List;

static LEAVE: List = List::of("unsaved leave");
/// Go on to something else, which takes its place.
static GO_ON: List = List::of("unsaved go-on");
static UNSAVED: List = List::of("unsaved unsaved");
/// How it is said that something was changed: it may be kept all the same.
static CHANGED: List = List::of("unsaved changed");

/// Whether a text asks for leave to lose what was typed. What says so may stand in the row above the question.
pub fn leaves_unsaved(text: &str) -> bool {
    said(&text.to_lowercase()).is_some()
}

pub(super) fn said(spoken: &str) -> Option<String> {
    let in_it = |list: &[&'static str]| list.iter().copied().find(|words| spoken.contains(words));
    let loses = in_it(&["without saving", "without writing"]);
    let (unsaved, changed) = (in_it(&UNSAVED), in_it(&CHANGED));
    // Most texts say nothing of it.
    loses.or(unsaved).or(changed)?;
    let clauses = clauses(spoken);
    let has = |list: &[&str]| clauses.iter().any(|clause| clause.words.iter().any(|word| list.contains(word)));
    let asks =
        !clauses.iter().any(saves) || ["anyway", "really", "any way", "lose"].iter().any(|it| spoken.contains(it));
    let leaves = has(&LEAVE);
    let lost = unsaved.filter(|_| asks && (leaves || has(&GO_ON)));
    loses.or(changed.filter(|_| asks)).filter(|_| leaves).or(lost).map(str::to_owned)
}

/// `Save it first?`
fn saves(clause: &Clause<'_>) -> bool {
    clause.words.contains(&"save")
}
