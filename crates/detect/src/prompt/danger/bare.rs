//! Whether a question names its subject itself, or only refers to what stands above it.

use std::sync::LazyLock;

use super::super::line::words;
use crate::lexicon::Lexicon;
use crate::lists::List;

/// Words that say nothing of what will be done.
static EMPTY: List = List::of("bare empty");

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(EMPTY.iter().copied().map(|word| (1, word))));

/// Whether a question has nothing but such words: `Are you sure you want to continue? [y/N]`. The name of a program
/// whose run is to be allowed says little, too: `Allow execution of: 'rm'?`.
pub(super) fn is_bare(question: &str) -> bool {
    let lower = question.to_lowercase();
    let asked = lower.strip_prefix("allow execution of: '").map_or(lower.as_str(), |_| "allow execution");
    words(asked).all(|word| LEXICON.lists_of(word) != 0)
}
