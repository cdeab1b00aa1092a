//! Screens of real programs, a few for each rule that decides, and some on which nothing waits: `screens.jsonl`.
//!
//! They are moments of the recordings in `tests/corpus`, with the labels those have, drawn once, so that the rules can
//! be held to them without a terminal model. How often the detector is right is judged in `tests/it/prompts`.

use std::time::Duration;

use serde::Deserialize;

use super::super::*;

const SCREENS: &str = include_str!("../../../../../tests/fixtures/screens/screens.jsonl");

/// A moment: what stood there, and what is so.
#[derive(Deserialize)]
struct Screen {
    /// Which recording: `program/scenario`.
    from: String,
    waits: bool,
    kind: Option<PromptKind>,
    rule: Option<String>,
    choices: Vec<String>,
    dangerous: bool,
    answered: bool,
    rows: Vec<String>,
    /// Which rows go on in the next.
    wrapped: Vec<usize>,
    row: usize,
    before: String,
    after: String,
    hidden: bool,
    full: bool,
    quiet: Option<u64>,
}

impl Screen {
    fn all() -> Vec<Self> {
        SCREENS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn sight(&self) -> ScreenView {
        ScreenView {
            wrapped: (0..self.rows.len()).map(|row| self.wrapped.contains(&row)).collect(),
            rows: self.rows.clone(),
            cols: 0,
            cursor_row: self.row,
            before: self.before.clone(),
            after: self.after.clone(),
            cursor_hidden: self.hidden,
            alternate: self.full,
            mark: None,
        }
    }

    fn seen(&self, host: Host) -> Option<InputPrompt> {
        let moment = Moment { host, quiet: self.quiet.map(Duration::from_millis), answered: self.answered };
        detect(&self.sight(), &moment)
    }
}

fn host(reader: Reader, echo: bool) -> Host {
    Host { reader, echo: Some(echo), canonical: Some(true), destroys: false }
}

#[test]
fn every_screen_is_taken_for_what_it_is_by_its_words_alone() {
    for screen in Screen::all() {
        let found = screen.seen(Host::default()).filter(|prompt| prompt.confidence >= MIN_CONFIDENCE);
        let told =
            found.as_ref().map(|prompt| (prompt.prompt_type, prompt.matched_pattern.to_string(), &prompt.choices));
        let label = screen.kind.map(|kind| (kind, screen.rule.clone().unwrap_or_default(), &screen.choices));
        assert_eq!(told, label, "{}: {}", screen.from, screen.rows.join("\n"));
        assert_eq!(found.is_some(), screen.waits, "{}", screen.from);
        let dangerous = found.is_some_and(|prompt| prompt.is_dangerous);
        assert_eq!(dangerous, screen.dangerous && screen.waits, "{}", screen.from);
    }
}

#[test]
fn a_host_raises_what_waits_and_vetoes_what_does_not() {
    for screen in Screen::all().iter().filter(|screen| screen.waits && !screen.answered) {
        assert_eq!(screen.seen(host(Reader::Busy, true)), None, "{}", screen.from);
        let by_words = screen.seen(Host::default()).unwrap();
        let reads = screen.seen(host(Reader::Reads, true)).unwrap();
        assert!(reads.confidence >= by_words.confidence, "{}: {reads:?}", screen.from);
        assert!(reads.signals.contains(&Signal::TtyRead), "{}: {reads:?}", screen.from);
        let polls = screen.seen(host(Reader::Polls, true)).unwrap();
        assert!(polls.signals.contains(&Signal::TtyPoll) && polls.confidence <= 1.0, "{}: {polls:?}", screen.from);
        let hidden = screen.seen(host(Reader::Reads, false)).unwrap();
        assert_eq!((hidden.prompt_type, hidden.safe_to_type), (PromptKind::Password, false), "{}", screen.from);
    }
}

/// The same screen a moment after somebody typed: it may be answered, and nothing may be typed into it.
#[test]
fn what_was_just_answered_is_not_safe_to_type_into() {
    for mut screen in Screen::all().into_iter().filter(|screen| screen.waits) {
        screen.answered = true;
        let still = screen.seen(host(Reader::Reads, true));
        assert!(!still.is_some_and(|prompt| prompt.safe_to_type), "{}", screen.from);
    }
}

/// A question that ended with its line, from a program that reads: the row above is what it asks.
#[test]
fn a_question_with_a_line_end_is_read_from_the_row_above() {
    for (text, kind) in [
        ("Continue? [y/N]:\n", PromptKind::YesNo),
        ("Enter your name:\n", PromptKind::Text),
        ("Password:\n", PromptKind::Password),
        ("Building things\n", PromptKind::Text),
    ] {
        let moment = |reader| Moment { host: host(reader, true), quiet: None, answered: false };
        let reads = detect(&ScreenView::of_text(text), &moment(Reader::Reads)).unwrap();
        assert_eq!(reads.prompt_type, kind, "{text}");
        assert!(!reads.signals.contains(&Signal::NoNewline), "{reads:?}");
    }
    assert_eq!(detect(&ScreenView::of_text("Continue? [y/N]:\n"), &Moment::default()), None, "it may be a log");
}
