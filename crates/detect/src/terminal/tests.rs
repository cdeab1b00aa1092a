//! What a terminal must survive, what it must not do, and what it keeps.

use proptest::prelude::*;

use super::*;
use crate::prompt::{Host, PromptKind, Reader, ScreenView, ShellMark};
use callboard_base::time::Timestamp;

fn sight_of(bytes: &[u8]) -> ScreenView {
    let mut terminal = Terminal::new(TerminalSize::default(), 100);
    terminal.feed(bytes);
    let mut sight = ScreenView::default();
    terminal.look(&mut sight);
    sight
}

#[test]
fn redraws_wide_characters_and_the_cursor_are_seen_as_a_person_sees_them() {
    let sight = sight_of(b"\x1b[1mWorking 10%\r\x1b[KName: ");
    assert_eq!((sight.rows.as_slice(), sight.before.as_str()), (["Name: ".to_owned()].as_slice(), "Name: "));
    let sight = sight_of("パスワード: ".as_bytes());
    assert_eq!(sight.before, "パスワード: ");
    let sight = sight_of(b"\x1b[?1049h\x1b[?25lfull screen");
    assert!(sight.alternate && sight.cursor_hidden);
    assert_eq!(sight_of(b"Name:\x1b[C").before, "Name: ", "a cursor that was moved makes room as a blank does");
}

#[test]
fn frames_that_are_drawn_with_letters_are_seen_as_frames() {
    let sight = sight_of(b"\x1b(0lqqk\x1b(B\r\n\x1b)0\x0ex\x0fok\x0ex\x0f\r\n\x1b(0mq\x1b[2bj\x1b(B quux");
    assert_eq!(sight.rows, ["┌──┐", "│ok│", "└───┘ quux"]);
    let mut terminal = Terminal::new(TerminalSize::default(), 100);
    terminal.feed(b"\x1b(0");
    let drawing = terminal.drawing();
    terminal.rest();
    terminal.wake(History::new(100), &drawing);
    terminal.feed(b"qq");
    assert_eq!(terminal.screen_rows(), ["──"], "the set is chosen still");
}

#[test]
fn a_line_that_wraps_is_one_line() {
    let mut terminal = Terminal::new(TerminalSize::new(10, 20), 100);
    terminal.feed(b"Enter the name of the new environment: ");
    let mut sight = ScreenView::default();
    terminal.look(&mut sight);
    assert_eq!(sight.wrapped, [true]);
    assert_eq!(terminal.transcript(), "Enter the name of the new environment: ");
}

#[test]
fn a_sequence_may_be_cut_anywhere() {
    let bytes = "\x1b[31mPasswort für é: \x1b[0m\x1b]133;B\x07".as_bytes();
    for cut in 0..bytes.len() {
        let mut terminal = Terminal::new(TerminalSize::default(), 0);
        terminal.feed(&bytes[..cut]);
        terminal.feed(&bytes[cut..]);
        let mut sight = ScreenView::default();
        terminal.look(&mut sight);
        assert_eq!((sight.before.as_str(), sight.mark), ("Passwort für é: ", Some(ShellMark::Input)), "cut at {cut}");
    }
}

#[test]
fn ten_thousand_lines_are_kept_within_two_megabytes() {
    let mut watch = Watch::new(TerminalSize::default(), History::ROWS);
    for line in 0..30_000 {
        watch.output(Timestamp(0), format!("{line:>8} {}\r\n", "a line as builds print them, ".repeat(2)).as_bytes());
    }
    let history = watch.terminal().history();
    assert_eq!(history.len(), History::ROWS);
    assert!(history.memory() <= 2 * 1024 * 1024 - 200 * 1024, "{} bytes", history.memory());
    assert_eq!(history.dropped() + 10_000 + 23, 30_000, "all but the screen's own rows left it");
    let (last, _) = history.rows().last().unwrap();
    assert!(last.trim_start().starts_with("29976 "), "{last}");
}

#[test]
fn a_line_of_a_megabyte_costs_no_more_than_the_history_may() {
    let mut watch = Watch::new(TerminalSize::default(), History::ROWS);
    watch.output(Timestamp(0), &vec![b'x'; 4 * 1024 * 1024]);
    watch.output(Timestamp(0), b"\r\nPassword: ");
    assert!(watch.terminal().history().memory() <= 2 * 1024 * 1024);
    let found = watch.look(Timestamp(1_000), Host::default()).unwrap();
    assert_eq!((found.prompt.prompt_type, found.file_position), (PromptKind::Password, 4 * 1024 * 1024 + 12));
}

#[test]
fn colours_leave_the_history_and_stay_in_the_drawing() {
    let mut terminal = Terminal::new(TerminalSize::new(2, 20), 100);
    terminal.feed(b"\x1b[31mred\x1b[0m plain\r\nsecond\r\nthird");
    assert_eq!(terminal.history().rows().collect::<Vec<_>>(), [("red plain".to_owned(), false)]);
    assert_eq!(terminal.transcript(), "red plain\nsecond\nthird");
    terminal.feed(b"\x1b[32mgreen");
    assert!(terminal.drawing().contains("\x1b[32m"));
}

#[test]
fn hostile_sequences_do_nothing() {
    let mut terminal = Terminal::new(TerminalSize::default(), 100);
    let title = [b"\x1b]2;".as_slice(), &vec![b'A'; 3 * 1024 * 1024], b"\x07"].concat();
    terminal.feed(&title);
    terminal.feed(b"\x1b]52;c;cGF5bG9hZA==\x07\x1b[6n\x1b[c\x1bP+q544e\x1b\\\x1b[8;9999;9999t\x1b[18t");
    terminal.feed(b"Name: ");
    let mut sight = ScreenView::default();
    terminal.look(&mut sight);
    assert_eq!(sight.before, "Name: ");
    assert_eq!(terminal.size(), TerminalSize::default(), "a program does not resize us");
}

#[test]
fn a_few_bytes_do_not_make_much_work() {
    let mut terminal = Terminal::new(TerminalSize::default(), History::ROWS);
    // Each would print its character sixty thousand times: two gigabytes of letters in all.
    terminal.feed(&b"x\x1b[60000b".repeat(32 * 1024));
    assert!(terminal.history().len() < 1_000, "{} rows", terminal.history().len());
    let mut terminal = Terminal::new(TerminalSize::default(), 0);
    terminal.feed(b"-\x1b[7");
    terminal.feed(b"9b");
    let mut sight = ScreenView::default();
    terminal.look(&mut sight);
    assert_eq!(sight.before, "-".repeat(80), "a row of dashes is drawn");
}

#[test]
fn sizes_are_brought_within_bounds_and_may_change() {
    let size = TerminalSize::new(0, u16::MAX);
    assert_eq!((size.rows(), size.cols()), (2, TerminalSize::MOST_COLS));
    let mut watch = Watch::new(TerminalSize::new(30, 90), 100);
    watch.output(Timestamp(0), b"one\r\ntwo\r\nContinue? [y/N] ");
    watch.resize(TerminalSize::new(2, 30));
    let found = watch.look(Timestamp(500), Host::default()).unwrap();
    assert_eq!(found.prompt.prompt_type, PromptKind::YesNo);
}

#[test]
fn a_watch_knows_what_was_answered() {
    let mut watch = Watch::new(TerminalSize::default(), 100);
    let host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };
    watch.output(Timestamp(1_000), b"Continue? [y/N] ");
    let found = watch.look(Timestamp(1_010), host).unwrap();
    assert!(found.prompt.safe_to_type);
    assert_eq!((found.file_position, found.timestamp), (16, Timestamp(1_000)));
    watch.input();
    assert!(!watch.look(Timestamp(1_501), host).unwrap().prompt.safe_to_type, "the answer may not have been read yet");
    watch.output(Timestamp(1_600), b"y\r\n");
    let busy = Host { reader: Reader::Busy, ..host };
    assert!(watch.look(Timestamp(2_000), busy).is_none());
}

#[test]
fn what_is_printed_after_an_answer_asks_anew_also_within_the_same_millisecond() {
    let mut watch = Watch::new(TerminalSize::default(), 10);
    let host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };
    watch.output(Timestamp(1_000), b"Go on? (yes/no): ");
    watch.input();
    assert!(!watch.look(Timestamp(1_000), host).unwrap().prompt.safe_to_type, "it is being answered");
    watch.output(Timestamp(1_000), b"yes\r\nSure? (yes/no): ");
    assert!(watch.look(Timestamp(1_000), host).unwrap().prompt.safe_to_type);
}

proptest! {
    #[test]
    fn any_bytes_will_do(
        chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 0..8),
        sizes in proptest::collection::vec((1_u16..40, 1_u16..90), 0..8),
    ) {
        survive(&chunks, &sizes)?;
    }

    #[test]
    fn any_sequences_will_do(
        chunks in proptest::collection::vec(sequences(), 0..8),
        sizes in proptest::collection::vec((1_u16..40, 1_u16..90), 0..8),
    ) {
        survive(&chunks, &sizes)?;
    }
}

/// Bytes that are mostly escape sequences, wide characters, and what moves the cursor.
fn sequences() -> impl Strategy<Value = Vec<u8>> {
    let control = ("\x1b\\[[?>!]?[0-9]{0,5}(;[0-9]{0,5}){0,2}[@-~]").prop_map(String::into_bytes);
    let other = proptest::sample::select(
        &[
            "\x1bM", "\x1b7", "\x1b8", "\x1bc", "\r", "\n", "\t", "\x08", "世", "a", "e\u{301}", "\x1b[?1049h",
            "\x1b[?1049l", "👩‍👩‍👧", "\x1b[5;2r", "\x1b]133;A\x07", "\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f", "lqk",
        ][..],
    );
    let piece = prop_oneof![control, other.prop_map(|text| text.as_bytes().to_vec())];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn survive(chunks: &[Vec<u8>], sizes: &[(u16, u16)]) -> Result<(), TestCaseError> {
    let mut watch = Watch::new(TerminalSize::new(5, 10), 50);
    let polls = Host { reader: Reader::Polls, echo: Some(false), canonical: Some(false), destroys: false };
    for (index, chunk) in chunks.iter().enumerate() {
        watch.output(Timestamp(0), chunk);
        if let Some((rows, cols)) = sizes.get(index) {
            watch.resize(TerminalSize::new(*rows, *cols));
        }
        for host in [polls, Host::default()] {
            if let Some(found) = watch.look(Timestamp(900), host) {
                prop_assert!((0.0..=1.0).contains(&found.prompt.confidence));
            }
        }
        prop_assert!(watch.terminal().history().len() <= 50);
    }
    let _drawn = (watch.terminal().drawing(), watch.terminal().transcript());
    Ok(())
}
