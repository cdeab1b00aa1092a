//! What `texts` does, tried.

use serde_json::json;

use super::*;

#[test]
fn a_long_text_is_kept_apart_and_known_by_its_digest() {
    let (ids, mut blobs) = (Ids::seeded(1), Vec::new());
    let long = "x".repeat(KeptText::INLINE_LIMIT + 1);
    let (once, twice) = (keep(&ids, long.clone(), &mut blobs), keep(&ids, long.clone(), &mut blobs));
    assert!(once.same_as(&twice), "two blobs, one text");
    assert_eq!(once.head().len(), HEAD);
    assert_eq!(blobs.iter().map(|blob| blob.text.len()).collect::<Vec<_>>(), [long.len(), long.len()]);
}

#[test]
fn a_text_at_its_limit_passes_and_one_byte_more_is_refused_with_the_limit() {
    assert!(text("send_message", "text", &"x".repeat(10), 10).is_ok());
    let refusal = text("send_message", "text", &"x".repeat(11), 10).expect_err("too long");
    assert_eq!(refusal.code, "TEXT_TOO_LONG");
    assert!(refusal.message.contains("`text` has 11 bytes; 10 is the most"), "{}", refusal.message);
}

#[test]
fn what_hides_in_a_value_is_dropped_from_texts_and_names_alike() {
    let given = json!({"k\u{9b}31m": ["a\u{9d}52;c;x\u{9c}b", 1, null, {"\u{202e}n": "\u{200b}z", "ok": true}]});
    let kept = value("assign_task", "context", Some(given), 1000).expect("short").expect("given");
    assert_eq!(kept, json!({"k": ["ab", 1, null, {"n": "z", "ok": true}]}));
}

#[test]
fn what_hides_in_a_text_is_dropped() {
    assert_eq!(text("send_message", "text", "a\u{202e}b\u{0}c", 100).expect("short"), "abc");
}
