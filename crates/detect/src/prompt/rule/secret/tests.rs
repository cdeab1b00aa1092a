//! What `secret` does, tried.

use std::collections::BTreeSet;

use super::*;

#[test]
fn whatever_names_a_secret_is_worth_a_closer_look() {
    for name in names().map(|name| name.trim_matches('*')) {
        assert!(may_name_secret(name.as_bytes()), "{name}");
        assert!(may_name_secret(format!("in a {} line", name.to_uppercase()).as_bytes()), "{name}");
        assert!(names_secret(name) && names_secret(&format!("in a {name}, there")), "{name}");
        assert!(!name.is_ascii() || name.len() <= LONGEST_CORE || section(PARTS).any(|part| name.contains(part)));
    }
    assert!(section(PARTS).all(|part| part.len() <= LONGEST_CORE));
    assert!(!may_name_secret(b"Compiling callboard v0.1.0"));
}

#[test]
fn the_names_are_of_many_languages() {
    let languages: BTreeSet<&str> = entries(SECRETS).map(|(section, _)| section).collect();
    assert!(languages.len() >= 80, "{languages:?}");
    assert!([PARTS, ABOUT, HARMLESS, HIDDEN].iter().all(|name| languages.contains(name)));
    assert!(names().all(|name| !name.trim_matches('*').is_empty()));
}
