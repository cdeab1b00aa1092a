//! What a webhook reported, as the journal keeps it.

use serde::{Deserialize, Serialize};

use super::change::Change;
use crate::time::Timestamp;
use crate::work_item::WorkItem;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HookEvent {
    /// Somebody wrote a comment on a work item.
    Comment { comment: Box<ItemComment> },
    /// Something happened in a repository.
    Change { change: Box<Change> },
    /// A repository is called otherwise now.
    Renamed {
        /// What it was called, as `owner/repo`.
        from: String,
        /// What it is called now.
        to: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemComment {
    pub item: WorkItem,
    /// What its sender calls it, where that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whether it was there before, and says something else now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// Who wrote it, as its sender names them.
    pub author: String,
    /// Whether a program wrote it, as far as the sender says; no person's word then.
    pub by_program: bool,
    /// What it says, cleaned.
    pub text: String,
    /// When it was written or edited, to the second or better, where the sender says so.
    pub at: Option<Timestamp>,
}

/// Why the author of a comment is answered on the work item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyReason {
    NotAnOption,
    TooLate,
}

impl ReplyReason {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotAnOption => "not_an_option",
            Self::TooLate => "too_late",
        }
    }
}

impl HookEvent {
    /// Who says it, as its sender names them; nobody says that something changed.
    pub fn author(&self) -> Option<&str> {
        match self {
            Self::Comment { comment } => Some(&comment.author),
            Self::Change { change } => change.review.as_ref().map(|review| review.author.as_str()),
            Self::Renamed { .. } => None,
        }
    }

    /// The order that is kept among deliveries: that of the work item, or of the repository.
    pub fn lane(&self) -> String {
        match self {
            Self::Comment { comment } => comment.item.as_str().to_lowercase(),
            Self::Change { change } => change.repository.to_lowercase(),
            Self::Renamed { from, .. } => from.to_lowercase(),
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
            Self::Renamed { .. } => Vec::new(),
        };
        times.into_iter().flatten().for_each(|at| *at = by(*at));
    }

    /// What it is, in a few words and without the sender's own text.
    pub fn summary(&self) -> String {
        match self {
            Self::Comment { comment } => format!("a comment on {}", comment.item),
            Self::Change { change } => format!("news of {}", change.repository),
            Self::Renamed { from, to } => format!("{from} is called {to} now"),
        }
    }
}
