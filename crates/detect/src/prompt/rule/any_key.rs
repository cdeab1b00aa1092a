//! Whether a key is named that has no letter: Enter, the space bar, any key.

use std::sync::LazyLock;

use super::super::line::words;
use crate::lexicon::{Lexicon, Lists};
use crate::lists::List;

/// `Strike a key`, `press <Space>`, `Drücken Sie die Eingabetaste`: a verb, and soon a key without a letter.
pub(super) fn names_any_key(lower: &str) -> bool {
    let mut said = words(lower).map(|word| PRESSING.lists_of(word));
    let pressed = said.by_ref().any(|lists| lists & PRESS != 0);
    pressed && said.take(4).any(|lists| lists & KEY != 0) || lower.contains("beliebiger taste")
}

const PRESS: Lists = 1;
const KEY: Lists = 1 << 1;

/// What is done to a key, and the keys that have no letter.
static PRESSING: LazyLock<Lexicon> = LazyLock::new(|| {
    static VERBS: List = List::of("any-key verbs");
    static KEYS: List = List::of("any-key keys");
    let verbs = VERBS.iter().copied().map(|word| (PRESS, word));
    Lexicon::new(verbs.chain(KEYS.iter().copied().map(|word| (KEY, word))))
});
