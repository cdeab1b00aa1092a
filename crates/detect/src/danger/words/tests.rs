//! What `words` does, tried.

use super::*;

#[test]
fn every_list_of_a_language_has_a_place() {
    assert_eq!(LANGUAGES.len(), 14);
    for (section, _) in entries(PEOPLE) {
        let (_, list) = section.split_once(' ').unwrap();
        assert!(Language::default().list(list).is_some(), "[{section}]");
    }
}

#[test]
fn a_clause_that_is_not_looked_at_closely_has_no_word_that_counts() {
    for language in LANGUAGES.iter().filter(|language| language.unspaced.is_some()) {
        for word in [&language.strong[..], &language.weak, &language.last].concat() {
            assert!(has_unspaced(word), "`{word}` of `{}`", language.name);
        }
    }
    assert!(!has_unspaced("löschen, удалить … ─┤"));
}
