//! An interaction: what somebody clicked, chose, wrote or called, and what the application answered.

use serde_json::Value;

use super::snowflake::Id;
use crate::time::Timestamp;

/// What was used, by Discord's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InteractionKind {
    Command = 2,
    Component = 3,
    Autocomplete = 4,
    Modal = 5,
}

/// What the application answered first.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// "Callboard is thinking…": the answer is the edit of the original message.
    Deferred {
        /// Only who asked sees it.
        ephemeral: bool,
    },
    /// The click was taken; the message changes later or not at all.
    DeferredUpdate,
    Message {
        id: Id,
        /// Only who asked sees it.
        ephemeral: bool,
    },
    /// The message with the component was changed.
    Update,
    /// A form to fill in: `custom_id`, `title`, `components`.
    Modal(Value),
    /// Choices for an option: `name`, `value`.
    Choices(Vec<Value>),
}

#[derive(Debug)]
pub(crate) struct Interaction {
    pub(crate) id: Id,
    pub(crate) token: String,
    pub(crate) kind: InteractionKind,
    pub(crate) user: Id,
    pub(crate) channel: Id,
    /// The message whose component was used, also by way of a modal.
    pub(crate) message: Option<Id>,
    pub(crate) made: Timestamp,
    pub(crate) answer: Option<Answer>,
    /// The message that `@original` means.
    pub(crate) original: Option<Id>,
    /// Every message that came from it.
    pub(crate) messages: Vec<Id>,
}
