//! The box of a coding agent, in which people write what it is to do: a sign or nothing but a frame, and a placeholder
//! (`│ ❯ Ask me anything...  │`).

use super::super::frame;
use super::super::kind::PromptKind;
use super::{Guess, Strength, View};

/// How a placeholder begins.
const PLACEHOLDERS: [&str; 10] = [
    "ask ",
    "ask me",
    "type your",
    "type a message",
    "type something",
    "message ",
    "send a message",
    "try \"",
    "describe ",
    "what would you like",
];
/// Within how many rows at the end of a screen it stands.
const NEAR: usize = 10;

/// The cursor stands in it, or nowhere: then it is the last row of the screen that a frame is around.
pub(super) fn of_an_agent(view: View<'_>) -> Option<Guess> {
    let guess = |row: &str| {
        Guess::new(PromptKind::Command, "command.input_box", Strength::Likely)
            .on_screen(Some(frame::between_sides(row).to_owned()))
    };
    let drawn = view.line.trimmed();
    let empty =
        drawn.chars().all(|c| frame::SIDES.contains(&c) || frame::ONE_SIDED.contains(&c) || is_sign(c) || c == ' ');
    let framed = drawn.starts_with(frame::SIDES) || drawn.starts_with(frame::ONE_SIDED);
    if empty && framed && is_placeholder(&view.line.after) {
        return Some(guess(&view.line.after));
    }
    if !view.line.is_blank() {
        return None;
    }
    let rows: Vec<&str> = view.rows().collect();
    let from = rows.len().saturating_sub(NEAR);
    let boxed = rows[from..].windows(3).rev().find_map(|near| {
        let written = frame::inside(near[1])?.trim().strip_prefix(is_sign)?;
        (frame::is_edge(near[0]) && frame::is_edge(near[2]) && is_placeholder(written)).then_some(written)
    });
    boxed.map(guess)
}

const fn is_sign(c: char) -> bool {
    matches!(c, '>' | '❯' | '›')
}

fn is_placeholder(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    PLACEHOLDERS.iter().any(|words| lower.starts_with(words))
}
