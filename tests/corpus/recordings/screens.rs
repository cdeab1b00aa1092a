//! A recording as text that a person reads: the screen at each moment, with its label.

use std::fmt::Write as _;

use callboard_detect::prompt::{Reader, ScreenView};
use callboard_detect::terminal::{Terminal, TerminalSize};

use super::recording::{Label, Moment, Observed, Recording};

/// The whole recording. Its first line is `GROUP/PROGRAM/NAME`.
pub(crate) fn as_text(group: &str, recording: &Recording) -> String {
    let Recording { version, command, rows, cols, moments, output, .. } = recording;
    let mut text = format!("{group}/{}\n", recording.path());
    let mut line = |line: String| {
        text.push_str(line.trim_end());
        text.push('\n');
    };
    line(format!("command  {}", command.replace('\n', "\n         ")));
    line(format!("version  {version}"));
    line(format!("size     {rows} rows of {cols} columns"));
    let mut terminal = Terminal::new(TerminalSize::new(*rows, *cols), 0);
    let (mut sight, mut printed) = (ScreenView::default(), 0);
    for (moment, number) in moments.iter().zip(1..) {
        terminal.feed(&output[printed..moment.at]);
        printed = moment.at;
        terminal.look(&mut sight);
        line(format!("\nmoment {number} of {}: {}", moments.len(), measured(moment)));
        line(format!("label: {}", labelled(&moment.label)));
        line(cursor(&sight));
        line("┌".to_owned());
        terminal.screen_rows().iter().for_each(|row| line(format!("│ {row}")));
        line("└".to_owned());
    }
    text
}

fn measured(moment: &Moment) -> String {
    let Moment { at, quiet_ms, answered, host: Observed { reader, echo, canonical }, .. } = moment;
    let reader = match reader {
        Reader::Unknown => "nobody knows who reads",
        Reader::Gone => "the program has ended",
        Reader::Busy => "the program does something else",
        Reader::Polls => "the program polls the terminal",
        Reader::Reads => "the program reads the terminal",
    };
    let mut text = format!("{at} bytes, silent for {quiet_ms} ms, {reader}");
    for (known, is, is_not) in [(canonical, "lines", "keys"), (echo, "echo", "no echo")] {
        known.iter().for_each(|known| {
            // Writing to a string cannot fail.
            let _written = write!(text, ", {}", if *known { is } else { is_not });
        });
    }
    if *answered { text + ", answered" } else { text }
}

fn labelled(label: &Label) -> String {
    let kinds: Vec<&str> = label.kinds.iter().map(|kind| kind.as_str()).collect();
    let mut text = if label.waits() { format!("waits for {}", kinds.join(" or ")) } else { "does not wait".to_owned() };
    if label.dangerous {
        text.push_str(", dangerous");
    }
    label.note.iter().for_each(|note| text.extend([" (", note, ")"]));
    text
}

fn cursor(sight: &ScreenView) -> String {
    let hidden = if sight.cursor_hidden { ", hidden" } else { "" };
    format!("cursor: row {}, right of `{}`{hidden}", sight.cursor_row + 1, sight.before)
}
