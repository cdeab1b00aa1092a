//! What `child_process` does, tried.

use super::*;

#[test]
fn a_key_behind_the_one_that_quotes_is_a_letter() {
    const SUSPEND: u8 = 0x1a;
    const QUOTE: u8 = 0x16;
    assert!(holds_the_key(b"ab\x1a", SUSPEND, Some(QUOTE)));
    assert!(!holds_the_key(b"ab\x16\x1a", SUSPEND, Some(QUOTE)));
    assert!(holds_the_key(b"\x16\x16\x1a", SUSPEND, Some(QUOTE)), "the quoted one is the quote");
    assert!(holds_the_key(b"\x16\x1a", SUSPEND, None));
    assert!(!holds_the_key(b"ab", SUSPEND, Some(QUOTE)));
}
