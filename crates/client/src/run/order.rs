//! A line that the hub asks for, and how far it is on its way.

use tokio::time::Instant;

use super::standing::TypedLine;
use crate::domain::prompt::ScreenView;

#[derive(Debug)]
pub(super) struct Order {
    pub(super) id: String,
    /// Without the key that enters it.
    pub(super) text: String,
    pub(super) prompt_text: String,
    pub(super) by_person: bool,
    /// Whether it answers nothing, and tells the agent something.
    pub(super) notice: bool,
}

/// A line on its way.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) order: Order,
    pub(super) step: Step,
    pub(super) since: Instant,
    pub(super) due: Instant,
}

#[derive(Debug)]
pub(super) enum Step {
    /// Nothing is typed yet.
    Ordered,
    /// The text is typed: how the screen was before, and how often the user had pressed keys.
    Typed {
        before: Box<ScreenView>,
        pressed: u64,
    },
    Entered(Box<Entered>),
}

#[derive(Debug)]
pub(super) struct Entered {
    pub(super) standing: TypedLine,
    pub(super) presses: u8,
    pub(super) pressed: u64,
    /// Since when the line is not where it stood.
    pub(super) gone_since: Option<Instant>,
}

impl Sending {
    pub(super) const fn due(&self) -> Instant {
        self.due
    }
}
