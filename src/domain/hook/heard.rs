//! What a webhook said, as the journal keeps it.

use serde::{Deserialize, Serialize};

use super::change::Change;
use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;

/// What marks a comment that the hub wrote itself. Markdown does not show it.
pub const OWN_MARK: &str = "<!-- callboard:";

/// Whether the hub wrote this comment itself: with the token of a person it comes back in that person's name.
#[must_use]
pub fn is_own(body: &str) -> bool {
    body.contains(OWN_MARK)
}

/// What a webhook said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Heard {
    /// Somebody wrote a comment on a work item.
    Comment {
        /// It.
        comment: Box<ItemComment>,
    },
    /// Something happened in a repository.
    Change {
        /// It.
        change: Box<Change>,
    },
}

/// A comment on a work item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemComment {
    /// On what.
    pub item: WorkItem,
    /// Who wrote it, as its sender names them.
    pub author: String,
    /// Whose name that is.
    pub named_in: NamedIn,
    /// Whether a program wrote it, as far as the sender says; no person's word then.
    pub by_program: bool,
    /// What it says, cleaned.
    pub text: String,
    /// When it was written, to the second or better, where the sender says so.
    pub at: Option<Timestamp>,
}

/// Where an author has their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedIn {
    /// A login on a forge.
    Forge,
    /// A name in a tracker of work items.
    Tracker,
}

impl Heard {
    /// The order that is kept among deliveries: that of the work item, or of the repository.
    #[must_use]
    pub fn lane(&self) -> String {
        match self {
            Self::Comment { comment } => comment.item.as_str().to_lowercase(),
            Self::Change { change } => change.repository.to_lowercase(),
        }
    }

    /// Brings the times that its sender wrote to the clock by which records are dated.
    pub fn redate(&mut self, by: impl Fn(Timestamp) -> Timestamp) {
        let times = match self {
            Self::Comment { comment } => vec![&mut comment.at],
            Self::Change { change } => {
                let said = change.said.iter_mut().map(|said| &mut said.at);
                said.chain(change.review.iter_mut().map(|review| &mut review.at)).collect()
            }
        };
        times.into_iter().flatten().for_each(|at| *at = by(*at));
    }

    /// What it is, in a few words and without the sender's own text.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Comment { comment } => format!("a comment on {}", comment.item),
            Self::Change { change } => format!("news of {}", change.repository),
        }
    }
}
