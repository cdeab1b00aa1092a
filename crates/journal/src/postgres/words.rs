//! The words of a text, cut as the index of the other engine cuts them (`unicode61`): lower case, without diacritics,
//! split at whatever is no letter and no digit. A question of several words finds the same texts in both, but for one
//! that is itself cut into several (`foo-bar`): there they are a phrase, and here any order will do.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// A longer word is found by its beginning. PostgreSQL takes no more than 2,046 bytes.
const LONGEST: usize = 64;

/// So many bytes of words are kept of one text. PostgreSQL takes no more than 1 MiB, its own bookkeeping included.
const MOST_BYTES: usize = 256 * 1024;

fn cut(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let (mut word, mut bytes) = (String::new(), 0);
    let plain = text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).chain([' ']);
    for c in plain {
        if c.is_alphanumeric() {
            if word.len() < LONGEST {
                word.push(c);
            }
        } else if !word.is_empty() {
            let done = std::mem::take(&mut word);
            bytes += done.len();
            if bytes <= MOST_BYTES {
                words.insert(done);
            }
        }
    }
    words
}

/// The words of a text as a `tsvector` is written; none where there are none. They hold nothing that has to be escaped.
pub(super) fn vector(text: &str) -> Option<String> {
    let words = cut(text);
    (!words.is_empty()).then(|| words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "))
}

/// One word of a question as a `tsquery` is written, taken as a beginning; none where it holds no letter and no digit.
pub(super) fn question(word: &str) -> Option<String> {
    let words = cut(word);
    (!words.is_empty()).then(|| words.iter().map(|word| format!("'{word}':*")).collect::<Vec<_>>().join(" & "))
}

#[cfg(test)]
mod tests;
