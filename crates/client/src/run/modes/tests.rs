//! What `modes` does, tried.

use super::*;

fn put_back(pieces: &[&[u8]]) -> String {
    let mut modes = Modes::default();
    pieces.iter().for_each(|piece| modes.read(piece));
    String::from_utf8(modes.put_back()).unwrap()
}

#[test]
fn what_was_left_on_is_put_back_and_nothing_else() {
    assert_eq!(put_back(&[b"plain \x1b[31mred\x1b[0m \x1b[2J\x1b[10;3H"]), "");
    assert_eq!(put_back(&[b"\x1b[?1049h\x1b[?25l\x1b[?1000;1006h"]), "\x1b[?1000l\x1b[?1006l\x1b[?25h\x1b[?1049l");
    assert_eq!(put_back(&[b"\x1b[?1049h\x1b[?25l\x1b[?25h\x1b[?1049l"]), "", "it did so itself");
    assert_eq!(put_back(&[b"\x1b[?1049h\x1bc"]), "", "it was switched off and on");
}

#[test]
fn a_sequence_may_come_in_pieces_and_a_broken_one_is_none() {
    assert_eq!(put_back(&[b"\x1b", b"[?2", b"004", b"h"]), "\x1b[?2004l");
    assert_eq!(put_back(&[b"\x1b[?1049\x1b[?2004h"]), "\x1b[?2004l");
    assert_eq!(put_back(&[b"\x1b[?1049 h", b"\x1b[1049h", b"\x1b]?1049h"]), "");
    let long = format!("\x1b[?{}1049h", "1;".repeat(LONGEST));
    assert_eq!(put_back(&[long.as_bytes()]), "");
}
