//! What `charset` does, tried.

use proptest::prelude::*;

use super::*;

fn shown(text: &str) -> String {
    String::from_utf8(Charsets::default().translate(text.as_bytes()).into_owned()).unwrap()
}

#[test]
fn frames_of_letters_are_frames() {
    for (sent, drawn) in [
        ("\x1b(0lqqk\x1b(B one q", "\x1b(0┌──┐\x1b(B one q"),
        ("\x1b)0one q\x0ex q\x0fx", "\x1b)0one q\x0e│ ─\x0fx"),
        // Sequences keep their letters: colours, positions, titles, other strings.
        ("\x1b(0q\x1b[1;31mq\x1b[5;2Hx", "\x1b(0─\x1b[1;31m─\x1b[5;2H│"),
        ("\x1b(0\x1b]0;quux\x07q\x1b]2;quux\x1b\\q", "\x1b(0\x1b]0;quux\x07─\x1b]2;quux\x1b\\─"),
        ("\x1b(0\x1bPquux\x07q\x1b\\q", "\x1b(0\x1bPquux\x07q\x1b\\─"),
        ("\x1b(0\x1b]0;quux\x18q", "\x1b(0\x1b]0;quux\x18─"),
        // A shift within a sequence acts, and within a title does not.
        ("\x1b)0\x1b[1\x0emq\x0fq", "\x1b)0\x1b[1\x0em─\x0fq"),
        ("\x1b)0\x1b]0;\x0e\x07q", "\x1b)0\x1b]0;\x0e\x07q"),
        // Another set than these two, and another kind of sequence.
        ("\x1b*0q\x1b(Aq\x1b(!0q\x1b#0q", "\x1b*0q\x1b(Aq\x1b(!0q\x1b#0q"),
        // Kept, fetched, and switched on anew.
        ("\x1b(0\x1b7\x1b(Bq\x1b8q\x1bcq", "\x1b(0\x1b7\x1b(Bq\x1b8─\x1bcq"),
        ("\x1b\x0d(0q", "\x1b\x0d(0─"),
        ("\x1b\x7f(0q", "\x1b\x7f(0─"),
        ("\x1b(0q\x1b[!pq", "\x1b(0─\x1b[!pq"),
        ("\x1b[?1049h\x1b(0q\x1b[?1049lq", "\x1b[?1049h\x1b(0─\x1b[?1049lq"),
        ("\x1b[s\x1b(0q\x1b[uq", "\x1b[s\x1b(0─\x1b[uq"),
        ("\x1b(0\x1b[?25l\x1b[1;4sq\x1b[?1049;1lq", "\x1b(0\x1b[?25l\x1b[1;4s─\x1b[?1049;1l─"),
        // What is no letter stays.
        ("\x1b(0ABC 1+é_~\r\n", "\x1b(0ABC 1+é ·\r\n"),
    ] {
        assert_eq!(shown(sent), drawn, "{sent:?}");
    }
}

#[test]
fn what_draws_no_frames_is_not_copied() {
    let mut sets = Charsets::default();
    for text in ["plain q", "\x1b[1mq\x1b(B\x1b[m", "\x1b7q\x1b8", "\x1b]0;q"] {
        assert!(matches!(sets.translate(text.as_bytes()), Cow::Borrowed(_)), "{text:?}");
    }
    assert_eq!(sets.state, State::Title);
}

proptest! {
    #[test]
    fn where_it_is_cut_makes_no_difference(
        text in "([q_x7c80B(){}\\[\\]P\\\\!p?suhl\x07\x0d\x0e\x0f\x18\x7fé]|\x1b|\x1b\\(0|\x1b\\[\\?1049){0,40}",
        cut in 0_usize..60,
    ) {
        let bytes = text.as_bytes();
        let (head, tail) = bytes.split_at(cut.min(bytes.len()));
        let (mut whole, mut parts) = (Charsets::default(), Charsets::default());
        let at_once = whole.translate(bytes).into_owned();
        let mut in_two = parts.translate(head).into_owned();
        in_two.extend_from_slice(&parts.translate(tail));
        prop_assert_eq!(at_once, in_two);
        prop_assert_eq!(whole, parts);
    }
}
