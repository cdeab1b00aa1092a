//! What asks for nothing, and what does.

use std::collections::BTreeSet;

use super::{WORDS, is_thanks};

#[test]
fn thanks_ask_for_nothing_and_all_else_does() {
    for text in ["thanks!", "Thank you so much! 🎉", "👍", "Great work, all good.", "Danke", ""] {
        assert!(is_thanks(text), "{text}");
    }
    for text in ["and now?", "add a button", "great, but not on my phone", "thanks, now test it", "ok?"] {
        assert!(!is_thanks(text), "{text}");
    }
}

#[test]
fn each_word_stands_there_once_in_small_letters() {
    let words: Vec<_> = WORDS.split_whitespace().collect();
    assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len());
    assert!(words.iter().all(|word| word.chars().all(char::is_lowercase)), "{words:?}");
}
