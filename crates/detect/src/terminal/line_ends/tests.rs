//! What `line_ends` does, tried.

use super::*;

fn mended(pieces: &[&str]) -> String {
    let mut ends = LineEnds::default();
    pieces.iter().map(|piece| String::from_utf8(ends.mend(piece.as_bytes()).into_owned()).unwrap()).collect()
}

#[test]
fn a_log_gets_the_line_ends_of_a_terminal_and_a_terminal_keeps_its_own() {
    assert_eq!(mended(&["one\ntwo\n", "\nthree"]), "one\r\ntwo\r\n\r\nthree");
    assert_eq!(mended(&["one\r\ntwo\nthree"]), "one\r\ntwo\nthree");
    assert_eq!(mended(&["one\r", "\ntwo\n"]), "one\r\ntwo\n", "cut between the two");
    assert_eq!(mended(&["a\nb\r\nc\nd"]), "a\r\nb\r\nc\nd", "from there on it is a terminal's");
}
