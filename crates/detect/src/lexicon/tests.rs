//! What `lexicon` does, tried.

use proptest::prelude::*;

use super::*;

#[test]
fn a_word_is_in_the_lists_that_have_it_or_what_it_begins_with() {
    let lexicon = Lexicon::new([(1, "remov*"), (2, "remove"), (4, "re"), (8, "rem*"), (16, "remove"), (32, "ä*")]);
    assert_eq!(lexicon.lists_of("remove"), 1 | 2 | 8 | 16);
    assert_eq!(lexicon.lists_of("removed"), 1 | 8);
    assert_eq!(lexicon.lists_of("remit"), 8);
    assert_eq!(lexicon.lists_of("re"), 4);
    assert_eq!(lexicon.lists_of("r"), 0);
    assert_eq!(lexicon.lists_of("zebra"), 0);
    assert_eq!(lexicon.lists_of("änderung"), 32);
    assert_eq!(Lexicon::new([]).lists_of("remove"), 0);
}

#[test]
fn a_stretch_is_found_wherever_it_stands() {
    let stretches = Stretches::new(["no way back", "für immer"]);
    assert!(stretches.any_in("there is no way back"));
    assert!(stretches.any_in("für immer weg"));
    assert!(!stretches.any_in("No way back, no way bac"));
    let stretches = Stretches::in_any_case(["pass", "clé"]);
    assert!(stretches.any_in(b"a PASSword \xff"));
    assert!(!stretches.any_in("pas sword, CLÉ"));
}

/// Some begin with others, one of another list is the same word, and one has all words.
const WORDS: [&str; 12] = ["*", "a*", "a", "ab", "ab*", "abab*", "abb", "b*", "ba", "bab*", "babb", "c"];

proptest! {
    #[test]
    fn it_says_what_asking_word_by_word_would_say(
        words in proptest::collection::vec((0_u32..8, proptest::sample::select(&WORDS[..])), 0..20),
        asked in "[abc]{0,6}",
    ) {
        let words: Vec<(Lists, &str)> = words.into_iter().map(|(list, word)| (1 << list, word)).collect();
        let has = |word: &str| match word.strip_suffix('*') {
            Some(beginning) => asked.starts_with(beginning),
            None => asked == word,
        };
        let lists = words.iter().filter(|(_, word)| has(word)).fold(0, |all, (list, _)| all | list);
        prop_assert_eq!(Lexicon::new(words).lists_of(&asked), lists);
    }
}
