//! What `picture` does, tried.

use super::{Colour, Run};
use crate::terminal::{Terminal, TerminalSize};

fn plain(text: &str) -> Run {
    Run { text: text.to_owned(), ..Run::default() }
}

#[test]
fn cells_that_look_alike_are_one_run_and_empty_ends_are_left_out() {
    let mut terminal = Terminal::new(TerminalSize::new(5, 30), 100);
    terminal.feed(b"a \x1b[1;31mred\x1b[0m b   \r\n\x1b[44m  \x1b[0m\r\n\r\n\x1b[38;2;1;2;3mx\x1b[7my\x1b[0m\r\n");
    let picture = terminal.picture();
    let red = Run { fg: Some(Colour::Index(1)), bold: true, ..plain("red") };
    let rgb = |text, inverse| Run { fg: Some(Colour::Rgb(1, 2, 3)), inverse, ..plain(text) };
    assert_eq!(picture.lines_above, 0);
    assert_eq!(
        picture.rows,
        [
            vec![plain("a "), red, plain(" b")],
            vec![Run { bg: Some(Colour::Index(4)), ..plain("  ") }],
            vec![],
            vec![rgb("x", false), rgb("y", true)],
        ]
    );
}

#[test]
fn nothing_of_a_hostile_program_is_in_it_but_letters() {
    let mut terminal = Terminal::new(TerminalSize::new(4, 60), 100);
    terminal
        .feed("\x1b]0;title\x07\x1b]52;c;eA==\x07\x1b]8;;javascript:1\x07a\u{202e}b\x1b]8;;\x07\x1b[6nc".as_bytes());
    assert_eq!(terminal.picture().rows, [vec![plain("abc")]]);
}

#[test]
fn together_with_the_lines_above_it_says_what_the_transcript_says() {
    let mut terminal = Terminal::new(TerminalSize::new(3, 10), 100);
    terminal.feed(b"one\r\ntwo\r\nthis-line-is-longer-than-the-screen\r\nend");
    let (picture, text) = (terminal.picture(), terminal.transcript());
    let above: String = text.split_inclusive('\n').take(picture.lines_above).collect();
    assert_eq!((above.as_str(), picture.lines_above), ("one\ntwo\nthis-line-is-longer-\n", 3));
    let rows: String = picture.rows.iter().flatten().map(|run| run.text.as_str()).collect();
    assert_eq!(rows, text[above.len()..].replace('\n', ""));
}
