//! A screen, its history, and what can be seen of them.

use super::charset::Charsets;
use super::history::History;
use super::picture::Picture;
use super::size::TerminalSize;
use super::strainer::{CANCEL, Strainer};
use crate::prompt::{ScreenView, ShellMark};
use vt100::capture::{BasicFormattedCaptureState, RowContents};
use vt100::{Callbacks, Parser, Screen};

/// A terminal that draws what a program prints, and answers nothing.
pub struct Terminal {
    parser: Parser<Watcher>,
    charsets: Charsets,
    strainer: Strainer,
    size: TerminalSize,
    position: u64,
    /// Its screen was given back: see [`Terminal::rest`].
    blank: bool,
}

/// What the parser tells besides the screen.
struct Watcher {
    history: History,
    capture: BasicFormattedCaptureState,
    scratch: String,
    plain: String,
    mark: Option<ShellMark>,
}

impl Terminal {
    /// An empty screen of this size, whose history keeps so many rows.
    pub fn new(size: TerminalSize, history_rows: usize) -> Self {
        Self::with(size, History::new(history_rows))
    }

    /// A terminal that was kept: what had left its screen, what draws its screen, and how many bytes it ever drew.
    pub fn restored(size: TerminalSize, history: History, drawing: &[u8], position: u64) -> Self {
        let mut terminal = Self::with(size, history);
        terminal.feed(drawing);
        terminal.position = position;
        terminal
    }

    fn with(size: TerminalSize, history: History) -> Self {
        let (parser, charsets, strainer) = (parser(size, history, None), Charsets::default(), Strainer::default());
        Self { parser, charsets, strainer, size, position: 0, blank: false }
    }

    /// Gives its memory back: the history, and the screen where [`Self::drawing`] says all of it.
    ///
    /// A program that has taken the whole screen has another one below it, and one that lets a part of it scroll has
    /// set what no drawing sets: those keep their screens. Until [`Self::wake`] nothing is to be drawn or looked at.
    pub fn rest(&mut self) {
        let history = self.history().emptied();
        self.blank = !self.parser.screen().alternate_screen() && self.strainer.is_plain();
        if self.blank {
            let mark = self.parser.callbacks().mark;
            self.parser = parser(TerminalSize::new(0, 0), history, mark);
        } else {
            self.parser.callbacks_mut().history = history;
        }
    }

    /// Takes back what it gave: its history, and what [`Self::drawing`] said.
    pub fn wake(&mut self, history: History, drawing: &str) {
        if self.blank {
            let mark = self.parser.callbacks().mark;
            self.parser = parser(self.size, history, mark);
            self.parser.process(drawing.as_bytes());
            self.blank = false;
        } else {
            self.parser.callbacks_mut().history = history;
        }
    }

    /// Draws what a program printed. Any bytes will do; a character or a sequence may be cut anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.position += u64::try_from(bytes.len()).unwrap_or_default();
        let most = u32::from(self.size.cols());
        let shown = self.charsets.translate(bytes);
        let mut rest = &*shown;
        while let Some(at) = self.strainer.next(rest, most) {
            self.parser.process(&rest[..at]);
            self.parser.process(&[CANCEL]);
            rest = &rest[at + 1..];
        }
        self.parser.process(rest);
    }

    /// Changes the size. What no longer fits leaves at the top.
    pub fn resize(&mut self, size: TerminalSize) {
        self.size = size;
        self.strainer.resized();
        let (rows, cols) = size.both();
        self.parser.set_size(rows, cols);
    }

    pub const fn size(&self) -> TerminalSize {
        self.size
    }

    /// How many bytes were ever drawn.
    pub const fn position(&self) -> u64 {
        self.position
    }

    pub fn history(&self) -> &History {
        &self.parser.callbacks().history
    }

    /// The screen as a sequence of bytes that draws it on another terminal, colours included.
    pub fn drawing(&self) -> String {
        self.parser.screen().state_formatted() + &self.charsets.choosing()
    }

    /// History and screen as lines of text, rows that were too narrow joined.
    pub fn transcript(&self) -> String {
        let mut text = String::new();
        for (row, wrapped) in self.history().rows() {
            text.push_str(&row);
            if !wrapped {
                text.push('\n');
            }
        }
        text.push_str(&self.parser.screen().contents());
        text
    }

    /// The screen with its colours, below the lines of the transcript that are complete above it.
    pub fn picture(&self) -> Picture {
        let lines_above = self.history().rows().filter(|(_, wrapped)| !wrapped).count();
        Picture::of(self.parser.screen(), lines_above)
    }

    /// The number of the cursor's line among all that there ever were; none where a program has the whole screen.
    pub fn cursor_line(&self) -> Option<u64> {
        let screen = self.parser.screen();
        let (row, _) = screen.cursor_position();
        (!screen.alternate_screen()).then(|| self.history().next() + u64::from(row))
    }

    /// The row of this number among all that the terminal ever had, while it is kept.
    pub fn line(&self, number: u64) -> Option<String> {
        match number.checked_sub(self.history().next()) {
            Some(row) => self.parser.screen().rows(0, self.size.cols()).nth(usize::try_from(row).ok()?),
            None if number < self.history().dropped() => None,
            None => self.history().rows_from(number).next().map(|(_, text, _)| text),
        }
    }

    /// The rows of the screen as text, without those below that are empty.
    pub fn screen_rows(&self) -> Vec<String> {
        let mut rows: Vec<String> = self.parser.screen().rows(0, self.size.cols()).collect();
        while rows.last().is_some_and(|row| row.trim().is_empty()) {
            rows.pop();
        }
        rows
    }

    pub fn before(&self) -> String {
        let screen = self.parser.screen();
        let (row, col) = screen.cursor_position();
        // From the end of the row above, because that writes this row alone and not all above it.
        let mut before = match row.checked_sub(1) {
            Some(above) => {
                screen.contents_between(above, self.size.cols(), row, col).trim_start_matches('\n').to_owned()
            }
            None => screen.contents_between(row, 0, row, col),
        };
        // A program may move its cursor instead of printing a blank: both make room for what is typed.
        let short = !before.is_empty() && before.is_ascii() && before.len() < usize::from(col);
        if short && !before.ends_with(' ') {
            before.push(' ');
        }
        before
    }

    /// Whether more is likely to come: lines scroll by, and the last one is fresh or ends as no prompt does. While a
    /// program prints, looking closer would find nothing that a look after its next pause does not.
    pub fn streams(&self) -> bool {
        let screen = self.parser.screen();
        let drawn = screen.hide_cursor() || screen.alternate_screen();
        let marked = self.parser.callbacks().mark == Some(ShellMark::Input);
        !drawn && !marked && !ends_as_prompts_do(&self.before())
    }

    /// Puts what can be seen into `sight`, whose memory is used again.
    pub fn look(&self, sight: &mut ScreenView) {
        let screen = self.parser.screen();
        let cols = self.size.cols();
        let (cursor_row, _) = screen.cursor_position();
        sight.rows.clear();
        sight.rows.extend(screen.rows(0, cols));
        while sight.rows.len() > usize::from(cursor_row) + 1
            && sight.rows.last().is_some_and(|row| row.trim().is_empty())
        {
            sight.rows.pop();
        }
        sight.wrapped.clear();
        sight.wrapped.extend((0..cursor_row).map(|row| screen.row_wrapped(row)));
        sight.cols = usize::from(cols);
        sight.cursor_row = usize::from(cursor_row);
        sight.before = self.before();
        let row = sight.rows.get(sight.cursor_row).map(String::as_str).unwrap_or_default();
        sight.after.clear();
        sight.after.push_str(row.strip_prefix(sight.before.trim_end()).unwrap_or_default().trim());
        sight.cursor_hidden = screen.hide_cursor();
        sight.alternate = screen.alternate_screen();
        sight.mark = self.parser.callbacks().mark;
    }
}

fn parser(size: TerminalSize, history: History, mark: Option<ShellMark>) -> Parser<Watcher> {
    let (capture, scratch, plain) = (BasicFormattedCaptureState::new(), String::new(), String::new());
    let (rows, cols) = size.both();
    Parser::new_with_callbacks(rows, cols, 0, Watcher { history, capture, scratch, plain, mark })
}

/// Whether a line may end in a prompt. Far from sure, and cheap.
fn ends_as_prompts_do(before: &str) -> bool {
    before.trim_end().chars().next_back().is_some_and(|last| !last.is_alphanumeric() && last != ',')
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terminal").field("size", &self.size).field("position", &self.position).finish_non_exhaustive()
    }
}

impl Callbacks for Watcher {
    fn on_scroll(&mut self, row: RowContents<'_>, alternate_screen: bool) {
        if alternate_screen {
            return;
        }
        self.scratch.clear();
        // Writing to a string cannot fail.
        let _written = row.write_formatted_basic(&mut self.scratch, &mut self.capture);
        let text = match self.scratch.strip_prefix('\n') {
            Some(text) => text,
            None => {
                self.history.wrap_last();
                &self.scratch
            }
        };
        if text.contains('\x1b') {
            self.plain.clear();
            plain_of(text, &mut self.plain);
            self.history.push(&self.plain);
        } else {
            self.history.push(text);
        }
    }

    fn unhandled_osc(&mut self, _: &mut Screen, params: &[&[u8]]) {
        if let [b"133" | b"633", what, ..] = params {
            self.mark = match what.first() {
                Some(b'A') => Some(ShellMark::Prompt),
                Some(b'B') => Some(ShellMark::Input),
                Some(b'C') => Some(ShellMark::Output),
                Some(b'D') => Some(ShellMark::Ended),
                Some(_) | None => self.mark,
            };
        }
    }
}

/// A row without its colours. The row was written by the screen, so `m` ends every sequence.
fn plain_of(text: &str, plain: &mut String) {
    let mut parts = text.split('\x1b');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
}
