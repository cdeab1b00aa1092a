//! What is behind a button, a select or a modal: `cb:VERB:ID[:NUMBER]`, with ids of the journal alone.

use std::fmt;

use crate::ids::{QuestionId, TaskId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Press {
    /// Call the task off; it is asked first where somebody works on it.
    Cancel(TaskId),
    /// Call it off although somebody works on it.
    CancelAnyway(TaskId),
    /// Put the task back into its queue.
    Retry(TaskId),
    /// Answer with the option of this place, from 0.
    Option(QuestionId, usize),
    /// Answer so although it may destroy something.
    OptionAnyway(QuestionId, usize),
    /// Answer with the option that was selected.
    Select(QuestionId),
    Default(QuestionId),
    /// Open the modal for an answer in own words, and the answer from it.
    Words(QuestionId),
    /// Approve the work, as it was handed in for this round; none: whatever was handed in last.
    Approve(TaskId, Option<u32>),
    /// Open the modal for what is to change of what was handed in for this round, and the wish from it.
    Changes(TaskId, Option<u32>),
    /// Hand out what the message of this id says, from the modal that asks to whom.
    Assign(u64),
}

impl Press {
    /// Reads a `custom_id`; none where it is not the hub's.
    pub fn parse(custom_id: &str) -> Option<Self> {
        let mut parts = custom_id.strip_prefix("cb:")?.split(':');
        let (verb, id, number) = (parts.next()?, parts.next()?, parts.next());
        let is_option = matches!(verb, "option" | "option!");
        let may_have_number = matches!((verb, number), ("approve" | "changes", _) | (_, None)) || is_option;
        if parts.next().is_some() || !may_have_number || (is_option && number.is_none()) {
            return None;
        }
        let question = || QuestionId::parse(id).ok();
        let task = || TaskId::parse(id).ok();
        match verb {
            "cancel" => task().map(Self::Cancel),
            "retry" => task().map(Self::Retry),
            "cancel!" => task().map(Self::CancelAnyway),
            "approve" => Some(Self::Approve(task()?, number.map(str::parse).transpose().ok()?)),
            "changes" => Some(Self::Changes(task()?, number.map(str::parse).transpose().ok()?)),
            "assign" => id.parse().ok().map(Self::Assign),
            "option" => Some(Self::Option(question()?, number?.parse().ok()?)),
            "option!" => Some(Self::OptionAnyway(question()?, number?.parse().ok()?)),
            "select" => question().map(Self::Select),
            "default" => question().map(Self::Default),
            "words" => question().map(Self::Words),
            _ => None,
        }
    }
}

/// The `custom_id`: at most 100 characters, as ids are short.
impl fmt::Display for Press {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancel(id) => write!(f, "cb:cancel:{id}"),
            Self::Retry(id) => write!(f, "cb:retry:{id}"),
            Self::CancelAnyway(id) => write!(f, "cb:cancel!:{id}"),
            Self::Approve(id, None) => write!(f, "cb:approve:{id}"),
            Self::Approve(id, Some(round)) => write!(f, "cb:approve:{id}:{round}"),
            Self::Changes(id, None) => write!(f, "cb:changes:{id}"),
            Self::Changes(id, Some(round)) => write!(f, "cb:changes:{id}:{round}"),
            Self::Assign(message) => write!(f, "cb:assign:{message}"),
            Self::Option(id, number) => write!(f, "cb:option:{id}:{number}"),
            Self::OptionAnyway(id, number) => write!(f, "cb:option!:{id}:{number}"),
            Self::Select(id) => write!(f, "cb:select:{id}"),
            Self::Default(id) => write!(f, "cb:default:{id}"),
            Self::Words(id) => write!(f, "cb:words:{id}"),
        }
    }
}
