//! What `words` does, tried.

use super::*;

#[test]
fn words_are_cut_as_the_other_engine_cuts_them() {
    assert_eq!(vector("Mind the HÖHLE, mind: v2!").as_deref(), Some("'hohle' 'mind' 'the' 'v2'"));
    assert_eq!(vector(" -- \u{301}"), None);
    assert_eq!(question("a\"b").as_deref(), Some("'a':* & 'b':*"));
    assert_eq!(question("'; DROP").as_deref(), Some("'drop':*"));
    let long = "ä".repeat(10_000);
    assert_eq!(vector(&long).map(|text| text.len()), Some(LONGEST + 2));
    let much = (0..100_000).map(|n| format!("word{n} ")).collect::<String>();
    assert!(vector(&much).is_some_and(|text| text.len() < 1024 * 1024));
}
