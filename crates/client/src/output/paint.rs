//! Colours, on a terminal and unless `NO_COLOR` is set.

use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Red,
    Green,
    Yellow,
    Blue,
    Dim,
}

impl Ink {
    const fn code(self) -> &'static str {
        match self {
            Self::Red => "31",
            Self::Green => "32",
            Self::Yellow => "33",
            Self::Blue => "34",
            Self::Dim => "2",
        }
    }
}

/// The text in a colour, where `terminal` says that somebody looks.
pub fn painted(text: &str, ink: Option<Ink>, terminal: bool) -> Cow<'_, str> {
    match ink {
        Some(ink) if terminal && colours() => Cow::Owned(format!("\u{1b}[{}m{text}\u{1b}[0m", ink.code())),
        Some(_) | None => Cow::Borrowed(text),
    }
}

/// The colour of a state or an availability.
pub fn ink_of(word: &str) -> Option<Ink> {
    match word {
        "COMPLETED" | "approved" | "waiting" => Some(Ink::Green),
        "IN_PROGRESS" | "ASSIGNED" | "working" => Some(Ink::Blue),
        "BLOCKED" | "IN_REVIEW" | "TIMEOUT" | "changes_requested" | "open" => Some(Ink::Yellow),
        "FAILED" | "DEAD_LETTER" | "evicted" => Some(Ink::Red),
        "CANCELLED" | "offline" => Some(Ink::Dim),
        _ => None,
    }
}

/// Whether colours are wanted: `NO_COLOR` is not set, or set to nothing.
pub fn colours() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
