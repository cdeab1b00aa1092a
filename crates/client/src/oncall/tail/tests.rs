//! What `tail` does, tried.

use proptest::prelude::*;

use super::*;

fn token() -> RunToken {
    RunToken("odd token".to_owned())
}

fn tail(parts: &[&[u8]]) -> Option<String> {
    let mut tail = Tail::default();
    parts.iter().for_each(|part| tail.take(part));
    tail.shown(&token())
}

#[test]
fn the_end_is_shown() {
    assert_eq!(tail(&[]), None);
    assert_eq!(tail(&[b" \n"]), None);
    assert_eq!(tail(&[b"one\n", b"two\n"]).as_deref(), Some("one\ntwo"));
    let long = "é é".repeat(HELD);
    let shown = tail(&[long.as_bytes(), b"end"]).unwrap();
    assert!(shown.len() <= SHOWN && shown.ends_with("éend"), "{} bytes", shown.len());
    assert_eq!(tail(&[&[b'x'; HELD + 1]]), None, "a word of which the beginning is lost");
}

#[test]
fn secrets_are_not_shown() {
    let secret = format!("cb_r_{}", "a1".repeat(20));
    assert_eq!(tail(&[b"by odd to", b"ken"]).as_deref(), Some("by [secret]"));
    assert_eq!(tail(&[format!("x {secret} y").as_bytes()]).as_deref(), Some("x [secret] y"));
    let hidden = format!("x cb_r_{}\u{200b}{} y", "a1".repeat(5), "b2".repeat(15));
    assert_eq!(tail(&[hidden.as_bytes()]).as_deref(), Some("x [secret] y"), "behind what is not seen");
    let invisible = format!("{secret} {}end", "\u{1b}[0m".repeat(HELD / 4 - 10));
    assert_eq!(tail(&[invisible.as_bytes()]).as_deref(), Some("end"), "half a secret at the beginning");
    // The cut lies within the secret.
    let around = format!("{}{secret} {}", "x ".repeat(100), "y".repeat(SHOWN - 20));
    assert!(!tail(&[around.as_bytes()]).unwrap().contains("a1a1"), "no part of it");
}

proptest! {
    #[test]
    fn any_bytes_in_any_parts_are_one_tail(
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
        cuts in proptest::collection::vec(1_usize..50, 1..20),
    ) {
        let mut parts = Tail::default();
        let (mut rest, mut cuts) = (bytes.as_slice(), cuts.iter().cycle());
        while !rest.is_empty() {
            let (part, more) = rest.split_at(rest.len().min(*cuts.next().unwrap()));
            parts.take(part);
            rest = more;
        }
        let mut whole = Tail::default();
        whole.take(&bytes);
        let shown = whole.shown(&token());
        prop_assert_eq!(&parts.shown(&token()), &shown);
        let is_fit = shown.is_none_or(|shown| !shown.contains('\u{1b}') && shown.len() <= SHOWN);
        prop_assert!(is_fit);
    }
}
