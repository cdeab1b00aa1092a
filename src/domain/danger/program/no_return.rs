//! Clauses that say that there is no way back, in whatever words: `cannot be undone`, `can never be changed later`,
//! `will no longer be accessible`.

/// What would bring it back.
const BACK: [&str; 13] = [
    "undone",
    "reversed",
    "reverted",
    "recovered",
    "restored",
    "retrieved",
    "regained",
    "reclaimed",
    "recalled",
    "reconstructed",
    "rolled",
    "unsent",
    "refunded",
];
/// What it would have to be for somebody to use it.
const OF_USE: [&str; 6] = ["accessible", "usable", "readable", "bootable", "recoverable", "reachable"];
/// A time when it is too late.
const LATER: [&str; 6] = ["later", "afterwards", "afterward", "anymore", "back", "again"];

/// How many words before and behind are looked at.
const NEAR: usize = 8;

/// The words that say so, if there are any.
pub(super) fn said(words: &[&str]) -> Option<String> {
    let mut at = words.iter().enumerate().filter(|(_, word)| **word == "be").map(|(at, _)| at);
    at.find_map(|be| {
        let from = be.saturating_sub(NEAR);
        let to = words.len().min(be + NEAR);
        around(&words[from..be], &words[be + 1..to.max(be + 1)])
    })
}

fn around(before: &[&str], after: &[&str]) -> Option<String> {
    let nothing = || before.iter().any(|word| matches!(*word, "nothing" | "none" | "neither"));
    let cannot = match before {
        [.., "cannot" | "can't" | "can’t"] | [.., "can", "not" | "never"] => true,
        [.., "can"] => nothing(),
        _ => false,
    };
    let not = cannot || matches!(before, [.., "not" | "never"] | [.., "no", "longer"]);
    let adverb = after.first().is_some_and(|word| word.ends_with("ly"));
    let (what, rest) = after.get(usize::from(adverb)..)?.split_first()?;
    let late = || rest.iter().any(|word| LATER.contains(word));
    let said = cannot && (BACK.contains(what) || late()) || not && OF_USE.contains(what);
    said.then(|| format!("not be {what}"))
}
