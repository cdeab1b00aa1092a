//! What `typing` does, tried.

use super::*;

fn typed(keys: &str) -> Keyed {
    let mut typing = Typing::default();
    let keyed: Vec<_> = keys.bytes().map(|byte| typing.key(byte)).filter(|keyed| *keyed != Keyed::More).collect();
    keyed.into_iter().next().unwrap_or(Keyed::More)
}

#[test]
fn a_line_is_what_stands_there_when_it_is_entered() {
    let line = |text: &str| Keyed::Entered(Some(text.to_owned()));
    assert_eq!(typed("yes\r"), line("yes"));
    assert_eq!(typed("nö\u{7f}o\n"), line("no"));
    assert_eq!(typed("wrong\u{15}right\r"), line("right"));
    assert_eq!(typed("one two\u{17}three\r"), line("one three"));
    assert_eq!(typed("\u{1b}[200~pasted\u{1b}[201~\r"), line("pasted"));
    assert_eq!(typed("\r"), line(""));
}

#[test]
fn keys_that_write_nothing_make_it_unknown() {
    assert_eq!(typed("\u{1b}[B\r"), Keyed::Entered(None));
    assert_eq!(typed("a\u{1b}OD\r"), Keyed::Entered(None));
    assert_eq!(typed("y\u{3}"), Keyed::GivenUp);
    assert_eq!(typed("y"), Keyed::More);
}

#[test]
fn what_a_terminal_sends_by_itself_is_told_from_keys() {
    for report in ["\u{1b}[24;80R", "\u{1b}[?62;22c", "\u{1b}[I", "\u{1b}]11;rgb:0/0/0\u{1b}\\", "\u{1b}[?1u\u{1b}[0n"]
    {
        assert!(is_report(report.as_bytes()), "{report:?}");
    }
    for keys in ["y", "\u{1b}", "\u{1b}[A", "\u{1b}OA", "\u{1b}[3~", "\u{1b}[Iy", ""] {
        assert!(!is_report(keys.as_bytes()), "{keys:?}");
    }
}
