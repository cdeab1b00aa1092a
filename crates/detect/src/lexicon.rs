//! Words that are asked for often: one search says of all lists at once in which of them a word is.
//!
//! The words of all lists lie in one sorted row. All that a word begins with stands before it in that row, and each of
//! these begins with the one before: so it takes one search by halves, and then a few steps back, from `removed` to
//! `rem…`, each to the next shorter beginning.
//!
//! Stretches of text, which may stand anywhere, are all looked for in one pass.
//!
//! List by list, a look at a recorded screen took more than twice the instructions.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

/// The lists that a word is in, one bit for each.
pub type Lists = u64;

/// The words of up to 64 lists. `*` at the end of a word stands for any ending.
#[derive(Debug)]
pub struct Lexicon {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    text: &'static str,
    whole: Lists,
    /// The lists that have whatever begins so, or with what this begins with.
    beginning: Lists,
    /// The longest other entry that this one begins with.
    shorter: Option<usize>,
}

impl Lexicon {
    /// The words of these lists, in any order and as often as they come.
    pub fn new(words: impl IntoIterator<Item = (Lists, &'static str)>) -> Self {
        let named = words.into_iter().map(|(lists, word)| match word.strip_suffix('*') {
            Some(text) => Entry { text, whole: 0, beginning: lists, shorter: None },
            None => Entry { text: word, whole: lists, beginning: 0, shorter: None },
        });
        let mut entries: Vec<Entry> = named.collect();
        entries.sort_by_key(|entry| entry.text);
        entries.dedup_by(|more, entry| {
            let same = more.text == entry.text;
            if same {
                entry.whole |= more.whole;
                entry.beginning |= more.beginning;
            }
            same
        });
        for at in 1..entries.len() {
            let (before, from) = entries.split_at_mut(at);
            let entry = &mut from[0];
            let mut shorter = Some(at - 1);
            while let Some(candidate) = shorter.filter(|candidate| !entry.text.starts_with(before[*candidate].text)) {
                shorter = before[candidate].shorter;
            }
            entry.shorter = shorter;
            entry.beginning |= shorter.map_or(0, |shorter| before[shorter].beginning);
        }
        Self { entries }
    }

    pub fn lists_of(&self, word: &str) -> Lists {
        let mut next = self.entries.partition_point(|entry| entry.text <= word).checked_sub(1);
        while let Some(entry) = next.and_then(|at| self.entries.get(at)) {
            if entry.text == word {
                return entry.whole | entry.beginning;
            }
            if word.starts_with(entry.text) {
                return entry.beginning;
            }
            next = entry.shorter;
        }
        0
    }
}

/// Stretches of text that are looked for together: it takes one pass, however many they are.
#[derive(Debug)]
pub struct Stretches {
    searcher: AhoCorasick,
}

impl Stretches {
    /// These, to the letter.
    pub fn new(stretches: impl IntoIterator<Item = &'static str>) -> Self {
        Self::built(&mut AhoCorasick::builder(), stretches)
    }

    /// These, whatever the case of the letters a to z.
    pub fn in_any_case(stretches: impl IntoIterator<Item = &'static str>) -> Self {
        Self::built(AhoCorasick::builder().ascii_case_insensitive(true), stretches)
    }

    #[expect(clippy::expect_used, reason = "the lists are constants, and far from the two thousand million that fit")]
    fn built(builder: &mut AhoCorasickBuilder, stretches: impl IntoIterator<Item = &'static str>) -> Self {
        Self { searcher: builder.build(stretches).expect("a list of stretches fits into a searcher") }
    }

    pub fn any_in(&self, text: impl AsRef<[u8]>) -> bool {
        self.searcher.is_match(text.as_ref())
    }
}

#[cfg(test)]
mod tests;
