//! A terminal that is watched: what was printed and typed, when, and what waits now.

use std::sync::Arc;
use std::time::Duration;

use crate::prompt::{self, Host, InputPrompt, Moment, Patterns, Reader, ScreenView};
use callboard_base::time::Timestamp;

use super::history::History;
use super::model::Terminal;
use super::size::TerminalSize;

/// A terminal, and the times that the detector needs.
///
/// Looking twice at the same moment costs nothing: a verdict is kept until something is printed, typed or known.
#[derive(Debug)]
pub struct Watch {
    terminal: Terminal,
    sight: ScreenView,
    /// Whether `sight` shows what was printed last.
    seen: bool,
    printed: Option<Timestamp>,
    /// Whether something was typed since the last output. By their order: within a millisecond both may happen.
    answered: bool,
    verdict: Option<(Moment, Option<InputPrompt>)>,
    patterns: Arc<Patterns>,
}

/// A prompt, and where and when it was printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Detected {
    pub prompt: InputPrompt,
    /// How many bytes the program had printed when it began to wait.
    pub file_position: u64,
    /// When it printed the last of them.
    pub timestamp: Timestamp,
}

impl Watch {
    pub fn new(size: TerminalSize, history_rows: usize) -> Self {
        Self::of(Terminal::new(size, history_rows))
    }

    /// Watches a terminal on which something stands already.
    pub fn of(terminal: Terminal) -> Self {
        let (sight, patterns) = (ScreenView::default(), Arc::default());
        Self { terminal, sight, seen: false, printed: None, answered: false, verdict: None, patterns }
    }

    pub fn output(&mut self, now: Timestamp, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.terminal.feed(bytes);
            self.printed = Some(now);
            self.answered = false;
            self.seen = false;
            self.verdict = None;
        }
    }

    /// Something else begins here: the screen is clean, and what stood on it has left at its top.
    pub fn begins_anew(&mut self, now: Timestamp) {
        self.output(now, self.terminal.clearing().as_bytes());
    }

    pub fn input(&mut self) {
        self.answered = true;
        self.verdict = None;
    }

    /// From now on these prompts and words of danger are known, too.
    pub fn knows(&mut self, patterns: &Arc<Patterns>) {
        if self.patterns != *patterns {
            self.patterns = Arc::clone(patterns);
            self.verdict = None;
        }
    }

    pub fn resize(&mut self, size: TerminalSize) {
        self.terminal.resize(size);
        self.seen = false;
        self.verdict = None;
    }

    /// Gives its memory back, as [`Terminal::rest`] does: to be woken before anything else is done with it.
    pub fn rest(&mut self) {
        self.terminal.rest();
        self.sight = ScreenView::default();
        self.seen = false;
    }

    pub fn wake(&mut self, history: History, drawing: &str) {
        self.terminal.wake(history, drawing);
    }

    /// The terminal itself, for transcripts and views.
    pub const fn terminal(&self) -> &Terminal {
        &self.terminal
    }

    /// What waits now, as likely as its confidence says: compare that with a threshold of
    /// your own ([`prompt::MIN_CONFIDENCE`]).
    pub fn look(&mut self, now: Timestamp, host: Host) -> Option<Detected> {
        let quiet = self.printed.map(|printed| rounded(now.since(printed)));
        self.look_after(now, Moment { host, quiet, answered: self.answered })
    }

    /// The same for whoever knows that no more is to come: as if it had been quiet for long.
    pub fn look_settled(&mut self, now: Timestamp, host: Host) -> Option<Detected> {
        self.look_after(now, Moment { host, quiet: None, answered: self.answered })
    }

    pub const fn printed(&self) -> Option<Timestamp> {
        self.printed
    }

    fn look_after(&mut self, now: Timestamp, moment: Moment) -> Option<Detected> {
        let host = moment.host;
        let known = self.verdict.as_ref().filter(|(at, _)| *at == moment);
        let prompt = match known {
            Some((_, prompt)) => prompt.clone(),
            None if moment.quiet == Some(Duration::ZERO)
                && host.reader == Reader::Unknown
                && !host.hides()
                && self.terminal.streams() =>
            {
                None
            }
            None => {
                if !self.seen {
                    self.terminal.look(&mut self.sight);
                    self.seen = true;
                }
                let prompt = prompt::detect_with(&self.sight, &moment, &self.patterns);
                self.verdict = Some((moment, prompt.clone()));
                prompt
            }
        };
        let timestamp = self.printed.unwrap_or(now);
        prompt.map(|prompt| Detected { prompt, file_position: self.terminal.position(), timestamp })
    }
}

/// The pauses that make a difference; so a later look at the same screen finds the verdict made.
fn rounded(quiet: Duration) -> Duration {
    let steps = [700, 200].map(Duration::from_millis);
    steps.into_iter().find(|step| quiet >= *step).unwrap_or_default()
}
