//! Clauses that say that there is no way back: `cannot be undone`, `can never be changed later`.

use crate::lists::List;

static BACK: List = List::of("no-return back");
/// What it would have to be for somebody to use it.
static OF_USE: List = List::of("no-return of-use");
/// A time when it is too late.
static LATER: List = List::of("no-return later");
/// What somebody will not be able to do, once it is too late.
static UNABLE: List = List::of("no-return unable");

/// What opens something else. `passwords … if you forget them`
static SECRET: List = List::of("no-return secret");

/// How many words before and behind are looked at.
const NEAR: usize = 8;

pub(super) fn said(words: &[&str]) -> Option<String> {
    let mut at = words.iter().enumerate().filter(|(_, word)| **word == "be").map(|(at, _)| at);
    at.find_map(|be| {
        let from = be.saturating_sub(NEAR);
        let to = words.len().min(be + NEAR);
        around(&words[from..be], &words[be + 1..to.max(be + 1)])
    })
}

/// `If you lose the key, …`, `losing your password means …`: what is true of every secret, and happens to none now.
pub(super) fn of_a_secret(words: &[&str]) -> bool {
    let loses = |word: &str| matches!(word, "lose" | "forget" | "misplace");
    let supposed = words.windows(3).any(|near| matches!(near[0], "if" | "when" | "should") && loses(near[2]));
    let told = words.first().is_some_and(|word| matches!(*word, "losing" | "forgetting"));
    (supposed || told) && words.iter().any(|word| SECRET.contains(word))
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
    if let ["to", verb, ..] = rest {
        let unable = not && *what == "able" && UNABLE.contains(verb);
        return unable.then(|| format!("not be able to {verb}"));
    }
    let late = || rest.iter().any(|word| LATER.contains(word));
    let shown = matches!(*what, "shown" | "displayed" | "seen" | "viewed" | "printed");
    let said = cannot && (BACK.contains(what) || late() && !shown) || not && OF_USE.contains(what);
    said.then(|| format!("not be {what}"))
}
